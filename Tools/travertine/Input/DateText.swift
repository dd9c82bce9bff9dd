import Foundation

/// Points in time as ISO 8601 texts, by the Gregorian calendar in all years.
enum DateText {
    private static let secondsPerDay: Int64 = 86_400
    /// From 1970 to 2001, where `Date` counts from.
    private static let secondsToReference: Int64 = 978_307_200
    /// Below that many seconds a `Double` has each of their microseconds: there are 2^53 of them.
    private static let exactSecondsMax: UInt64 = 9_007_199_254

    /// The date of a text such as "2026-01-02T03:04:05.123456Z" or "…+01:00", or with a sign and
    /// more digits in its year; nil for others. With a blank in place of the T and "+00" it is as
    /// PostgreSQL writes it, also in JSON.
    ///
    /// Exact to the microsecond for 285 years around 2001; digits after it are cut off.
    static func date(_ text: String) -> Date? {
        let pattern =
            #/
            ([+-]\d{4,6}|\d{4})-(\d\d)-(\d\d)[T\x20](\d\d):(\d\d):(\d\d)
            (?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)
            /#
        guard let match = text.wholeMatch(of: pattern),
            let year = Int64(match.1), let month = Int64(match.2), let dayOfMonth = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
            hour < 24, minute < 60, second < 60,
            let day = day(ofYear: year, month: month, day: dayOfMonth),
            let zone = zoneSeconds(match.8)
        else { return nil }
        let fraction = (match.7.map(String.init) ?? "").prefix(6)
        let digits = fraction + String(repeating: "0", count: 6 - fraction.utf8.count)
        guard let microseconds = Int64(digits) else { return nil }
        let seconds =
            day * secondsPerDay + hour * 3600 + minute * 60 + second - zone - secondsToReference
        // A quotient is rounded once, a sum of a second and a fraction twice.
        let interval =
            seconds.magnitude < exactSecondsMax
            ? Double(seconds * 1_000_000 + microseconds) / 1e6
            : Double(seconds) + Double(microseconds) / 1e6
        return Date(timeIntervalSinceReferenceDate: interval)
    }

    private static func zoneSeconds(_ text: Substring) -> Int64? {
        if text == "Z" { return 0 }
        let digits = text.filter(\.isNumber)
        guard let hours = Int64(digits.prefix(2)), let minutes = Int64("0" + digits.dropFirst(2)),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (text.hasPrefix("-") ? -1 : 1)
    }

    /// The day since 1970 of a date that exists; nil for others.
    private static func day(ofYear year: Int64, month: Int64, day: Int64) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), day >= 1, day <= lengths[Int(month) - 1] else { return nil }
        // Years begin in March here, so that leap days end them; and in cycles of 400.
        let shifted = month <= 2 ? year - 1 : year
        let cycle = (shifted >= 0 ? shifted : shifted - 399) / 400
        let inCycle = shifted - cycle * 400
        let inYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfCycle = inCycle * 365 + inCycle / 4 - inCycle / 100 + inYear
        return cycle * 146_097 + dayOfCycle - 719_468
    }
}
