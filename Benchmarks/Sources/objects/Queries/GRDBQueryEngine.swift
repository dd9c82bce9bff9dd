import GRDB
import Measurement

/// GRDB with cached statements that read only the columns needed, and the indexes that they can
/// use.
final class GRDBQueryEngine: QueryEngine {
    let pool: DatabasePool
    private var count = 0

    init(directory: String) throws {
        pool = try GRDBSchema.open(directory: directory, isDurable: false)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS resident(
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
                        points INTEGER NOT NULL, year INTEGER NOT NULL, score REAL NOT NULL, rank REAL NOT NULL,
                        friendId INTEGER);
                    CREATE INDEX IF NOT EXISTS resident_name ON resident(name);
                    CREATE INDEX IF NOT EXISTS resident_year ON resident(year);
                    CREATE INDEX IF NOT EXISTS resident_rank ON resident(rank);
                    CREATE INDEX IF NOT EXISTS resident_friend ON resident(friendId);
                    CREATE TABLE IF NOT EXISTS friendship(
                        residentId INTEGER NOT NULL, position INTEGER NOT NULL,
                        friendId INTEGER NOT NULL, PRIMARY KEY(residentId, position)
                    ) WITHOUT ROWID;
                    CREATE INDEX IF NOT EXISTS friendship_friend ON friendship(friendId);
                    """)
            count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM resident") ?? 0
        }
    }

    func close() throws {
        try pool.close()
    }

    func insert(_ ids: Range<Int>) throws {
        try pool.write { database in
            let resident = try database.cachedStatement(
                sql: "INSERT INTO resident VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
            let friendship = try database.cachedStatement(
                sql: "INSERT INTO friendship VALUES(?, ?, ?)")
            for id in ids {
                let facts = ResidentFacts(id)
                try resident.execute(arguments: [
                    id, ResidentFacts.name(facts.nameIndex), facts.age, facts.points, facts.year,
                    facts.score, facts.rank, facts.friendId,
                ])
                for (position, friend) in facts.friendIds.enumerated() {
                    try friendship.execute(arguments: [id, position, friend])
                }
            }
        }
        count += ids.count
    }

    /// Collects what its planner asks about the tables.
    func finishLoading() throws { try pool.write { try $0.execute(sql: "ANALYZE") } }

    func setAge(_ id: Int, to age: Int) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE resident SET age = ?1, points = ?1 WHERE id = ?2")
            try statement.execute(arguments: [age, id])
        }
    }

    func run(_ query: QueryWorkload, _ variant: Int) throws -> Int {
        let age = QueryConstants.age(variant)
        let name = QueryConstants.name(variant)
        let years = QueryConstants.years(variant)
        let ages = "SELECT age FROM resident WHERE "
        switch query {
        case .count: return try number("SELECT COUNT(*) FROM resident WHERE age > ?", [age])
        case .sum: return try number("SELECT SUM(points) FROM resident")
        case .min: return try number("SELECT MIN(points) FROM resident")
        case .max: return try number("SELECT MAX(points) FROM resident")
        case .averageScore:
            var result = 0.0
            try rows("SELECT AVG(score) FROM resident") { result = $0[0] }
            return Int(result * 1e9)
        case .findSome:
            var position = 0
            var sum = 0
            try rows("SELECT id, age FROM resident WHERE age > ?", [age]) {
                if position % 1000 == 0 { sum += $0[1] as Int }
                position += 1
            }
            return sum + position
        case .findAges: return try total(ages + "age > ?", [age])
        case .contains:
            return try number(
                "SELECT COUNT(*) FROM resident WHERE name GLOB ?", ["*\(ResidentFacts.namePart)*"])
        case .containsFolded:
            return try number(
                "SELECT COUNT(*) FROM resident WHERE name LIKE ?", ["%\(ResidentFacts.namePart)%"])
        case .name: return try total(ages + "name = ?", [name])
        case .yearRange:
            return try total(ages + "year >= ? AND year < ?", [years.lowerBound, years.upperBound])
        case .namePrefix: return try total(ages + "name GLOB ?", [ResidentFacts.namePrefix + "*"])
        case .keys:
            let keys = QueryConstants.keys(variant, of: count)
            let places = Array(repeating: "?", count: keys.count).joined(separator: ",")
            return try total(ages + "id IN (\(places))", StatementArguments(keys))
        case .both:
            let many = QueryConstants.manyYears
            return try total(
                ages + "name = ? AND year >= ? AND year < ?",
                [name, many.lowerBound, many.upperBound])
        case .either: return try total(ages + "name = ? OR year = ?", [name, years.lowerBound])
        case .lowestScores:
            return try total("SELECT id FROM resident ORDER BY score, id LIMIT 100")
        case .lowestRanks: return try total("SELECT id FROM resident ORDER BY rank, id LIMIT 100")
        case .sortedNames:
            let order = variant.isMultiple(of: 2) ? "ASC" : "DESC"
            var position = 0
            var sum = 0
            // The plus sign keeps it from walking the index, as a property without one would.
            try rows("SELECT id FROM resident ORDER BY +name \(order), id") {
                if position % 1000 == 0 { sum += $0[0] as Int }
                position += 1
            }
            return sum
        case .friendName:
            return try total(
                "SELECT r.age FROM resident f JOIN resident r ON r.friendId = f.id WHERE f.name = ?",
                [name])
        case .anyFriend:
            return try number(
                "SELECT COUNT(*) FROM resident r WHERE EXISTS(SELECT 1 FROM friendship s JOIN "
                    + "resident f ON f.id = s.friendId WHERE s.residentId = r.id AND f.age > 98)")
        case .followers:
            return try number(
                "SELECT COUNT(*) FROM (SELECT 1 FROM resident WHERE friendId IS NOT NULL "
                    + "GROUP BY friendId HAVING COUNT(*) > 3)")
        case .position:
            return try number(
                "SELECT age FROM resident ORDER BY id LIMIT 1 OFFSET ?", [count / 2])
        case .first: return try number("SELECT age FROM resident ORDER BY id LIMIT 1")
        case .isEmpty: return try number("SELECT NOT EXISTS(SELECT 1 FROM resident)")
        case .groups:
            var result = 0
            try rows("SELECT age, COUNT(*), AVG(score) FROM resident GROUP BY age") {
                result += ($0[0] as Int) * ($0[1] as Int) + Int(($0[2] as Double) * 1e6)
            }
            return result
        }
    }

    private func rows(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (Row) -> Void
    ) throws {
        try pool.unsafeRead { database in
            let statement = try database.cachedStatement(sql: sql)
            let cursor = try Row.fetchCursor(statement, arguments: arguments)
            while let row = try cursor.next() { body(row) }
        }
    }

    private func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        var result = 0
        try rows(sql, arguments) { result = $0[0] }
        return result
    }

    /// The sum of the first column.
    private func total(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        var sum = 0
        try rows(sql, arguments) { sum += $0[0] as Int }
        return sum
    }
}
