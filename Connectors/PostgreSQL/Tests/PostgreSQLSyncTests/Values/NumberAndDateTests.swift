import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// Numbers and points in time at the ends of their ranges, through COPY and through INSERT.
@Suite("Extreme numbers and dates on the server")
struct NumberAndDateTests {
    private func copied<Value>(
        _ values: [Value], _ column: String, _ path: WritableKeyPath<Everything, Value>
    ) throws -> (lines: [String], unboundedDateCount: Int) {
        let fixture = try SyncFixture()
        let realm = try fixture.open(ValueModels.types)
        try fixture.sync(realm)
        try realm.write {
            for (id, value) in values.enumerated() {
                var object = Everything()
                object.id = id
                object[keyPath: path] = value
                realm.add(object)
            }
        }
        let summary = try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        return (
            try fixture.lines("SELECT \(column) FROM \"Everything\" ORDER BY id"),
            summary.unboundedDateCount
        )
    }

    @Test("floating-point numbers keep all their bits")
    func doubles() throws {
        let doubles: [Double] = [
            .nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1,
        ]
        let lines = try copied(doubles, "double", \.double).lines
        #expect(lines.map { Double($0)?.bitPattern == nil } == doubles.map { _ in false })
        for (line, double) in zip(lines, doubles) where !double.isNaN {
            #expect(Double(line)?.bitPattern == double.bitPattern, "\(line), not \(double)")
        }
        #expect(lines[0] == "NaN")
        let floats: [Float] = [
            .nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            0.1,
        ]
        let floatLines = try copied(floats, "float", \.float).lines
        for (line, float) in zip(floatLines, floats) where !float.isNaN {
            #expect(Float(line)?.bitPattern == float.bitPattern, "\(line), not \(float)")
        }
    }

    @Test("decimal numbers keep all digits, also with the greatest exponents")
    func decimals() throws {
        let digits = "1234567890123456789012345678901234"
        let decimals: [Decimal128] = [
            "NaN", "Infinity", "-Infinity", "1E-6000", "1E+6000", Decimal128(stringLiteral: digits),
            "-0.00", "1E-6176", "9.999999999999999999999999999999999E+6144",
        ]
        let lines = try copied(decimals, "\"decimal\"", \.decimal).lines
        #expect(lines.prefix(3) == ["NaN", "Infinity", "-Infinity"])
        #expect(lines[3] == "0." + String(repeating: "0", count: 5999) + "1")
        #expect(lines[4] == "1" + String(repeating: "0", count: 6000))
        #expect(lines[5] == digits)
        #expect(lines[6] == "0.00")
        #expect(lines[7] == "0." + String(repeating: "0", count: 6175) + "1")
        #expect(lines[8] == String(repeating: "9", count: 34) + String(repeating: "0", count: 6111))
    }

    @Test("values of any type keep decimal numbers in JSON, and name what is none")
    func anyDecimals() throws {
        let values: [AnyRealmValue] = [
            .decimal128("NaN"), .decimal128("-Infinity"), .decimal128("1E-6000"),
            .decimal128("1E+6000"), .double(.nan), .double(.leastNonzeroMagnitude),
            .double(.greatestFiniteMagnitude), .float(-.infinity),
        ]
        let lines = try copied(values, "\"any\"", \.any).lines
        #expect(lines[0].hasPrefix("\"") && lines[1].hasPrefix("\"-"))
        #expect(lines[2] == "0." + String(repeating: "0", count: 5999) + "1")
        #expect(lines[3] == "1" + String(repeating: "0", count: 6000))
        #expect(lines[4] == "\"nan\"" && lines[7] == "\"-inf\"")
        #expect(Double(lines[5]) == .leastNonzeroMagnitude)
        #expect(Double(lines[6]) == .greatestFiniteMagnitude)
    }

    @Test("points in time keep their microseconds; those that PostgreSQL lacks are counted")
    func dates() throws {
        let seconds: [Double] = [
            0, 0.5, -0.25, -978_307_200, -978_307_200.000001, -63_145_526_400,
            -63_145_526_400 - 86_400, -211_845_110_400, 9_223_339_708_799, 9_223_339_708_800,
            -211_845_110_401, .infinity, .nan, 1e300, 63_113_904_000 + 58_000_000_000,
        ]
        let (lines, count) = try copied(
            seconds.map { Date(timeIntervalSinceReferenceDate: $0) }, "date", \.date)
        #expect(
            lines.prefix(13) == [
                "2001-01-01 00:00:00+00", "2001-01-01 00:00:00.5+00", "2000-12-31 23:59:59.75+00",
                "1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00",
                "0001-01-01 00:00:00+00 BC", "0002-12-31 00:00:00+00 BC",
                "4714-11-24 00:00:00+00 BC", "294276-12-31 23:59:59+00", "infinity", "-infinity",
                "infinity", "null",
            ])
        #expect(lines[13] == "infinity")
        #expect(count == 5)
    }

    @Test("a point in time in a value of any type is the same text, or says that it is none")
    func anyDates() throws {
        let values: [AnyRealmValue] = [
            .date(Date(timeIntervalSinceReferenceDate: -63_145_526_400)),
            .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: -1e300)),
        ]
        #expect(
            try copied(values, "\"any\"", \.any).lines == [
                "\"0001-01-01 00:00:00+00 BC\"", "\"NaN\"", "\"-infinity\"",
            ])
    }
}
