import TestSupport
import Testing

@testable import Travertine

/// Columns against plain loops.
@Suite("Columns compare as plain loops do")
struct ColumnTests {
    private static let operations: [Comparison.Operation] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    private static let counts = [0, 1, 2, 15, 16, 17, 63, 110, 127, 128, 207, 208]

    private static func column(_ kind: Column.Kind, _ values: [Int64?]) -> Column {
        let words = values.map { $0 ?? 0 }
        let nulls = values.map { $0 == nil ? UInt8(1) : 0 }
        return words.withUnsafeBufferPointer { words in
            nulls.withUnsafeBufferPointer { Column(kind, words, $0) }
        }
    }

    /// The positions that fulfil a condition on one column, and how many it counts.
    private static func matches(
        _ condition: ColumnCondition, _ column: Column
    ) -> (positions: [Int], count: Int) {
        let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: Column.countMax)
        defer { mask.deallocate() }
        mask.initialize(repeating: 7, count: Column.countMax)
        condition.evaluate([column], column.count, mask)
        return (
            (0..<column.count).filter { mask[$0] != 0 },
            condition.matchCount([column], column.count)
        )
    }

    private func check(
        _ condition: ColumnCondition, _ column: Column, _ note: String, _ holds: (Int) -> Bool
    ) {
        let expected = (0..<column.count).filter(holds)
        let found = Self.matches(condition, column)
        #expect(found.positions == expected, "\(note): \(condition)")
        #expect(found.count == expected.count, "\(note): \(condition)")
        let others = Self.matches(.not(condition), column)
        #expect(others.positions == (0..<column.count).filter { !holds($0) }, "\(note): NOT")
        #expect(others.count == column.count - expected.count, "\(note): NOT \(condition)")
    }

    @Test("integers of every width, at the edges of each", arguments: [1, 2, 4, 8])
    func integers(width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        let least = Int64.min >> Int64(64 - 8 * width)
        let edges = [least, least + 1, -1, 0, 1, ~least - 1, ~least]
        let beyond: [Int64] = [
            .min, .max, -129, 128, -32769, 32768, -2_147_483_649, 2_147_483_648, 0, 127,
        ]
        for count in Self.counts {
            for nullPercent in [0, 30, 100] {
                let isNarrow = random.chance(30)
                let values = (0..<count).map { _ -> Int64? in
                    if random.chance(nullPercent) { return nil }
                    if isNarrow { return Int64(random.below(3)) }
                    return random.chance(50)
                        ? random.pick(edges) : random.pick(edges) / Int64(1 + random.below(9))
                }
                let column = Self.column(.integer, values)
                #expect(column.width <= width)
                let present = values.compactMap { $0 }
                #expect(column.bounds?.lowerBound == present.min())
                #expect(column.bounds?.upperBound == present.max())
                #expect(column.summary.count == present.count)
                #expect(column.summary.sum.integer == present.reduce(Int128(0)) { $0 + Int128($1) })
                let note = "width \(width), \(count) values, \(nullPercent) % nulls"
                for operation in Self.operations {
                    for constant in edges + beyond + [random.pick(present + [5])] {
                        check(.integer(0, operation, constant), column, note) { position in
                            values[position].map { operation.holds($0, constant) }
                                ?? (operation == .notEqual)
                        }
                    }
                }
            }
        }
    }

    @Test("a column takes the narrowest width that holds its values")
    func widths() {
        let cases: [(value: Int64, width: Int)] = [
            (0, 1), (127, 1), (-128, 1), (128, 2), (-129, 2), (32767, 2), (-32768, 2), (32768, 4),
            (-32769, 4), (2_147_483_647, 4), (-2_147_483_648, 4), (2_147_483_648, 8),
            (-2_147_483_649, 8), (.max, 8), (.min, 8),
        ]
        for (value, width) in cases {
            #expect(Self.column(.integer, [0, value, nil]).width == width, "\(value)")
        }
        #expect(Self.column(.integer, [nil, nil]).width == 1)
    }

    @Test("doubles, NaN, both zeros and infinities")
    func doubles() {
        var random = SeededRandom(seed: 9)
        let numbers: [Double] = [
            0, -0.0, .nan, -.nan, .infinity, -.infinity, 1, -1, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, 0.5,
        ]
        for count in Self.counts {
            for nullPercent in [0, 30, 100] {
                let values = (0..<count).map { _ in
                    random.chance(nullPercent) ? nil : random.pick(numbers)
                }
                let column = Self.column(
                    .double, values.map { $0.map { Int64(bitPattern: $0.bitPattern) } })
                #expect(column.summary.count == values.count { $0 != nil })
                for operation in Self.operations {
                    for constant in numbers {
                        check(
                            .double(0, operation, constant.bitPattern), column, "\(count) doubles"
                        ) { position in
                            values[position].map { operation.holds($0, constant) }
                                ?? (operation == .notEqual)
                        }
                    }
                }
            }
        }
    }

    @Test("nil, AND and OR")
    func joined() {
        var random = SeededRandom(seed: 3)
        for count in Self.counts {
            let values = (0..<count).map { _ in
                random.chance(30) ? nil : Int64(random.below(300))
            }
            let column = Self.column(.integer, values)
            let isNil = ColumnCondition.null(0, holdsForNull: true, holdsForValue: false)
            let isValue = ColumnCondition.null(0, holdsForNull: false, holdsForValue: true)
            let below = ColumnCondition.integer(0, .less, 200)
            let above = ColumnCondition.integer(0, .greater, 100)
            check(isNil, column, "\(count)") { values[$0] == nil }
            check(isValue, column, "\(count)") { values[$0] != nil }
            check(.constant(true), column, "\(count)") { _ in true }
            check(.constant(false), column, "\(count)") { _ in false }
            check(.and([below, above]), column, "\(count)") {
                values[$0].map { $0 < 200 && $0 > 100 } ?? false
            }
            check(.or([.not(below), .and([above, isValue]), isNil]), column, "\(count)") {
                values[$0].map { $0 >= 200 || $0 > 100 } ?? true
            }
        }
    }
}
