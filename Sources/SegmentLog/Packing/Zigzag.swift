/// Signed differences as numbers that are small if the difference is.
enum Zigzag {
    /// The number for a difference that wraps around.
    static func encoded(_ difference: UInt64) -> UInt64 {
        difference << 1 ^ (difference >> 63 == 0 ? 0 : .max)
    }

    /// The difference for a number.
    static func decoded(_ number: UInt64) -> UInt64 {
        number >> 1 ^ (number & 1 == 0 ? 0 : .max)
    }
}
