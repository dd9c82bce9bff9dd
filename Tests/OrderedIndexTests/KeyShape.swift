import TestSupport
import Testing

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
    func makeKey(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
        switch self {
        case .random16: return random.bytes(16)
        case .random8: return random.bytes(8)
        case .sequential8: return bigEndian(UInt64(number))
        case .descending8: return bigEndian(UInt64(1 << 40 - number))
        case .short: return random.bytes(random.below(4))
        case .mixed: return random.bytes(random.below(40))
        case .longMixed: return random.bytes(random.below(513))
        case .commonPrefix:
            return Array("customer/orders/by-date/".utf8) + random.bytes(random.below(6) + 1)
        case .twoPrefixes:
            let prefix = [UInt8](repeating: UInt8(random.below(2)), count: 480)
            return prefix + random.bytes(random.below(3) == 0 ? 9 : 20)
        case .chains:
            return [UInt8](repeating: UInt8(random.below(2)), count: random.below(300))
        case .extremes:
            let length = random.below(20)
            return (0..<length).map { _ in random.below(2) == 0 ? 0 : 255 }
        case .long512:
            return [UInt8](repeating: 7, count: 500) + random.bytes(12)
        }
    }

    private func bigEndian(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
}
