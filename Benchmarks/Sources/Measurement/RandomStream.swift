/// A repeatable stream of random numbers: splitmix64.
///
/// Small enough to run inside a timed loop (about 1 ns) and good enough to spread keys evenly.
@frozen
public struct RandomStream: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// A stream that is the same for the same seed.
    @inlinable
    @inline(__always)
    public init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    @inlinable
    @inline(__always)
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number below `limit`, by multiplication; the bias is below `limit` / 2⁶⁴.
    @inlinable
    @inline(__always)
    public mutating func next(below limit: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: limit).high
    }

    /// Spreads the bits of a number over all 64, one to one.
    @inlinable
    @inline(__always)
    public static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
