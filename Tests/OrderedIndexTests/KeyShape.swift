import Testing

/// SplitMix64: the tests' source of randomness; the seed is in every failure's message.
struct TestRandom: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// Kinds of keys that take different ways through the nodes.
enum KeyShape: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case random16
    case random8
    case sequential8
    case descending8
    case short
    case mixed
    case longMixed
    case commonPrefix
    case twoPrefixes
    case chains
    case extremes
    case long512

    var testDescription: String { rawValue }

    /// A key; `number` counts up through a test.
    func makeKey(_ number: Int, _ random: inout TestRandom) -> [UInt8] {
        switch self {
        case .random16: return bytes(16, &random)
        case .random8: return bytes(8, &random)
        case .sequential8: return bigEndian(UInt64(number))
        case .descending8: return bigEndian(UInt64(1 << 40 - number))
        case .short: return bytes(random.below(4), &random)
        case .mixed: return bytes(random.below(40), &random)
        case .longMixed: return bytes(random.below(513), &random)
        case .commonPrefix:
            return Array("customer/orders/by-date/".utf8) + bytes(random.below(6) + 1, &random)
        case .twoPrefixes:
            let prefix = [UInt8](repeating: UInt8(random.below(2)), count: 480)
            return prefix + bytes(random.below(3) == 0 ? 9 : 20, &random)
        case .chains:
            return [UInt8](repeating: UInt8(random.below(2)), count: random.below(300))
        case .extremes:
            let length = random.below(20)
            return (0..<length).map { _ in random.below(2) == 0 ? 0 : 255 }
        case .long512:
            return [UInt8](repeating: 7, count: 500) + bytes(12, &random)
        }
    }

    private func bytes(_ count: Int, _ random: inout TestRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func bigEndian(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
}
