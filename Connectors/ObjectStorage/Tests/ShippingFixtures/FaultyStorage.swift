import StoreShipping
import Synchronization

/// The process of a shipper was ended between two requests: no request takes place any more.
public struct Killed: Error {}

/// A storage that fails at random, and ends the process that uses it before or after a request.
public final class FaultyStorage: BackupStorage {
    private struct State {
        var random: SeededRandom
        /// So many requests are made, then the process ends.
        var left: Int
        /// So many parts are put, then the process ends.
        var partsLeft: Int
    }

    private enum Fate {
        case normal, lostBefore, lostAfter, stale, garbled, killedBefore, killedAfter
    }

    private let base: MemoryStorage
    private let percent: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - percent: Requests of a hundred that fail.
    ///   - requestCount: The requests until the process ends.
    ///   - partCount: The parts that are put until it ends.
    public init(
        _ base: MemoryStorage, seed: UInt64, percent: Int, requestCount: Int = .max,
        partCount: Int = .max
    ) {
        self.base = base
        self.percent = percent
        state = Mutex(
            State(
                random: SeededRandom(seed: seed), left: requestCount, partsLeft: partCount))
    }

    /// As the protocol says.
    public var timeMilliseconds: Int64? { base.timeMilliseconds }

    private func fate(ofPart isPart: Bool = false) -> Fate {
        state.withLock { state in
            if isPart {
                if state.partsLeft <= 0 { state.left = 0 }
                state.partsLeft -= 1
            }
            if state.left <= 0 { return .killedBefore }
            state.left -= 1
            if state.left == 0 { return state.random.chance(50) ? .killedBefore : .killedAfter }
            guard state.random.chance(percent) else { return .normal }
            return state.random.pick([.lostBefore, .lostAfter, .stale, .garbled])
        }
    }

    private func perform<Result>(_ fate: Fate, _ body: () async throws -> Result) async throws
        -> Result
    {
        switch fate {
        case .killedBefore: throw Killed()
        case .lostBefore: throw StorageFailure.unavailable("500")
        case .killedAfter:
            _ = try? await body()
            throw Killed()
        case .lostAfter:
            _ = try? await body()
            throw StorageFailure.unavailable("the connection was lost")
        case .normal, .stale, .garbled: return try await body()
        }
    }

    /// As the protocol says.
    public func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        try await perform(fate(ofPart: key.hasPrefix("data/"))) {
            try await base.put(bytes, at: key, condition: condition)
        }
    }

    /// As the protocol says.
    public func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        let fate = fate()
        var content = try await perform(fate) {
            try await base.get(key, byteCountMax: byteCountMax)
        }
        if fate == .stale, key == "manifest" {
            let earlier = base.state.withLock { $0.earlierManifests.last }
            if let earlier { content = StoredContent(bytes: earlier.bytes, tag: earlier.tag) }
        }
        // The service's client finds a wrong manifest by its checksum.
        if fate == .garbled, key.hasPrefix("data/") || key.hasPrefix("lists/"),
            !content.bytes.isEmpty
        {
            content.bytes.removeLast()
        }
        return content
    }

    /// As the protocol says.
    public func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        try await perform(fate()) { try await base.list(prefix: prefix, body) }
    }

    /// As the protocol says.
    public func delete(_ keys: [String]) async throws {
        try await perform(fate()) { try await base.delete(keys) }
    }
}
