import CPlatform
import TestSupport
import Testing

/// The searches in short ascending arrays against plain loops.
@Suite struct HeadSearchTests {
    /// Ascending numbers with ties and both extremes, and the numbers to look for around them.
    private static func cases(
        count: Int, padding: Int
    ) -> [(numbers: [Int32], sought: [Int32])] {
        var random = SeededRandom(seed: UInt64(count))
        return (0..<200).map { round in
            let range: ClosedRange<Int32> = round % 2 == 0 ? -20...20 : .min ... .max
            var numbers = (0..<count).map { _ in Int32.random(in: range, using: &random) }
            if round % 5 == 0 { numbers[0] = .min }
            if round % 7 == 0 { numbers[count - 1] = .max }
            numbers.sort()
            var sought = numbers + numbers.map { $0 &+ 1 } + numbers.map { $0 &- 1 }
            sought += [.min, .max, 0]
            // What is after the end must not matter.
            numbers += (0..<padding).map { _ in Int32.random(in: .min ... .max, using: &random) }
            return (numbers, sought)
        }
    }

    @Test("Counting in 8, 12 and 16 ascending numbers agrees with a plain loop")
    func fixedCounts() {
        for (count, search) in [
            (8, travertine_count_at_or_below_8), (12, travertine_count_at_or_below_12),
            (16, travertine_count_at_or_below_16),
        ] {
            for (numbers, sought) in Self.cases(count: count, padding: 0) {
                for x in sought {
                    let plain = numbers.count { $0 <= x }
                    #expect(search(numbers, x) == plain, "\(x) in \(numbers)")
                }
            }
        }
    }

    @Test("Counting below a number agrees with a plain loop, whatever is after the end")
    func variableCount() {
        for count in stride(from: 8, through: 208, by: 8) {
            for (numbers, sought) in Self.cases(count: count, padding: 16).prefix(20) {
                for x in sought {
                    let plain = numbers[..<count].count { $0 < x }
                    let found = travertine_count_below(numbers, count, x)
                    #expect(found == plain, "\(x) in \(numbers)")
                }
            }
        }
    }
}
