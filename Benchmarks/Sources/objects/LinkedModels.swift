import GRDB
import Travertine

/// A task that needs others, as an app of Travertine declares it.
final class LinkedTask: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String
    @Persisted var size: Int
    @Persisted var earlier: LinkedTask?
    @Persisted var needs: List<LinkedTask>
    @Persisted(originProperty: "needs") var neededBy: LinkingObjects<LinkedTask>
}

extension TravertineObjectEngine {
    func growOlder(by years: Int) throws {
        try realm.write {
            for person in realm.objects(Person.self) { person.age += years }
        }
    }

    func insertLinked(_ count: Int) throws {
        try realm.write {
            for id in 0..<count {
                let facts = LinkedFacts(id: id)
                let task = LinkedTask()
                task.id = id
                task.title = facts.title
                task.size = facts.size
                task.earlier = facts.earlierId.flatMap { find($0) }
                realm.add(task)
            }
            for id in 0..<count {
                guard let needs = find(id)?.needs else { continue }
                for position in 0..<LinkedFacts.linkCount {
                    guard let other = find(LinkedFacts(id: id).neededId(position, of: count))
                    else { continue }
                    needs.append(other)
                }
            }
        }
    }

    private func find(_ id: Int) -> LinkedTask? {
        realm.object(ofType: LinkedTask.self, forPrimaryKey: id)
    }

    func countLinked() throws -> (tasks: Int, links: Int) {
        let tasks = realm.objects(LinkedTask.self)
        return (tasks.count, tasks.reduce(0) { $0 + $1.needs.count })
    }

    func deleteAllLinked() throws {
        try realm.write { realm.delete(realm.objects(LinkedTask.self)) }
    }

    func deleteLinked(_ ids: Range<Int>) throws {
        try realm.write {
            for id in ids {
                if let task = find(id) { realm.delete(task) }
            }
        }
    }
}

/// The same in tables, alike for both variants of GRDB.
enum LinkedTables {
    static func create(_ database: Database) throws {
        try database.create(table: "task", options: .ifNotExists) { table in
            table.primaryKey("id", .integer)
            table.column("title", .text).notNull().indexed()
            table.column("size", .integer).notNull()
            table.column("earlierId", .integer).indexed().references("task", onDelete: .setNull)
        }
        try database.create(table: "need", options: [.ifNotExists, .withoutRowID]) { table in
            table.column("taskId", .integer).notNull().references("task", onDelete: .cascade)
            table.column("position", .integer).notNull()
            table.column("neededId", .integer).notNull().indexed()
                .references("task", onDelete: .cascade)
            table.primaryKey(["taskId", "position"])
        }
    }

    static func insert(_ count: Int, _ database: Database) throws {
        let task = try database.cachedStatement(sql: "INSERT INTO task VALUES(?, ?, ?, ?)")
        for id in 0..<count {
            let facts = LinkedFacts(id: id)
            try task.execute(arguments: [id, facts.title, facts.size, facts.earlierId])
        }
        let need = try database.cachedStatement(sql: "INSERT INTO need VALUES(?, ?, ?)")
        for id in 0..<count {
            for position in 0..<LinkedFacts.linkCount {
                try need.execute(
                    arguments: [id, position, LinkedFacts(id: id).neededId(position, of: count)])
            }
        }
    }

    static func count(_ database: Database) throws -> (tasks: Int, links: Int) {
        (
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM task") ?? 0,
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM need") ?? 0
        )
    }

    static func deleteAll(_ database: Database) throws {
        // SQLite empties a table that nothing refers to at once.
        try database.execute(sql: "DELETE FROM need; DELETE FROM task")
    }

    static func delete(_ ids: Range<Int>, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM task WHERE id = ?")
        for id in ids { try statement.execute(arguments: [id]) }
    }
}
