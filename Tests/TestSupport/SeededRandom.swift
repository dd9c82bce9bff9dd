/// A repeatable source of random numbers (SplitMix64): the same seed gives the same sequence.
///
/// A test takes its seed as an argument, or has it in the comments of its checks, so that a failure
/// prints it.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of a seed.
    public init(seed: UInt64) { state = seed }

    /// Begins far from the sequence that `init(seed:)` gives for the same seed.
    ///
    /// For a disk or an environment that gets its seed from a test, and must not draw the same
    /// numbers as the test. Seeds of the simulation that tests repeat depend on this scattering.
    public init(scattering seed: UInt64) {
        state = seed &* 0x2545_f491_4f6c_dd1d &+ 0x9e37_79b9_7f4a_7c15
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1. Draws nothing where 0 is the only one.
    public mutating func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// True in `percent` of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of the elements.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
