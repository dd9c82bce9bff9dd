import Foundation
import PostgreSQLServer
import Testing

@testable import PostgreSQLSync

@Suite("Texts of points in time")
struct TimestampTextTests {
    private func text(_ seconds: Double) -> (text: String, isWithin: Bool) {
        var bytes: [UInt8] = []
        let isWithin = TimestampText.append(seconds, to: &bytes)
        return (String(decoding: bytes, as: UTF8.self), isWithin)
    }

    @Test("the server reads the point in time that was written, to the microsecond")
    func random() throws {
        let fixture = try SyncFixture()
        var random = SeededRandom(seed: 5)
        var rows: [String] = []
        for round in 0..<4000 {
            // Numbers of this size have their microseconds; larger ones are whole quarters.
            let isNear = round % 2 == 0
            let whole =
                isNear
                ? Int64.random(in: -4_000_000_000...4_000_000_000, using: &random)
                : Int64.random(in: -211_845_110_400...9_223_339_708_799, using: &random)
            let micros = isNear ? Int64(random.below(1_000_000)) : Int64(random.below(4)) * 250_000
            let seconds = Double(whole) + Double(micros) / 1_000_000
            let sum = (whole + 978_307_200) * 1_000_000 + micros
            rows.append("('\(text(seconds).text)', \(sum))")
        }
        let wrong = try fixture.lines(
            """
            SELECT t, m FROM (VALUES \(rows.joined(separator: ", "))) AS v (t, m) \
            WHERE extract(epoch FROM t::timestamptz) * 1000000 <> m
            """)
        #expect(wrong == [])
    }

    @Test("days are those that Foundation writes, in the years of the Gregorian calendar")
    func days() {
        for day in stride(from: -150_000, to: 2_000_000, by: 997) {
            let seconds = Double(day) * 86_400
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let expected = date.formatted(.iso8601.year().month().day())
            #expect(text(seconds).text.prefix(10) == expected.prefix(10))
        }
    }

    @Test("the ends of the range are written, and what is beyond is infinite")
    func ends() {
        #expect(text(-211_845_110_400) == ("4714-11-24 00:00:00+00 BC", true))
        #expect(text(9_223_339_708_799) == ("294276-12-31 23:59:59+00", true))
        #expect(text(9_223_339_708_800) == ("infinity", false))
        #expect(text(-211_845_110_401) == ("-infinity", false))
        #expect(text(.infinity) == ("infinity", false))
        #expect(text(-.infinity) == ("-infinity", false))
    }

    @Test("fractions are rounded to microseconds, also over the end of a year")
    func rounding() {
        #expect(text(0.123_456_7).text == "2001-01-01 00:00:00.123457+00")
        #expect(text(-0.000_000_1).text == "2001-01-01 00:00:00+00")
        #expect(text(-0.000_001).text == "2000-12-31 23:59:59.999999+00")
    }
}
