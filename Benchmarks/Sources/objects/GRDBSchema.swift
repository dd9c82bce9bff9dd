import Foundation
import GRDB
import Measurement

/// A pool on the system's SQLite: write-ahead log, 256 MB page cache, checkpoint each 64 MB,
/// foreign keys on; `synchronous` is `NORMAL`, or `FULL` where commits are to be durable.
enum GRDBSchema {
    static func open(directory: String, isDurable: Bool) throws -> DatabasePool {
        try DirectoryTree.create(directory)
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size=-262144")
            try database.execute(sql: "PRAGMA wal_autocheckpoint=16384")
        }
        let pool = try DatabasePool(
            path: directory + "/objects.sqlite", configuration: configuration)
        // GRDB sets NORMAL itself when the pool has been prepared, so FULL must come after that.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
            let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
            try require(level == (isDurable ? 2 : 1), "SQLite did not take the level of syncing.")
        }
        try pool.write { database in
            try createWide(database)
            try LinkedTables.create(database)
            try database.create(table: "person", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull().indexed()
                table.column("age", .integer).notNull()
                table.column("score", .double).notNull()
                table.column("created", .integer).notNull()
                table.column("active", .boolean).notNull()
                table.column("email", .text)
                table.column("friendId", .integer).indexed()
                    .references("person", onDelete: .setNull)
            }
        }
        return pool
    }

    static func createWide(_ database: Database) throws {
        try database.create(table: "wide", options: .ifNotExists) { table in
            table.primaryKey("id", .integer)
            for column in WideRecord.columns {
                let definition = table.column(column.name, column.type)
                if !column.isOptional { definition.notNull() }
            }
        }
    }

    /// `VACUUM`, and the log back into the file.
    static func compact(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM")
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Opens, changes the table, reads of person 0.
    static func change(
        _ change: SchemaChange, directory: String
    ) throws -> (seconds: Double, value: String) {
        let (statement, column) =
            switch change {
            case .adding:
                ("ALTER TABLE person ADD COLUMN nickname TEXT NOT NULL DEFAULT 'none'", "nickname")
            case .removing: ("ALTER TABLE person DROP COLUMN score", "age")
            case .renaming: ("ALTER TABLE person RENAME COLUMN age TO years", "years")
            }
        let watch = Stopwatch()
        let pool = try open(directory: directory, isDurable: false)
        try pool.write { try $0.execute(sql: statement) }
        let seconds = watch.seconds
        let value = try pool.read { database in
            try String.fetchOne(database, sql: "SELECT \(column) FROM person WHERE id = 0")
        }
        try pool.close()
        return (seconds, value ?? "nothing")
    }

    /// One fdatasync of the log file.
    static func sync(directory: String) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: directory + "/objects.sqlite-wal"))
        #if canImport(Glibc)
            let code = fdatasync(handle.fileDescriptor)
        #else
            let code = fcntl(handle.fileDescriptor, F_FULLFSYNC)
        #endif
        try require(code == 0, "SQLite's log cannot be synced.")
        try handle.close()
    }
}

/// A person as GRDB's record, decoded by hand.
struct GRDBPerson: FetchableRecord, PersistableRecord {
    static let databaseTableName = "person"

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let age = Column("age")
        static let score = Column("score")
    }

    var id: Int64
    var name: String
    var age: Int
    var score: Double
    var created: Int64
    var active: Bool
    var email: String?
    var friendId: Int64?

    init(_ facts: PersonFacts) {
        id = Int64(facts.id)
        name = facts.name
        age = facts.age
        score = facts.score
        created = Int64(facts.created)
        active = facts.isActive
        email = facts.email
        friendId = facts.friendId.map(Int64.init)
    }

    init(row: Row) throws {
        id = row[0]
        name = row[1]
        age = row[2]
        score = row[3]
        created = row[4]
        active = row[5]
        email = row[6]
        friendId = row[7]
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["name"] = name
        container["age"] = age
        container["score"] = score
        container["created"] = created
        container["active"] = active
        container["email"] = email
        container["friendId"] = friendId
    }
}
