import Synchronization

/// A repeatable source of randomness (SplitMix64): the same seed, the same sequence.
package struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed &* 0x2545_f491_4f6c_dd1d &+ 0x9e37_79b9_7f4a_7c15
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1.
    package mutating func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// True in `percent` of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// A `SimulationRandom` that several closures may draw from.
package final class SharedRandom: Sendable {
    private let generator: Mutex<SimulationRandom>

    package init(seed: UInt64) {
        generator = Mutex(SimulationRandom(seed: seed))
    }

    package func next() -> UInt64 { generator.withLock { $0.next() } }
}
