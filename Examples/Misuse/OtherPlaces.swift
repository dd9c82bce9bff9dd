import Foundation
import Travertine

/// Mistakes with threads, queues and tasks, with what is handed over to them, and in migrations.
extension Mistake {
    static let inOtherPlaces = [
        Mistake("frozen-object-set", "is frozen") { realm, ship in
            let frozen = ship.freeze()
            try realm.write { frozen.name = "Ida" }
        },
        Mistake("frozen-list-changed", "is frozen") { realm, ship in
            let frozen = ship.freeze()
            try realm.write { frozen.crew.removeAll() }
        },
        Mistake("reference-resolved-twice", "can be resolved once") { realm, ship in
            let reference = ThreadSafeReference(to: ship)
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        },
        Mistake("token-of-another-realm", "A token of another realm") { realm, _ in
            let other = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "other", objectTypes: [Ship.self, Sailor.self]))
            let token = other.observe { _, _ in }
            try realm.write(withoutNotifying: [token]) {}
        },
        Mistake("unmanaged-observed", "Only managed objects can be observed") { _, _ in
            _ = Sailor().observe { _ in }
        },
        Mistake("unknown-key-path", "Can't observe 'crew.nam'") { _, ship in
            _ = ship.observe(keyPaths: ["crew.nam"]) { _ in }
        },
        Mistake("unknown-property-in-migration", "Did you mean 'name'") { _, _ in
            try migrate { migration in
                migration.enumerateObjects(ofType: "Sailor") { old, _ in _ = old?["nam"] }
            }
        },
        Mistake("old-object-changed", "old object of a migration is only read") { _, _ in
            try migrate { migration in
                migration.enumerateObjects(ofType: "Sailor") { old, _ in old?["age"] = 3 }
            }
        },
        Mistake("concurrent-queue", "can only be confined to serial queues") { realm, _ in
            let queue = DispatchQueue(label: "wide", attributes: .concurrent)
            _ = try Realm(configuration: realm.configuration, queue: queue)
        },
        Mistake("write-async-on-thread", "writeAsync needs a realm of a queue or an actor") {
            realm, _ in
            onThread(realm.configuration) { realm in realm.writeAsync {} }
        },
        Mistake("async-write-on-thread", "asyncWrite needs a realm of a queue or an actor") {
            realm, _ in
            let configuration = realm.configuration
            let isDone = DispatchSemaphore(value: 0)
            Task.detached {
                try await writeOnThread(configuration)
                isDone.signal()
            }
            isDone.wait()
        },
        Mistake("write-in-deinit", "in the `deinit` of the actor LateWriter") { realm, _ in
            let configuration = realm.configuration
            Task.detached { try await LateWriter().open(configuration) }
            // The process ends there.
            Thread.sleep(forTimeInterval: 60)
        },
        Mistake("loop-on-thread", "Changes can be waited for on an actor or queue") { realm, _ in
            onThread(realm.configuration) { realm in
                _ = realm.objects(Ship.self).changes.makeAsyncIterator()
            }
        },
    ]

    /// Uses a realm of another thread, on it.
    private static func onThread(
        _ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) -> Void
    ) {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if let realm = try? Realm(configuration: configuration) { body(realm) }
            isDone.signal()
        }
        isDone.wait()
    }

    /// A realm of the thread, for a function that may go on with another one.
    private static func openHere(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    private static func writeOnThread(_ configuration: Realm.Configuration) async throws {
        let realm = try openHere(configuration)
        try await realm.asyncWrite {}
    }

    /// Stores a sailor, and opens the realm again with a migration.
    private static func migrate(_ block: @escaping @Sendable (Migration) -> Void) throws {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: "migrated-\(UUID().uuidString)"),
            objectTypes: [Ship.self, Sailor.self])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Sailor(value: ["name": "Rex", "age": 30])) }
        }
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in block(migration) }
        _ = try Realm(configuration: configuration)
    }
}

/// Writes when nothing can be sent to it any more.
private actor LateWriter {
    private nonisolated(unsafe) var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm.open(configuration: configuration)
    }

    deinit { realm?.writeAsync {} }
}
