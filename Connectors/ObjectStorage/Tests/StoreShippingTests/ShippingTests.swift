import Foundation
import ShippingFixtures
import Synchronization
import Testing
import TravertineStore

@testable import StoreShipping

@Suite("Shipping a store")
struct ShippingTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    private func withStore(
        key: EncryptionKey? = nil, _ body: (ShippedStore) async throws -> Void
    ) async throws {
        let store = try ShippedStore(key: key)
        defer { store.remove() }
        try await body(store)
    }

    @Test("What was committed can be restored, while the store is open")
    func firstPoint() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            let round = try await shipper.round()
            #expect(round?.point.number == 1)
            let (contents, report) = try await store.restored(.newest, from: storage)
            #expect(contents == store.model)
            #expect(report.isVerified)
            #expect(report.point.lsn == round?.point.lsn)
        }
    }

    @Test("An empty store is shipped too")
    func emptyStore() async throws {
        try await withStore { store in
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            let round = try await shipper.round()
            #expect(round != nil)
            #expect(try await store.restored(.newest, from: storage).contents.isEmpty)
        }
    }

    @Test("Nothing is put while nothing is committed, but a sign of life each minute")
    func idle() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            try await shipper.round()
            _ = storage.takePutKeys()
            for _ in 0..<59 {
                clock.advance(seconds: 1)
                #expect(try await shipper.round() == nil)
            }
            #expect(storage.takePutKeys() == [])
            clock.advance(seconds: 1)
            #expect(try await shipper.round() == nil)
            #expect(storage.takePutKeys() == ["manifest"])
        }
    }

    @Test("A round after a small commit costs three requests, and few bytes")
    func cost() async throws {
        try await withStore { store in
            try store.put("a", String(repeating: "x", count: 50_000))
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            try await shipper.round()
            _ = storage.takePutKeys()
            try store.put("b", "2")
            let round = try await shipper.round()
            let keys = storage.takePutKeys()
            #expect(keys.count == 3, "\(keys)")
            #expect(keys.last == "manifest")
            #expect(round?.putCount == 3)
            #expect(try #require(round).byteCount < 1000)
        }
    }

    @Test("Each point restores what was committed before it; times and LSNs find points")
    func earlierPoints() async throws {
        try await withStore { store in
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            var expected: [(point: PointSummary, model: ShippedStore.Model)] = []
            for number in 0..<5 {
                try store.put("k\(number)", "v")
                clock.advance(seconds: 10)
                let round = try #require(try await shipper.round())
                expected.append((round.point, store.model))
            }
            for (point, model) in expected {
                let selections: [PointSelection] = [
                    .number(point.number), .lsn(point.lsn, history: nil),
                    .time(milliseconds: point.timeMilliseconds + 9_999),
                ]
                for selection in selections {
                    let (contents, report) = try await store.restored(selection, from: storage)
                    #expect(report.point == point)
                    #expect(contents == model)
                }
            }
            await #expect(throws: ShippingError.self) {
                try await store.restored(.time(milliseconds: 0), from: storage)
            }
            await #expect(throws: ShippingError.self) {
                try await store.restored(.number(9), from: storage)
            }
        }
    }

    @Test("A point has no earlier time than any commit that it has")
    func time() async throws {
        try await withStore { store in
            // Just after each reading of the clock there is a commit.
            let written = store.store
            let made = Mutex((time: clock.now, commits: [(lsn: UInt64, time: Int64)]()))
            var options = clock.options()
            options.now = {
                made.withLock { made in
                    let time = made.time
                    made.time += 1000
                    do {
                        try written.write { try $0.put("\(made.time)", forKey: "time") }
                        made.commits.append((try written.snapshot().lsn, made.time))
                    } catch {
                        Issue.record(error)
                    }
                    return time
                }
            }
            let shipper = Shipper(of: store.path, to: storage, options: options)
            for _ in 0..<3 {
                let point = try #require(try await shipper.round()).point
                let contained = made.withLock { $0.commits.filter { $0.lsn <= point.lsn } }
                // Of the last one the time is that of the point: it came while the round went on.
                #expect(contained.map(\.time).max() == point.timeMilliseconds)
            }
        }
    }

    @Test("A directory that is not empty is not written to")
    func existingTarget() async throws {
        try await withStore { store in
            try store.put("a", "1")
            try await Shipper(of: store.path, to: storage, options: clock.options()).round()
            let target = store.directory + "/there"
            try FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: target + "/file"))
            let error = await #expect(throws: StoreError.self) {
                try await Restorer(storage: storage).restore(to: target)
            }
            #expect(error?.code == .misuse)
            #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["file"])
        }
    }

    @Test("An encrypted store is shipped encrypted, and restored with and without its key")
    func encrypted() async throws {
        let key = try EncryptionKey(EncryptionKey.randomBytes())
        try await withStore(key: key) { store in
            try store.put("secret", "a text that nobody may read")
            try store.store.checkpoint()
            var options = clock.options()
            options.encryptionKey = key
            try await Shipper(of: store.path, to: storage, options: options).round()
            let everything = storage.state.withLock { $0.objects.values.flatMap(\.bytes) }
            #expect(!String(decoding: everything, as: UTF8.self).contains("nobody may read"))
            let (contents, report) = try await store.restored(.newest, from: storage)
            #expect(contents == store.model)
            #expect(report.isVerified)
            let target = store.directory + "/without"
            let blind = try await Restorer(storage: storage).restore(to: target)
            #expect(!blind.isVerified)
            #expect(try ShippedStore.contents(at: target, key: key) == store.model)
            let other = try EncryptionKey(EncryptionKey.randomBytes())
            let error = await #expect(throws: StoreError.self) {
                try await Restorer(storage: storage).restore(
                    to: store.directory + "/wrong", encryptionKey: other)
            }
            #expect(error?.code == .invalidEncryptionKey)
        }
    }

    @Test("A damaged, exchanged or missing object is named, and nothing is left at the path")
    func damage() async throws {
        try await withStore { store in
            try store.put("a", String(repeating: "x", count: 300_000))
            try await Shipper(of: store.path, to: storage, options: clock.options()).round()
            for key in storage.keys("data/") + storage.keys("lists/") {
                for isMissing in [false, true] {
                    let saved = storage.state.withLock { $0.objects[key] }
                    if isMissing {
                        try await storage.delete([key])
                    } else {
                        storage.change(key) { $0[$0.count / 2] ^= 1 }
                    }
                    let error = await #expect(throws: ShippingError.self) {
                        try await store.restored(.newest, from: storage)
                    }
                    switch error {
                    case .damaged(let named, _), .missing(let named, _): #expect(named == key)
                    default: Issue.record("\(key): \(String(describing: error))")
                    }
                    storage.state.withLock { $0.objects[key] = saved }
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: store.directory)
            #expect(names == ["store"])
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("What the log has no more of is restored from points, as long as they are kept")
    func compaction() async throws {
        try await withStore { store in
            var random = SeededRandom(seed: 5)
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            for _ in 0..<30 { try store.commit(&random) }
            try await shipper.round()
            let before = store.model
            for _ in 0..<60 { try store.commit(&random) }
            try store.store.checkpoint()
            try store.store.compact()
            try store.store.checkpoint()
            try await shipper.round()
            #expect(try await store.restored(.number(1), from: storage).contents == before)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }
}
