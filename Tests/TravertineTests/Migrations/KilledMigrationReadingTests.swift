import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Travertine

#if canImport(Glibc)
    import Glibc
#endif

/// Documentation/Live.md 3, T7 and T7c: readers beside a process that migrates and is killed.
@Suite("Reading beside migrations that are killed")
struct KilledMigrationReadingTests {
    private static let count = 400
    /// How many processes are killed; the longer form takes some hundreds.
    private static var roundCount: Int {
        ProcessInfo.processInfo.environment["TRAVERTINE_KILLED_MIGRATIONS"].flatMap { Int($0) } ?? 5
    }

    /// The types of even versions of the schema, or of odd ones.
    private static func types(_ version: Int) -> [ObjectBase.Type] {
        version % 2 == 0 ? [EvenWagon.self] : [OddWagon.self]
    }

    private static func configuration(
        _ path: String, version: Int, types: [ObjectBase.Type]? = nil, readOnly: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path, isDirectory: true), readOnly: readOnly,
            schemaVersion: UInt64(version), objectTypes: types ?? Self.types(version),
            durability: .commit)
        if readOnly { return configuration }
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Wagon") { old, new in
                guard let old, let new, let id = old["id"] as? Int else { return }
                new["version"] = version
                if version % 2 == 0 { new["mark"] = version } else { new["label"] = "\(version)" }
                if id % 5 == 0 { migration.delete(new) }
            }
            for id in stride(from: 0, to: Self.count, by: 5) {
                var value: [String: Any] = ["id": id, "version": version]
                if version % 2 == 0 {
                    value["mark"] = version
                } else {
                    value["label"] = "\(version)"
                }
                migration.create("Wagon", value: value)
            }
        }
        return configuration
    }

    /// What is wrong with what a realm shows; nil if it is one version as a whole.
    private static func problem(_ realm: Realm) -> String? {
        let wagons = realm.dynamicObjects("Wagon")
        var versions: Set<Int> = []
        var ids: Set<Int> = []
        for wagon in wagons {
            guard let id = wagon["id"] as? Int, let version = wagon["version"] as? Int else {
                return "an object without values"
            }
            ids.insert(id)
            versions.insert(version)
            let names = wagon.objectSchema.properties.map(\.name)
            let own = version % 2 == 0 ? "mark" : "label"
            if !names.contains(own) { return "version \(version) has \(names)" }
            let value = wagon[own]
            if value as? Int != version, value as? String != "\(version)" {
                return "\(value as Any) in version \(version)"
            }
        }
        if ids != Set(0..<count) { return "\(ids.count) objects" }
        return versions.count == 1 ? nil : "versions \(versions)"
    }

    /// A realm that is read on a queue until it is stopped.
    private final class Follower: @unchecked Sendable {
        private let queue = DispatchQueue(label: "following")
        private let hasEnded = Atomic<Bool>(false)
        private var problems: [String] = []
        private let group = DispatchGroup()
        private let beginning = DispatchSemaphore(value: 0)

        /// What reads: opens its realm, asks whether it is over, and notes what is wrong.
        typealias Body = @Sendable (() -> Bool, (String) -> Void) throws -> Void

        /// Returns when the realm is open, or could not be opened.
        init(_ body: @escaping Body) {
            queue.async(group: group) { [self] in
                do {
                    try body(isOver) { problems.append($0) }
                } catch {
                    problems.append("\(error)")
                }
                beginning.signal()
            }
            beginning.wait()
        }

        private func isOver() -> Bool {
            beginning.signal()
            return hasEnded.load(ordering: .acquiring)
        }

        /// Stops it; returns what was found.
        func end() -> [String] {
            hasEnded.store(true, ordering: .releasing)
            group.wait()
            return problems
        }
    }

    /// Reads dynamic objects, of whatever version is shown, and keeps some versions frozen.
    private static func followDynamic(_ path: String) -> Follower {
        Follower { isOver, note in
            let realm = try Realm(
                configuration: configuration(path, version: 0, types: [], readOnly: true))
            var frozen: [Realm] = []
            while !isOver() {
                if realm.refresh() {
                    if frozen.count == 3 { frozen.removeFirst() }
                    frozen.append(realm.freeze())
                }
                for shown in [realm] + frozen {
                    if let problem = problem(shown) { note(problem) }
                }
                try realm.session.throwDamage()
            }
        }
    }

    /// Reads objects of the class of even versions. The only error is that it does not fit others.
    private static func followTyped(_ path: String) -> Follower {
        Follower { isOver, note in
            let realm = try Realm(configuration: configuration(path, version: 0, readOnly: true))
            let wagons = realm.objects(EvenWagon.self)
            while !isOver() {
                realm.refresh()
                let versions = Set(wagons.map(\.version))
                let marks = Set(wagons.map(\.mark))
                if versions.count != 1 || versions != marks || wagons.count != count {
                    note("\(wagons.count) objects of versions \(versions), marks \(marks)")
                }
                if versions.first.map({ $0 % 2 != 0 }) ?? false { note("an odd version") }
                do {
                    try realm.session.throwDamage()
                } catch let error as Realm.Error where error.code == .schemaMismatch {}
            }
        }
    }

    @Test(
        "they show the version before or after, as a whole, and no error but the documented ones",
        arguments: [false, true])
    func killed(isTyped: Bool) async throws {
        let directory = TemporaryDirectory()
        let path = directory.url.path
        var random = SeededRandom(seed: UInt64(Self.roundCount))
        try Self.fill(path)
        // Not both: a realm has the classes of all realms of its store in the process.
        let follower = isTyped ? Self.followTyped(path) : Self.followDynamic(path)
        for round in 0..<Self.roundCount {
            let stored = Int(try schemaVersionAtURL(URL(fileURLWithPath: path, isDirectory: true)))
            let delay = random.below(500_000)
            await #expect(processExitsWith: .signal(SIGKILL), "round \(round)") {
                [path = path as String, stored = stored as Int, delay = delay as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(delay))
                    kill(getpid(), SIGKILL)
                }
                var version = stored
                do {
                    while true {
                        version += 1
                        _ = try Realm(configuration: Self.configuration(path, version: version))
                    }
                } catch {
                    print("version \(version): \(error)")
                    exit(3)
                }
            }
        }
        #expect(follower.end().prefix(3) == [])
        #expect(try Self.problemAtEnd(path) == nil)
    }

    /// Not in an asynchronous function, where a realm would be that of an actor.
    private static func problemAtEnd(_ path: String) throws -> String? {
        problem(
            try Realm(configuration: configuration(path, version: 0, types: [], readOnly: true)))
    }

    private static func fill(_ path: String) throws {
        let realm = try Realm(configuration: configuration(path, version: 0))
        try realm.write {
            for id in 0..<count { _ = realm.create(EvenWagon.self, value: ["id": id]) }
        }
    }
}

class EvenWagon: MigratedModel {
    override class func objectTypeName() -> String { "Wagon" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var version: Int
    @Persisted var mark: Int
}

class OddWagon: MigratedModel {
    override class func objectTypeName() -> String { "Wagon" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var version: Int
    @Persisted var label: String
}
