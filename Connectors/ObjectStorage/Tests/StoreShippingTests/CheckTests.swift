import Foundation
import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

@Suite("Checking a backup")
struct CheckTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()
    private var checker: BackupChecker { BackupChecker(storage: storage) }

    /// A backup of some points, with sealed segments, lists and merged parts.
    private func withBackup(
        key: EncryptionKey? = nil, _ body: (ShippedStore) async throws -> Void
    ) async throws {
        let store = try ShippedStore(key: key)
        defer { store.remove() }
        var options = clock.options()
        options.encryptionKey = key
        let shipper = Shipper(of: store.path, to: storage, options: options)
        var random = SeededRandom(seed: 3)
        for round in 0..<8 {
            for _ in 0..<4 { try store.commit(&random) }
            if round == 4 { try store.store.checkpoint() }
            clock.advance(seconds: 1)
            try await shipper.round()
        }
        try await body(store)
    }

    @Test("A whole backup is sound at each depth, and everything is counted")
    func whole() async throws {
        try await withBackup { store in
            for depth in [CheckDepth.listed, .read] {
                let report = try await checker.check(depth)
                #expect(report.isSound, "\(report.findings)")
                #expect(report.pointCount == 8 && report.soundPointCount == 8)
                let (data, lists) = (storage.keys("data/"), storage.keys("lists/"))
                #expect(report.objectCount == data.count + lists.count)
                #expect(report.otherObjectCount == 0)
                let byteCount = storage.state.withLock { state in
                    data.reduce(0) { $0 + UInt64(state.objects[$1]?.bytes.count ?? 0) }
                }
                #expect(report.byteCount == byteCount)
                #expect(report.readByteCount == (depth == .read ? byteCount : 0))
            }
        }
    }

    @Test("Each missing, shortened or lengthened object is found by the listing, with its points")
    func everyObject() async throws {
        try await withBackup { store in
            for key in storage.keys("data/") + storage.keys("lists/") {
                for change in 0..<3 {
                    let saved = storage.state.withLock { $0.objects[key] }
                    switch change {
                    case 0: try await storage.delete([key])
                    case 1: storage.change(key) { $0.removeLast() }
                    default: storage.change(key) { $0.append(7) }
                    }
                    let report = try await checker.check()
                    #expect(report.findings.map(\.key) == [key])
                    let finding = try #require(report.findings.first)
                    let expected: CheckFinding.Kind =
                        change == 0 ? .missing : key.hasPrefix("lists/") ? .damaged : .wrongSize
                    #expect(finding.kind == expected)
                    // Exactly the points that it names can't be restored.
                    let points = try await Restorer(storage: storage).contents().points
                    for point in points where change == 0 {
                        let isNamed = (finding.firstPoint...finding.lastPoint)
                            .contains(point.number)
                        let isRestored = await isRestorable(point, store)
                        #expect(isRestored != isNamed, "\(key), point \(point.number)")
                    }
                    let broken = Int(finding.lastPoint - finding.firstPoint) + 1
                    #expect(report.soundPointCount == 8 - broken)
                    storage.state.withLock { $0.objects[key] = saved }
                }
            }
            #expect(try await checker.check().isSound)
        }
    }

    private func isRestorable(_ point: PointSummary, _ store: ShippedStore) async -> Bool {
        do {
            return try await store.restored(.number(point.number), from: storage).report.isVerified
        } catch {
            return false
        }
    }

    @Test("Changed bytes are found by reading, and not by the listing")
    func changedBytes() async throws {
        try await withBackup { store in
            let key = try #require(storage.keys("data/").last)
            storage.change(key) { $0[$0.count / 2] ^= 1 }
            #expect(try await checker.check().isSound)
            let report = try await checker.check(.read)
            #expect(report.findings.map(\.key) == [key])
            #expect(report.findings.first?.kind == .damaged)
        }
    }

    @Test("A damaged point is named, and the others are sound")
    func damagedPoint() async throws {
        try await withBackup { store in
            let key = try #require(storage.keys("points/").first)
            storage.change(key) { $0[0] = 0 }
            let report = try await checker.check()
            #expect(report.findings.map(\.key) == [key])
            #expect(report.pointCount == 8 && report.soundPointCount == 7)
        }
    }

    @Test("What pruned points have left is counted, and is no finding")
    func pruned() async throws {
        try await withBackup { store in
            try await storage.delete(Array(storage.keys("points/").dropLast(2)))
            let report = try await checker.check(.read)
            #expect(report.isSound, "\(report.findings)")
            #expect(report.pointCount == 3)
            #expect(report.otherObjectCount > 0)
        }
    }

    @Test("Restoring proves the newest point, and leaves nothing")
    func restoring() async throws {
        let key = try EncryptionKey(EncryptionKey.randomBytes())
        try await withBackup(key: key) { store in
            let target = store.directory + "/proof"
            var report = try await checker.check()
            try await checker.restoreNewest(into: target, encryptionKey: key, report: &report)
            #expect(report.isSound && report.isVerified == true)
            let newest = try await Restorer(storage: storage).contents().points.last
            #expect(report.restoredLSN == newest?.lsn)
            var blind = try await checker.check()
            try await checker.restoreNewest(into: target, report: &blind)
            #expect(blind.isSound && blind.isVerified == false)
            let part = try #require(storage.keys("data/").last { $0.contains("pages") })
            storage.change(part) { $0[$0.count / 2] ^= 1 }
            var damaged = try await checker.check()
            try await checker.restoreNewest(into: target, encryptionKey: key, report: &damaged)
            #expect(damaged.findings.map(\.key) == [part])
            let names = try FileManager.default.contentsOfDirectory(atPath: store.directory)
            #expect(names == ["store"])
        }
    }

    @Test("Where the proof can't be made, the error names the directory")
    func unwritableDirectory() async throws {
        try await withBackup { store in
            var places = [(store.directory + "/none", StoreError.Code.notFound)]
            // Nobody may make a directory there.
            if FileManager.default.fileExists(atPath: "/sys/kernel") {
                places.append(("/sys/kernel", .permissionDenied))
            }
            for (parent, code) in places {
                var report = try await checker.check()
                let error = await #expect(throws: StoreError.self) {
                    try await checker.restoreNewest(into: parent + "/proof", report: &report)
                }
                #expect(error?.code == code, "\(error as Any)")
                #expect(error?.file == parent + "/proof")
            }
        }
    }

    @Test("A place without a backup, or without a point, is an error")
    func nothing() async throws {
        await #expect(throws: ShippingError.noBackup) { try await checker.check() }
        let store = try ShippedStore()
        defer { store.remove() }
        try await Shipper(of: store.path, to: storage, options: clock.options()).acquire()
        await #expect(throws: ShippingError.self) { try await checker.check() }
    }
}
