import GRDB

/// GRDB as an app is written: record types and the query interface.
final class GRDBRecordEngine: ObjectEngine {
    private let directory: String
    private let pool: DatabasePool
    private var database: Database?

    init(directory: String, isDurable: Bool) throws {
        self.directory = directory
        pool = try GRDBSchema.open(directory: directory, isDurable: isDurable)
    }

    func close() throws { try pool.close() }

    func insert(_ ids: Range<Int>) throws {
        try pool.write { database in
            for id in ids { try GRDBPerson(PersonFacts(id)).insert(database) }
        }
    }

    func sync() throws { try GRDBSchema.sync(directory: directory) }

    func setAges(_ ids: [Int]) throws {
        try pool.write { database in
            for id in ids {
                guard var person = try GRDBPerson.fetchOne(database, key: Int64(id)) else {
                    continue
                }
                person.age = 100 + id % 50
                try person.update(database, columns: ["age"])
            }
        }
    }

    func read<Result>(_ body: () throws -> Result) throws -> Result {
        try pool.unsafeRead { database in
            self.database = database
            defer { self.database = nil }
            var result: Result?
            try database.inTransaction(.deferred) {
                result = try body()
                return .commit
            }
            guard let result else { throw NotApplicable() }
            return result
        }
    }

    private var reading: Database {
        guard let database else { preconditionFailure("reads are made inside `read`") }
        return database
    }

    func ageAndNameLength(_ id: Int) throws -> Int? {
        try GRDBPerson.fetchOne(reading, key: Int64(id)).map { $0.age + $0.name.utf8.count }
    }

    func iterateAges() throws -> Int {
        let cursor = try GRDBPerson.fetchCursor(reading)
        var sum = 0
        while let person = try cursor.next() { sum += person.age }
        return sum
    }

    func sumOfAges() throws -> Int {
        try GRDBPerson.select(sum(GRDBPerson.Columns.age), as: Int.self).fetchOne(reading) ?? 0
    }

    func countOlder(than age: Int) throws -> Int {
        try GRDBPerson.filter(GRDBPerson.Columns.age > age).fetchCount(reading)
    }

    func findOlder(than age: Int) throws -> Int {
        try GRDBPerson.filter(GRDBPerson.Columns.age > age).fetchAll(reading)
            .reduce(0) { $0 + $1.age }
    }

    func countNames(containing part: String) throws -> Int {
        try GRDBPerson.filter(GRDBPerson.Columns.name.like("%\(part)%")).fetchCount(reading)
    }

    func findNamed(_ name: String) throws -> Int {
        try GRDBPerson.filter(GRDBPerson.Columns.name == name).fetchAll(reading)
            .reduce(0) { $0 + $1.age }
    }

    func lowestScores(_ count: Int) throws -> Int {
        try GRDBPerson.order(GRDBPerson.Columns.score).limit(count).fetchAll(reading)
            .reduce(0) { $0 + Int($1.id) }
    }

    func walk(from id: Int, hopCount: Int) throws -> (ages: Int, hops: Int) {
        throw NotApplicable()
    }

    func followAll() throws -> Int { throw NotApplicable() }

    func delete(_ ids: [Int]) throws {
        try pool.write { database in
            for id in ids { _ = try GRDBPerson.deleteOne(database, key: Int64(id)) }
        }
    }

    func growOlder(by years: Int) throws {
        try pool.write { database in
            for var person in try GRDBPerson.fetchAll(database) {
                person.age += years
                try person.update(database, columns: [GRDBPerson.Columns.age])
            }
        }
    }

    func insertLinked(_ count: Int) throws {
        try pool.write { try LinkedTables.insert(count, $0) }
    }

    func countLinked() throws -> (tasks: Int, links: Int) {
        try pool.read { try LinkedTables.count($0) }
    }

    func deleteAllLinked() throws { try pool.write { try LinkedTables.deleteAll($0) } }

    func deleteLinked(_ ids: Range<Int>) throws {
        try pool.write { try LinkedTables.delete(ids, $0) }
    }

    func insertWide(_ ids: Range<Int>) throws {
        try pool.write { database in
            for id in ids { try WideRecord(WideFacts(id)).insert(database) }
        }
    }

    func sumWide() throws -> Int {
        let cursor = try WideRecord.fetchCursor(reading)
        var sum = 0
        while let record = try cursor.next() { sum += record.i5 }
        return sum
    }

    func compact() throws { try GRDBSchema.compact(pool) }

    static func change(
        _ change: SchemaChange, directory: String
    ) throws -> (seconds: Double, value: String) {
        try GRDBSchema.change(change, directory: directory)
    }
}
