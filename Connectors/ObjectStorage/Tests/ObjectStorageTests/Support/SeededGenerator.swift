import StorageServers
import Synchronization

/// Random numbers that a seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// A generator that several tasks draw from.
final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }

    /// A number below `limit`.
    func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

/// The seed of random tests: `TRAVERTINE_SEED`, or a new one each time. Printed with the
/// test's name.
func announcedSeed(_ test: String = #function) -> UInt64 {
    let seed = environmentNumber("TRAVERTINE_SEED").map { UInt64($0) } ?? .random(in: 0..<1 << 32)
    print("\(test): TRAVERTINE_SEED=\(seed)")
    return seed
}
