import Foundation
import Testing

@testable import ObjectStorage

@Suite("Times")
struct UTCTimeTests {
    @Test("Stamps are those of the calendar, over all leap years")
    func stamps() {
        var generator = SeededGenerator(seed: announcedSeed())
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0..<8_000_000_000, using: &generator)
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(UTCTime(secondsSince1970: seconds).stamp == expected)
        }
        #expect(UTCTime(secondsSince1970: 951_782_400).day == "20000229")
    }

    @Test("Both written forms are parsed to the same second")
    func parsing() {
        let seconds: Int64 = 1_255_369_830
        #expect(UTCTime(iso8601: "2009-10-12T17:50:30.000Z")?.secondsSince1970 == seconds)
        #expect(UTCTime(iso8601: "2009-10-12T17:50:30Z")?.secondsSince1970 == seconds)
        #expect(UTCTime(httpDate: "Mon, 12 Oct 2009 17:50:30 GMT")?.secondsSince1970 == seconds)
    }

    @Test("Parsing reverses the calendar")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: announcedSeed())
        for _ in 0..<500 {
            let time = UTCTime(
                secondsSince1970: Int64.random(in: 0..<8_000_000_000, using: &generator))
            var text = Array(time.stamp)
            text.insert(":", at: 13)
            text.insert(":", at: 11)
            text.insert("-", at: 6)
            text.insert("-", at: 4)
            #expect(UTCTime(iso8601: String(text)) == time)
        }
    }

    @Test(
        "Other texts are no times",
        arguments: [
            "", "T", "TZ", "2009-10-12", "2009-13-12T00:00:00Z", "2009-10-12T24:00:00Z",
            "2009-10-12T00:00Z", "-1-10-12T00:00:00Z", "2009-10-12T00:00:00", "a-b-cTd:e:fZ",
        ])
    func refused(text: String) {
        #expect(UTCTime(iso8601: text) == nil)
        #expect(UTCTime(httpDate: text) == nil)
    }
}
