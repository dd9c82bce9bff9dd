import GRDB

/// GRDB with cached statements that read only the columns needed.
final class GRDBStatementEngine: ObjectEngine {
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
            let statement = try database.cachedStatement(
                sql: "INSERT INTO person(id, name, age, score, created, active, email, friendId) "
                    + "VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
            for id in ids {
                let facts = PersonFacts(id)
                try statement.execute(arguments: [
                    facts.id, facts.name, facts.age, facts.score, Int(facts.created),
                    facts.isActive, facts.email, facts.friendId,
                ])
            }
        }
    }

    func sync() throws { try GRDBSchema.sync(directory: directory) }

    func setAges(_ ids: [Int]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE person SET age = ? WHERE id = ?")
            for id in ids { try statement.execute(arguments: [100 + id % 50, id]) }
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

    /// Calls `body` with each row of a query; columns are by place.
    private func rows(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (Row) -> Void
    ) throws {
        guard let database else { preconditionFailure("reads are made inside `read`") }
        let statement = try database.cachedStatement(sql: sql)
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try cursor.next() { body(row) }
    }

    private func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        var result = 0
        try rows(sql, arguments) { result = $0[0] }
        return result
    }

    func ageAndNameLength(_ id: Int) throws -> Int? {
        var result: Int?
        try rows("SELECT age, name FROM person WHERE id = ?", [id]) { row in
            let name: String = row[1]
            result = row[0] + name.utf8.count
        }
        return result
    }

    func iterateAges() throws -> Int {
        var sum = 0
        try rows("SELECT age FROM person") { sum += $0[0] as Int }
        return sum
    }

    /// There is nothing to lend: the same statement.
    func iterateAgesLending() throws -> Int { try iterateAges() }

    func sumOfAges() throws -> Int { try number("SELECT SUM(age) FROM person") }

    func countOlder(than age: Int) throws -> Int {
        try number("SELECT COUNT(*) FROM person WHERE age > ?", [age])
    }

    func findOlder(than age: Int) throws -> Int {
        var sum = 0
        try rows("SELECT id, age FROM person WHERE age > ?", [age]) { sum += $0[1] as Int }
        return sum
    }

    func countNames(containing part: String) throws -> Int {
        try number("SELECT COUNT(*) FROM person WHERE name LIKE ?", ["%\(part)%"])
    }

    func findNamed(_ name: String) throws -> Int {
        var sum = 0
        try rows("SELECT age FROM person WHERE name = ?", [name]) { sum += $0[0] as Int }
        return sum
    }

    func lowestScores(_ count: Int) throws -> Int {
        var sum = 0
        try rows("SELECT id FROM person ORDER BY score LIMIT ?", [count]) { sum += $0[0] as Int }
        return sum
    }

    func walk(from id: Int, hopCount: Int) throws -> (ages: Int, hops: Int) {
        var next: Int? = id
        var ages = 0
        var hops = 0
        while let current = next, hops < hopCount {
            next = nil
            try rows("SELECT friendId, age FROM person WHERE id = ?", [current]) { row in
                next = row[0]
                ages += row[1] as Int
            }
            hops += 1
        }
        return (ages, hops)
    }

    func followAll() throws -> Int {
        try number("SELECT SUM(f.age) FROM person p JOIN person f ON p.friendId = f.id")
    }

    /// A join is in bulk already: the same statement.
    func followAllInBulk() throws -> Int { try followAll() }

    func delete(_ ids: [Int]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM person WHERE id = ?")
            for id in ids { try statement.execute(arguments: [id]) }
        }
    }

    func growOlder(by years: Int) throws {
        try pool.write {
            try $0.execute(sql: "UPDATE person SET age = age + ?", arguments: [years])
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
        let places = Array(repeating: "?", count: WideRecord.columns.count + 1)
            .joined(separator: ", ")
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO wide VALUES(\(places))")
            for id in ids {
                try statement.execute(arguments: WideRecord(WideFacts(id)).arguments)
            }
        }
    }

    func sumWide() throws -> Int {
        var sum = 0
        try rows("SELECT i5 FROM wide") { sum += $0[0] as Int }
        return sum
    }

    func compact() throws { try GRDBSchema.compact(pool) }

    static func change(
        _ change: SchemaChange, directory: String
    ) throws -> (seconds: Double, value: String) {
        try GRDBSchema.change(change, directory: directory)
    }
}
