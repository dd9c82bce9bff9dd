/// The exact sum of doubles, rounded once, bit by bit.
enum PlainSum {
    private static let bitCount = 2300

    static func of(_ numbers: [Double]) -> Double {
        let specials = numbers.filter { !$0.isFinite }
        if !specials.isEmpty { return abs(specials.reduce(0, +)).isNaN ? .nan : specials[0] }
        var digits = [Int](repeating: 0, count: bitCount)
        for number in numbers {
            let field = Int(number.bitPattern >> 52 & 0x7ff)
            let fraction = number.bitPattern & 0xf_ffff_ffff_ffff
            let bits = field == 0 ? fraction : fraction | 1 << 52
            for bit in 0..<53 where bits >> UInt64(bit) & 1 == 1 {
                digits[max(field, 1) - 1 + bit] += number < 0 ? -1 : 1
            }
        }
        let isNegative = normalise(&digits) < 0
        if isNegative {
            for position in digits.indices { digits[position] = 1 - digits[position] }
            digits[0] += 1
            _ = normalise(&digits)
        }
        guard let top = digits.lastIndex(of: 1) else { return 0 }
        let low = max(0, top - 52)
        var bits = digits[low...top].reversed().reduce(0.0) { $0 * 2 + Double($1) }
        if low > 0, digits[low - 1] == 1,
            digits[low] == 1 || digits[..<(low - 1)].contains(1)
        {
            bits += 1
        }
        let value = Double(sign: .plus, exponent: low - 1074, significand: bits)
        return isNegative ? -value : value
    }

    /// Makes digits bits, and returns what is left beyond the last one.
    private static func normalise(_ digits: inout [Int]) -> Int {
        var carry = 0
        for position in digits.indices {
            let sum = digits[position] + carry
            digits[position] = sum & 1
            carry = sum >> 1
        }
        return carry
    }
}
