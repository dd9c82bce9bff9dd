import Foundation
import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

/// Stores as of commits that no point ends with (U12).
@Suite("Commits between points")
struct CommitTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    /// A store that was shipped after every few commits, with what it held after each of them.
    ///
    /// - Parameter body: called with the LSNs and contents of all commits.
    private func withCommits(
        key: EncryptionKey? = nil, compacting: Bool = false, durability: Durability = .commit,
        _ body: (ShippedStore, [(lsn: UInt64, model: ShippedStore.Model)]) async throws -> Void
    ) async throws {
        let store = try ShippedStore(key: key)
        defer { store.remove() }
        // No commit of the background between those of the test.
        store.store.pauseCompaction()
        var options = clock.options()
        options.encryptionKey = key
        let shipper = Shipper(of: store.path, to: storage, options: options)
        var random = SeededRandom(seed: announcedSeed())
        var made: [(lsn: UInt64, model: ShippedStore.Model)] = []
        for round in 0..<6 {
            // All that it removes is in the point before.
            if compacting, round > 1 { try store.store.compact() }
            for _ in 0..<8 {
                try store.commit(&random, durability: durability)
                made.append((try store.store.snapshot().lsn, store.model))
            }
            if round % 3 == 1 { try store.store.checkpoint() }
            try store.store.sync()
            clock.advance(seconds: 1)
            try await shipper.round()
        }
        try await body(store, made)
    }

    @Test(
        "Each commit is restored exactly, at every level of durability",
        arguments: [Durability.commit, .unsynced])
    func everyCommit(durability: Durability) async throws {
        try await withCommits(durability: durability) { store, made in
            let points = try await Restorer(storage: storage).contents().points
            let first = try #require(points.first)
            for (lsn, model) in made where lsn >= first.lsn {
                let (contents, report) = try await store.restored(
                    .lsn(lsn, history: nil), from: storage)
                #expect(contents == model)
                #expect(report.lsn == lsn && report.requestedLSN == lsn)
                #expect(report.isVerified)
                #expect(report.point == points.last { $0.lsn <= lsn })
            }
            #expect(made.count { commit in !points.contains { $0.lsn == commit.lsn } } > 30)
        }
    }

    @Test("Commits are restored that compaction, and checkpoints, have passed since")
    func compaction() async throws {
        try await withCommits(compacting: true) { store, made in
            let first = try #require(try await Restorer(storage: storage).contents().points.first)
            for (lsn, model) in made where lsn >= first.lsn {
                let (contents, report) = try await store.restored(
                    .lsn(lsn, history: nil), from: storage)
                #expect(contents == model)
                #expect(report.lsn == lsn)
            }
            // And in the middle of what compaction copied, which changes nothing.
            let last = made[made.count - 9]
            #expect(made[made.count - 8].lsn > last.lsn + 1)
            let (contents, report) = try await store.restored(
                .lsn(last.lsn + 1, history: nil), from: storage)
            #expect(contents == last.model)
            #expect(report.lsn <= last.lsn + 1)
        }
    }

    @Test("Of an encrypted store with its key; without it a commit between points is refused")
    func encrypted() async throws {
        let key = try EncryptionKey(EncryptionKey.randomBytes())
        try await withCommits(key: key) { store, made in
            let points = try await Restorer(storage: storage).contents().points
            let between = try #require(made.last { $0.lsn < points[3].lsn })
            let (contents, report) = try await store.restored(
                .lsn(between.lsn, history: nil), from: storage)
            #expect(contents == between.model)
            #expect(report.isVerified)
            let target = store.directory + "/blind"
            await #expect(
                throws: ShippingError.keyNeeded(
                    lsn: between.lsn, point: points[2], nextPoint: points[3])
            ) {
                try await Restorer(storage: storage).restore(
                    .lsn(between.lsn, history: nil), to: target)
            }
            let blind = try await Restorer(storage: storage).restore(
                .lsn(points[3].lsn, history: nil), to: target)
            #expect(!blind.isVerified && blind.lsn == points[3].lsn)
        }
    }

    @Test("An LSN that no commit has gives the newest commit before it, which is reported")
    func noCommit() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        store.store.pauseCompaction()
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        try store.put("a", "1")
        try await shipper.round()
        try store.put("b", "2")
        let before = (lsn: try store.store.snapshot().lsn, model: store.model)
        // A transaction of several batches: it is there with the last of them.
        try store.commit([
            ("large 1", [UInt8](repeating: 1, count: 100_000)),
            ("large 2", [UInt8](repeating: 2, count: 100_000)),
        ])
        #expect(try store.store.snapshot().lsn > before.lsn + 1)
        try await shipper.round()
        let (contents, report) = try await store.restored(
            .lsn(before.lsn + 1, history: nil), from: storage)
        #expect(contents == before.model)
        #expect(report.lsn == before.lsn && report.requestedLSN == before.lsn + 1)
        // After the newest point there is nothing: who asks for that has mistaken the number.
        let newest = try await store.restored(.newest, from: storage).report.lsn
        for (asked, history) in [(newest + 1, nil), (30, 12)] as [(UInt64, UInt64?)] {
            let error = await #expect(throws: ShippingError.self) {
                try await store.restored(.lsn(asked, history: history), from: storage)
            }
            let text = "\(try #require(error))"
            #expect(text.contains(history == nil ? "LSN \(newest)" : "history 12"), "\(text)")
            #expect(text.contains("2026-05-01T12:00"), "\(text)")
        }
    }

    @Test("Where pruning and compaction took the log, the commit is refused, with those around it")
    func removedLog() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        var random = SeededRandom(seed: 11)
        for _ in 0..<20 { try store.commit(&random) }
        try await shipper.round()
        for _ in 0..<6 {
            for _ in 0..<20 { try store.commit(&random) }
            try store.store.checkpoint()
            try store.store.compact()
            try store.store.checkpoint()
            clock.advance(seconds: 1)
            try await shipper.round()
        }
        var points = try await Restorer(storage: storage).contents().points
        let removed = points[1..<points.count - 1]
        try await storage.delete(removed.map(ObjectName.point))
        points = try await Restorer(storage: storage).contents().points
        #expect(points.count == 2)
        let asked = points[1].lsn - 1
        let error = await #expect(throws: ShippingError.self) {
            try await store.restored(.lsn(asked, history: nil), from: storage)
        }
        guard case .commitNotKept(asked, let reach, points[1]) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("up to LSN \(reach)"))
        let (contents, report) = try await store.restored(
            .lsn(reach, history: nil), from: storage)
        #expect(report.lsn <= reach)
        #expect(store.models(at: reach).contains(contents))
        await #expect(throws: ShippingError.self) {
            try await store.restored(.lsn(reach + 1, history: nil), from: storage)
        }
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
    }
}
