import GRDB
import Measurement

/// FTS5 of SQLite by cached statements: the texts are in a table, which the index refers to.
final class GRDBTextEngine: TextEngine {
    private let pool: DatabasePool
    private let isIndexed: Bool

    init(directory: String, isIndexed: Bool) throws {
        self.isIndexed = isIndexed
        pool = try GRDBSchema.open(directory: directory, isDurable: false)
        try pool.write { database in
            try database.execute(
                sql: "CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            if isIndexed {
                try database.execute(
                    sql: """
                        CREATE VIRTUAL TABLE words USING fts5(
                            text, content='texts', content_rowid='id',
                            tokenize="unicode61 remove_diacritics 2")
                        """)
            }
        }
    }

    func close() throws { try pool.close() }

    func insert(_ texts: [String], from first: Int) throws {
        try pool.write { database in
            let row = try database.cachedStatement(sql: "INSERT INTO texts VALUES(?, ?)")
            for (position, text) in texts.enumerated() {
                let id = first + position
                try row.execute(arguments: [id, text])
                if !isIndexed { continue }
                let entry = try database.cachedStatement(
                    sql: "INSERT INTO words(rowid, text) VALUES(?, ?)")
                try entry.execute(arguments: [id, text])
            }
        }
    }

    func compact() throws {
        if isIndexed {
            try pool.write { try $0.execute(sql: "INSERT INTO words(words) VALUES('optimize')") }
        }
        try GRDBSchema.compact(pool)
    }

    func byteCount() throws -> Int {
        try pool.read { database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            return count * size
        }
    }

    func run(_ query: TextWorkload, _ words: TextFacts.Words) throws -> Int {
        let (first, second) = words.texts
        switch query {
        case .twoWords: return try count("\(first) \(second)")
        case .prefix: return try count(TextFacts.beginning(words) + "*")
        case .phrase: return try count("\"\(first) \(second)\"")
        case .near: return try count("NEAR(\(first) \(second), 8)")
        case .ranked: return try best("\(first) \(second)")
        case .rankedRare: return try best("\(first) OR \(second)")
        }
    }

    private func count(_ text: String) throws -> Int {
        try rows("SELECT COUNT(*) FROM words WHERE words MATCH ?", text) { $0[0] }
    }

    private func best(_ text: String) throws -> Int {
        try rows("SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", text) {
            ($0[0] as Int) >= 0 ? 1 : 0
        }
    }

    /// The sum of a number of each row.
    private func rows(_ sql: String, _ text: String, _ number: (Row) -> Int) throws -> Int {
        try pool.unsafeRead { database in
            let statement = try database.cachedStatement(sql: sql)
            let cursor = try Row.fetchCursor(statement, arguments: [text])
            var sum = 0
            while let row = try cursor.next() { sum += number(row) }
            return sum
        }
    }
}
