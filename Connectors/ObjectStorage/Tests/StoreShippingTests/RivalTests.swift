import Foundation
import ShippingFixtures
import Testing

@testable import StoreShipping

@Suite("Two shippers of one backup")
struct RivalTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    @Test("The second one is refused while the first one lives, and goes on when that is dead")
    func refused() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let first = Shipper(of: store.path, to: storage, options: clock.options(process: 1))
        try await first.round()
        clock.advance(seconds: 20)
        let second = Shipper(of: store.path, to: storage, options: clock.options(process: 2))
        let error = await #expect(throws: ShippingError.self) { try await second.round() }
        #expect(
            error == .held(by: "process 1 on here", secondsSinceManifest: 20, secondsLeft: 130))
        clock.advance(seconds: 130)
        try store.put("b", "2")
        #expect(try await second.round()?.point.number == 2)
        try store.put("c", "3")
        await #expect(throws: ShippingError.takenOver(by: "process 2 on here")) {
            try await first.round()
        }
        #expect(try await second.round()?.point.number == 3)
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
    }

    @Test("A dead process of the same machine is replaced at once")
    func deadProcess() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        try await Shipper(of: store.path, to: storage, options: clock.options(process: 1)).round()
        var options = clock.options(process: 2)
        options.isProcessAlive = { $0 != 1 }
        try store.put("b", "2")
        let second = Shipper(of: store.path, to: storage, options: options)
        #expect(try await second.round()?.point.number == 2)
    }

    @Test(
        "A process number says nothing on another machine of the same name",
        arguments: [("first start", true), ("another start", true), ("another start", false)])
    func sameName(boot: String, isSameMachine: Bool) async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        try await Shipper(of: store.path, to: storage, options: clock.options(process: 1)).round()
        for process in [Int32(1), 2] {
            var options = clock.options(process: process)
            options.isProcessAlive = { _ in false }
            options.boot = boot
            if !isSameMachine { options.machine = "machine 2" }
            let second = Shipper(of: store.path, to: storage, options: options)
            if isSameMachine {
                try await second.acquire()
            } else {
                await #expect(throws: ShippingError.self) { try await second.acquire() }
                clock.advance(seconds: 75)
            }
        }
        // The lease has ended.
        var options = clock.options(process: 3)
        (options.boot, options.machine) = (nil, nil)
        clock.advance(seconds: 150)
        try await Shipper(of: store.path, to: storage, options: options).acquire()
        // Without a start that is known nothing but the lease counts.
        let other = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
        await #expect(throws: ShippingError.self) { try await other.acquire() }
    }

    @Test("Where somebody deleted the manifest, nothing is put over the points that are left")
    func deletedManifest() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let first = Shipper(of: store.path, to: storage, options: clock.options())
        for number in 0..<3 {
            try store.put("a", "\(number)")
            try await first.round()
        }
        try await storage.delete(["manifest"])
        try store.put("b", "1")
        await #expect(throws: ShippingError.noBackup) { try await first.round() }
        let keys = storage.keys("points/")
        let second = Shipper(of: store.path, to: storage, options: clock.options())
        await #expect(throws: ShippingError.manifestDeleted) { try await second.round() }
        #expect(storage.keys("points/") == keys && storage.keys("manifest").isEmpty)
    }

    @Test(
        "A service that ignores conditions is refused", arguments: ["none", "match", "both"])
    func ignoredConditions(ignored: String) async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let service = UnconditionalStorage(
            storage, ignoresAbsence: ignored != "match", ignoresTag: ignored != "none")
        // Twice: where nothing is there, and where something is.
        for process in [Int32(1), 2] {
            var options = clock.options(process: process)
            options.isProcessAlive = { $0 == process }
            let shipper = Shipper(of: store.path, to: service, options: options)
            if ignored == "match", process == 1 {
                // No state was replaced yet: only the second one can find it.
                try await shipper.round()
                continue
            }
            let error = await #expect(throws: StorageFailure.self) { try await shipper.round() }
            guard case .refused(let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.contains("condition"), "\(reason)")
        }
    }

    @Test("One that has ended is replaced at once")
    func ended() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let first = Shipper(of: store.path, to: storage, options: clock.options(process: 1))
        try await first.round()
        try await first.end()
        let second = Shipper(of: store.path, to: storage, options: clock.options(process: 2))
        #expect(try await second.round() == nil)
        try await second.end()
    }

    @Test("Taken over on demand; the first one stops, and no point is lost")
    func takeOver() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let first = Shipper(of: store.path, to: storage, options: clock.options(process: 1))
        try await first.round()
        var options = clock.options(process: 2)
        options.takesOver = true
        let second = Shipper(of: store.path, to: storage, options: options)
        try store.put("b", "2")
        try await second.acquire()
        await #expect(throws: ShippingError.takenOver(by: "process 2 on here")) {
            try await first.round()
        }
        #expect(try await second.round()?.point.number == 2)
        for number in [UInt64(1), 2] {
            #expect(try await store.restored(.number(number), from: storage).report.isVerified)
        }
    }

    @Test(
        "Rivals that take over again and again leave a backup without a gap", arguments: [1, 2, 3])
    func struggle(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let store = try ShippedStore()
        defer { store.remove() }
        var shippers: [Shipper] = []
        for process in 1...3 {
            var options = clock.options(process: Int32(process))
            options.takesOver = true
            shippers.append(Shipper(of: store.path, to: storage, options: options))
        }
        var expected: [UInt64: ShippedStore.Model] = [:]
        for _ in 0..<40 {
            try store.commit(&random)
            clock.advance(seconds: 1)
            do {
                guard let round = try await random.pick(shippers).round() else { continue }
                #expect(expected.updateValue(store.model, forKey: round.point.number) == nil)
            } catch ShippingError.takenOver {
                continue
            }
        }
        #expect(expected.keys.sorted() == Array(1...UInt64(expected.count)))
        for (number, model) in expected {
            let (contents, _) = try await store.restored(.number(number), from: storage)
            #expect(contents == model)
        }
    }
}

/// A service that does not know the headers of conditional puts, or some of them.
private struct UnconditionalStorage: BackupStorage {
    let base: MemoryStorage
    let ignoresAbsence: Bool
    let ignoresTag: Bool

    init(_ base: MemoryStorage, ignoresAbsence: Bool, ignoresTag: Bool) {
        self.base = base
        self.ignoresAbsence = ignoresAbsence
        self.ignoresTag = ignoresTag
    }

    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        let isIgnored =
            switch condition {
            case .always: true
            case .ifAbsent: ignoresAbsence
            case .ifMatch: ignoresTag
            }
        return try await base.put(bytes, at: key, condition: isIgnored ? .always : condition)
    }

    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try await base.get(key, byteCountMax: byteCountMax)
    }

    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        try await base.list(prefix: prefix, body)
    }

    func delete(_ keys: [String]) async throws { try await base.delete(keys) }
}
