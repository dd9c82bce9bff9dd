import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Sums of doubles against a sum bit by bit (R-Q6).
@Suite("Sums of floating-point numbers are exact, and rounded once")
struct DoubleSumTests {
    private static func number(_ random: inout SeededRandom, _ kind: Int) -> Double {
        switch kind {
        case 0: return Double(random.below(2000) - 1000) / 7
        case 1: return Double(bitPattern: random.next() & ~(1 << 62))  // Of less than 2.
        case 2:
            let number = Double(bitPattern: random.next())
            return number.isFinite ? number : 1e-300
        case 3: return random.pick([1e300, -1e300, 1, -1, 1e-300, .leastNonzeroMagnitude])
        case 4:
            return random.pick([
                .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0x1p970, -0x1p970, 0.5, -0.0,
            ])
        case 5: return Double(Int64(bitPattern: random.next()))
        default:
            return random.chance(10)
                ? random.pick([.nan, .infinity, -.infinity]) : Double(random.below(9))
        }
    }

    private func isSame(_ left: Double, _ right: Double) -> Bool {
        left == right && left.sign == right.sign || left.isNaN && right.isNaN
    }

    @Test("in any order, and however they are grouped", arguments: 0..<7)
    func exact(kind: Int) {
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed &* 7 &+ UInt64(kind))
            let count = random.pick([0, 1, 2, 3, 10, 100, 1000])
            let numbers = (0..<count).map { _ in Self.number(&random, kind) }
            let expected = PlainSum.of(numbers)
            let note: Comment = "kind \(kind), seed \(seed), \(count) numbers"
            #expect(isSame(DoubleSum(numbers).rounded, expected), note)
            #expect(isSame(DoubleSum(numbers.reversed()).rounded, expected), note)
            var grouped = DoubleSum()
            var rest = numbers[...]
            while !rest.isEmpty {
                let part = rest.prefix(1 + random.below(7))
                grouped.add(DoubleSum(part))
                rest = rest.dropFirst(part.count)
            }
            #expect(isSame(grouped.rounded, expected), note)
            #expect(grouped == DoubleSum(numbers), note)
        }
    }

    @Test("what the order changes otherwise, and what is beyond all numbers on the way")
    func cases() {
        #expect(DoubleSum([1e100, 1, -1e100]).rounded == 1)
        #expect(DoubleSum(Array(repeating: 0.1, count: 10)).rounded == 1)
        #expect(
            DoubleSum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]).rounded == .infinity)
        #expect(
            DoubleSum([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -1e308]).rounded
                == PlainSum.of([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -1e308]))
        #expect(
            DoubleSum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]).mean(of: 2)
                == .greatestFiniteMagnitude)
        #expect(DoubleSum([.infinity, 1]).rounded == .infinity)
        #expect(DoubleSum([-.infinity, 1]).mean(of: 2) == -.infinity)
        #expect(DoubleSum([.infinity, -.infinity]).rounded.isNaN)
        #expect(DoubleSum([-0.0, -0.0]).rounded.sign == .plus)
        #expect(DoubleSum([1, -1]).rounded.sign == .plus)
        let least = Double.leastNonzeroMagnitude
        #expect(DoubleSum([least, least]).rounded == 2 * least)
        #expect(DoubleSum([1, least, -1]).rounded == least)
    }

    @Test("a sum of Float is rounded once, not first to Double")
    func floats() {
        // Between 1 and the next Float lies 1 + 2^-24; what is after it decides.
        let half = 0x1p-24
        #expect(DoubleSum([1, half, 0x1p-80]).roundedToFloat == Float(1).nextUp)
        #expect(Float(DoubleSum([1, half, 0x1p-80]).rounded) == 1)
        #expect(DoubleSum([1, half]).roundedToFloat == 1)
        #expect(DoubleSum([1, half, -0x1p-80]).roundedToFloat == 1)
    }

    @Test("rows, columns, groups, lists and plain values of Swift give the same")
    func everywhere() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([SummedReading.self])
        var random = SeededRandom(seed: 5)
        let numbers = (0..<3000).map { Self.number(&random, $0 % 2 == 0 ? 2 : 0) / 1e9 }
        try realm.write {
            for number in numbers {
                let reading = realm.create(SummedReading.self)
                reading.value = number
                reading.short = Float(number)
                reading.isOn = true
            }
        }
        let expected = PlainSum.of(numbers)
        let shortExpected = DoubleSum(numbers.map { Double(Float($0)) }).roundedToFloat
        let readings = realm.objects(SummedReading.self)
        for _ in 0..<2 {
            #expect(readings.sum(of: \.value) == expected)
            #expect(isSame(Double(readings.sum(of: \.short) as Float), Double(shortExpected)))
            #expect(readings.average(of: \.value) == expected / 3000)
        }
        QueryPlanning.$isScanOnly.withValue(true) {
            #expect(readings.sum(of: \.value) == expected)
        }
        #expect(readings.where { $0.isOn == true }.sum(of: \.value) == expected)
        #expect(readings.sorted(byKeyPath: "value").sum(of: \.value) == expected)
        #expect(readings.grouped(by: \.isOn).sums(of: \.value).first?.sum == expected)
        #expect(_AggregateAccumulator(numbers).sum(Double.self) == expected)
    }
}

class SummedReading: Object {
    @Persisted var value: Double
    @Persisted var short: Float
    @Persisted var isOn: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
