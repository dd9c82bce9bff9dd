import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("What migrations refuse")
struct MigrationMisuseTests {
    private let realm = MigratedRealm()

    /// The text of the stop of a process that migrates.
    private static func migrate(_ block: @escaping MigrationBlock) throws {
        let realm = MigratedRealm()
        try realm.open(Before.types, version: 0) { try Before.fill($0) }
        _ = try Realm(configuration: realm.configuration(After.types, version: 1, block))
    }

    private func fill() throws {
        try realm.open(Before.types, version: 0) { try Before.fill($0) }
    }

    @Test("an old object is only read")
    func oldObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Self.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, _ in old?["age"] = 3 }
            }
        }
        #expect(result.errorText.contains("old object of a migration is only read"))
    }

    @Test("deleting an old object stops")
    func deletedOldObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Self.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, _ in
                    if let old { migration.delete(old) }
                }
            }
        }
        #expect(result.errorText.contains("delete the new one"))
    }

    @Test("an object that is used after the block stops with a message")
    func keptObject() async {
        for isOld in [true, false] {
            let result = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { [isOld = isOld as Bool] in
                nonisolated(unsafe) var kept: DynamicObject?
                let realm = MigratedRealm()
                try realm.open(Before.types, version: 0) { try Before.fill($0) }
                let configuration = realm.configuration(After.types, version: 1) {
                    migration, version in
                    try After.block(migration, version)
                    migration.enumerateObjects(ofType: "Dog") { old, new in
                        kept = isOld ? old : new
                    }
                }
                _ = try Realm(configuration: configuration)
                print(kept?["name"] ?? "")
            }
            #expect(result.errorText.contains("valid inside the block only"))
        }
    }

    @Test("a migration that is used after its block stops with a message")
    func keptMigration() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            nonisolated(unsafe) var kept: Migration?
            let realm = MigratedRealm()
            try realm.open(Before.types, version: 0) { try Before.fill($0) }
            let configuration = realm.configuration(After.types, version: 1) {
                migration, version in
                try After.block(migration, version)
                kept = migration
            }
            _ = try Realm(configuration: configuration)
            kept?.create("Dog")
        }
        #expect(result.errorText.contains("valid inside the block only"))
    }

    @Test("another thread can't use a migration")
    func otherThread() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Self.migrate { migration, _ in
                nonisolated(unsafe) let migration = migration
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    migration.enumerateObjects(ofType: "Dog") { _, _ in }
                    done.signal()
                }
                done.wait()
            }
        }
        #expect(result.errorText.contains("belong to the thread that runs the block"))
    }

    @Test(
        "unknown properties stop with the names that there are",
        arguments: [("new", "nam"), ("new", "firstName"), ("old", "name"), ("old", "firstNam")])
    func unknownProperty(_ side: String, _ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [side = side as String, name = name as String] in
            try Self.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, new in
                    if side == "new" { new?[name] = "x" } else { print(old?[name] ?? "") }
                }
            }
        }
        let texts = [
            "nam": "Did you mean 'name'", "firstName": "read it from the old object",
            "name": "it is new", "firstNam": "Did you mean 'firstName'",
        ]
        #expect(result.errorText.contains(texts[name] ?? "?"), "\(result.errorText)")
    }

    @Test("the transaction can't be ended in the block")
    func endedTransaction() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Self.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Dog") { _, new in
                    try? new?.realm?.commitWrite()
                }
            }
        }
        #expect(result.errorText.contains("committed when its block returns"))
    }

    @Test("opening the realm in the block is refused, and not waited for")
    func openedInside() throws {
        try fill()
        let configuration = realm.configuration(After.types, version: 1)
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: realm.configuration(After.types, version: 1) { _, _ in
                    _ = try Realm(configuration: configuration)
                })
        }
        #expect(error?.message.contains("can't be opened in the `migrationBlock`") == true)
        try realm.open(After.types, version: 1, After.block)
    }

    @Test(
        "values of another type, and unknown classes, fail the opening and change nothing",
        arguments: [
            ("age", "Invalid value"), ("class", "Did you mean 'Person'"),
            ("create", "Did you mean 'Dog'"), ("value", "has no property 'nme'"),
            ("rename", "Cannot rename property 'Person.tgs' because it does not exist. Did you"),
            ("embedded", "is embedded"),
        ])
    func failures(_ kind: String, _ text: String) throws {
        try fill()
        nonisolated(unsafe) var callCount = 0
        let error = try realm.failure(After.types, version: 1) { migration, version in
            switch kind {
            case "age":
                migration.enumerateObjects(ofType: "Person") { _, new in
                    callCount += 1
                    new?["age"] = 3
                }
            case "class": migration.enumerateObjects(ofType: "Persn") { _, _ in }
            case "create": migration.create("Dogg")["name"] = "x"
            case "value": migration.create("Dog", value: ["nme": "x"])
            case "embedded": migration.create("Home", value: ["street": "x"])
            default: migration.renameProperty(onType: "Person", from: "tgs", to: "labels")
            }
            try After.block(migration, version)
        }
        #expect(error.message.contains(text), "\(error.message)")
        #expect(callCount <= 1)
        try realm.open(Before.types, version: 0) { realm in
            #expect(realm.objects(Before.Person.self).map(\.age) == [0, 10, 20, 30, 40])
        }
    }

    @Test("a class that neither schema has is nothing to enumerate")
    func neverStored() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            migration.enumerateObjects(ofType: "Zeppelin") { _, _ in #expect(Bool(false)) }
            try After.block(migration, version)
        }
    }
}
