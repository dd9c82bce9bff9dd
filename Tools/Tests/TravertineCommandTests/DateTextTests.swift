import Foundation
import TestSupport
import Testing

@testable import TravertineCommand

/// Points in time as texts.
@Suite("Dates in texts")
struct DateTextTests {
    @Test("are the nearest dates, in all forms")
    func forms() throws {
        let time = Date(timeIntervalSinceReferenceDate: -978_307_200 + 86_399.25)
        for text in [
            "1970-01-01T23:59:59.25Z", "1970-01-01 23:59:59.250000+00",
            "1970-01-02T01:29:59.2500009+01:30", "1970-01-01T22:59:59.25-0100",
            "+1970-01-01T23:59:59.25Z", "+001970-01-01T23:59:59.25Z",
        ] {
            #expect(DateText.date(text) == time, "\(text)")
        }
        #expect(
            DateText.date("-0043-03-15T00:00:00Z")?.timeIntervalSince1970 == -63_517_824_000)
        #expect(
            DateText.date("2000-02-29T00:00:00Z")?.timeIntervalSince1970 == 951_782_400)
    }

    @Test("agree with Foundation at random times")
    func random() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let seconds = Double(Int(random.next() % 200_000_000_000) - 10_000_000_000)
            let date = Date(timeIntervalSince1970: seconds)
            let text = date.formatted(.iso8601)
            #expect(DateText.date(text) == date, "\(text), seed \(seed)")
        }
    }

    @Test(
        "other texts are none",
        arguments: [
            "", "2001", "2001-02-29T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z",
            "2001-01-01", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z",
            "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+24",
            "2001-01-01T00:00:00+1", "2001-01-01T00:00:00+01:", "2001-01-01T00:00:00+01:60",
            "2001-01-01T00:00:00Z ", " 2001-01-01T00:00:00Z", "02001-01-01T00:00:00Z",
            "+201-01-01T00:00:00Z", "+0200100-01-01T00:00:00Z", "2001-1-01T00:00:00Z",
            "2001-01-01x00:00:00Z", "２001-01-01T00:00:00Z",
        ])
    func others(text: String) {
        #expect(DateText.date(text) == nil)
    }
}
