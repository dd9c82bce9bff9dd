import ShippingFixtures
import Synchronization
import Testing
import TravertineStore

@testable import StoreShipping

/// How many parts are put at the same time.
@Suite("Parts at the same time")
struct PutCountTests {
    @Test(
        "After a failed round parts are put one at a time, until a round succeeds",
        .timeLimit(.minutes(2)))
    func slowConnection() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        var model: ShippedStore.Model = [:]
        // Each commit has several segments, and so several parts.
        let values = (0..<12).map { [UInt8](repeating: UInt8($0), count: 100_000) }
        for (number, value) in values.enumerated() { model["\(number)"] = value }
        let written = store.store
        @Sendable func write(_ numbers: Range<Int>) {
            do {
                try written.write { transaction in
                    for number in numbers {
                        try transaction.put(values[number], forKey: "\(number)")
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        write(0..<6)
        let base = MemoryStorage()
        let storage = CountingStorage(base)
        let points = Mutex(0)
        let hasRecovered = Mutex(false)
        let shipper = Shipper(of: store.path, to: storage, options: TestClock().options()) {
            event in
            switch event {
            case .waiting: storage.endOutage()
            case .shipped: points.withLock { $0 += 1 }
            case .recovered: hasRecovered.withLock { $0 = true }
            default: break
            }
        }
        try await shipper.run(until: {
            let count = points.withLock { $0 }
            if count == 1, hasRecovered.withLock({ $0 }), storage.endStage(waitingFor: 4) {
                write(6..<12)
            }
            return count == 2
        })
        #expect(storage.countMaxima == [1, 4])
        #expect(try await store.restored(.newest, from: base).contents == model)
    }
}

/// A storage that counts parts which are put at the same time. It takes none until `endOutage`.
private final class CountingStorage: BackupStorage {
    private struct State {
        var isOut = true
        var count = 0
        /// The most at the same time in each stage.
        var maxima = [0]
        /// A part is not stored before so many were there at the same time.
        var expected = 1
    }

    private let base: MemoryStorage
    private let state = Mutex(State())

    init(_ base: MemoryStorage) { self.base = base }

    func endOutage() { state.withLock { $0.isOut = false } }

    var countMaxima: [Int] { state.withLock { $0.maxima } }

    /// Begins another stage, in which parts wait for one another until so many are there; false if
    /// it has begun.
    func endStage(waitingFor expected: Int) -> Bool {
        state.withLock { state in
            guard state.expected != expected else { return false }
            state.expected = expected
            state.maxima.append(0)
            return true
        }
    }

    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        guard key.hasPrefix("data/") else {
            return try await base.put(bytes, at: key, condition: condition)
        }
        let place = try state.withLock { state in
            if state.isOut { throw StorageFailure.unavailable("too slow") }
            state.count += 1
            state.maxima[state.maxima.count - 1] = max(state.maxima.last ?? 0, state.count)
            return state.maxima.count - 1
        }
        defer { state.withLock { $0.count -= 1 } }
        // Time for others to come, if there are any.
        for _ in 0..<500 { await Task.yield() }
        while !Task.isCancelled, state.withLock({ $0.maxima[place] < $0.expected }) {
            await Task.yield()
        }
        return try await base.put(bytes, at: key, condition: condition)
    }

    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try await base.get(key, byteCountMax: byteCountMax)
    }

    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        try await base.list(prefix: prefix, body)
    }

    func delete(_ keys: [String]) async throws { try await base.delete(keys) }
}
