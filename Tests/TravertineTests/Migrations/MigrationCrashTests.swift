import Foundation
import TestSupport
import Testing

@testable import Travertine

#if canImport(Glibc)
    import Glibc
#endif

/// Processes that are killed while they migrate, and writes that fail: the realm has the old
/// version or the new one, never something between.
@Suite("Interrupted migrations")
struct MigrationCrashTests {
    private static let count = 1500

    private static func url(_ path: String) -> URL {
        URL(fileURLWithPath: path, isDirectory: true)
    }

    private static func configuration(_ path: String, _ block: MigrationBlock? = nil)
        -> Realm.Configuration
    {
        Realm.Configuration(
            fileURL: url(path), schemaVersion: block == nil ? 0 : 1, migrationBlock: block,
            objectTypes: block == nil ? [CrateV0.self] : [CrateV1.self], durability: .commit)
    }

    private static func fill(_ path: String) throws {
        let realm = try Realm(configuration: configuration(path))
        try realm.write {
            var last: CrateV0?
            for id in 0..<count {
                let crate = realm.create(
                    CrateV0.self, value: ["id": id, "text": String(repeating: "x", count: 900)])
                crate.next = last
                last = crate
            }
        }
    }

    /// - Parameter willTake: called before each object is changed.
    private static func block(
        _ willTake: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> MigrationBlock {
        { migration, _ in
            migration.enumerateObjects(ofType: "Crate") { old, new in
                guard let old, let new, let id = old["id"] as? Int else { return }
                willTake(id)
                new["id"] = "c\(id)"
                new["label"] = old["text"]
                if id % 7 == 3 { migration.delete(new) }
            }
            migration.create("Crate", value: ["id": "last"])
        }
    }

    /// Whether the realm has the new version; every object is compared.
    private func check(_ path: String, _ comment: Comment) throws -> Bool {
        let isNew = try Self.isMigrated(path)
        // Opening has made durable what a killed process had written.
        #expect(try schemaVersionAtURL(Self.url(path)) == (isNew ? 1 : 0), comment)
        if isNew {
            let realm = try Realm(configuration: Self.configuration(path, Self.block()))
            let crates = realm.objects(CrateV1.self)
            #expect(crates.count == (0..<Self.count).filter { $0 % 7 != 3 }.count + 1, comment)
            #expect(crates.dropLast().allSatisfy { $0.label.count == 900 }, comment)
            let next = realm.object(ofType: CrateV1.self, forPrimaryKey: "c6")?.next
            #expect(next?.id == "c5" && crates.last?.id == "last", comment)
        } else {
            let realm = try Realm(configuration: Self.configuration(path))
            let crates = realm.objects(CrateV0.self)
            #expect(crates.map(\.id) == Array(0..<Self.count), comment)
            #expect(crates.dropFirst().allSatisfy { $0.next?.id == $0.id - 1 }, comment)
        }
        #expect(try ObjectVerifier.verify(path: path).findings.isEmpty, comment)
        return isNew
    }

    /// Whether a realm of the old version is refused. Reading alone would not show it: a reader
    /// shows what is durable, and opening recovers also what a killed process wrote and did not
    /// sync.
    private static func isMigrated(_ path: String) throws -> Bool {
        do {
            _ = try Realm(configuration: configuration(path))
            return false
        } catch let error as Realm.Error where error.code == .schemaMismatch {
            return true
        }
    }

    private func finish(_ path: String) throws {
        _ = try Realm(configuration: Self.configuration(path, Self.block()))
        #expect(try check(path, "migrated again"))
    }

    @Test(
        "a process that is killed in the block leaves the old version", arguments: [0, 700, 1499])
    func killedInBlock(_ point: Int) async throws {
        let directory = TemporaryDirectory()
        let path = directory.url.path
        try Self.fill(path)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = point as Int] in
            let block = Self.block { if $0 == point { kill(getpid(), SIGKILL) } }
            _ = try Realm(configuration: Self.configuration(path, block))
        }
        #expect(try check(path, "killed at \(point)") == false)
        try finish(path)
    }

    @Test(
        "a process that is killed at any time leaves the old or the new version",
        arguments: UInt64(0)..<6)
    func killedAnyTime(_ seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = directory.url.path
        try Self.fill(path)
        var random = SeededRandom(seed: seed)
        let delay = random.below(400_000)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, delay = delay as Int] in
            Thread.detachNewThread {
                usleep(UInt32(delay))
                kill(getpid(), SIGKILL)
            }
            let realm = try Realm(configuration: Self.configuration(path, Self.block()))
            withExtendedLifetime(realm) { while true { usleep(1000) } }
        }
        _ = try check(path, "seed \(seed), killed after \(delay) µs")
        try finish(path)
    }

    @Test(
        "writes that fail leave the old version, and the error is thrown",
        arguments: [4, 64, 400, 1200])
    func failedWrites(_ kibibytes: Int) async throws {
        let directory = TemporaryDirectory()
        let path = directory.url.path
        try Self.fill(path)
        let outcome = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            [path = path as String, kibibytes = kibibytes as Int] in
            signal(SIGXFSZ, SIG_IGN)
            let block = Self.block { id in
                guard id == 10 else { return }
                var limit = rlimit(rlim_cur: rlim_t(kibibytes << 10), rlim_max: .max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            do {
                _ = try Realm(configuration: Self.configuration(path, block))
                print("migrated")
            } catch {
                print("\(error)")
            }
        }
        let text = outcome.outputText
        let comment: Comment = "no file beyond \(kibibytes) KiB: \(text)"
        let isNew = try check(path, comment)
        #expect(!text.isEmpty && isNew == (text == "migrated\n"), comment)
        // What is written does not reach the greatest limit.
        #expect(isNew == (kibibytes == 1200), comment)
        try finish(path)
    }
}

class CrateModel: MigratedModel {
    override class func objectTypeName() -> String { "Crate" }
}

class CrateV0: CrateModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var next: CrateV0?
}

class CrateV1: CrateModel {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var label: String
    @Persisted var next: CrateV1?
}
