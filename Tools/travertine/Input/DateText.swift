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
    /// The nearest to the microsecond for 285 years around 2001; digits after it are cut off.
    static func date(_ text: String) -> Date? {
        var fields = Fields(text)
        guard let year = fields.year(), fields.take("-"), let month = fields.number(2),
            fields.take("-"), let dayOfMonth = fields.number(2),
            fields.take("T") || fields.take(" "), let hour = fields.number(2), fields.take(":"),
            let minute = fields.number(2), fields.take(":"), let second = fields.number(2),
            hour < 24, minute < 60, second < 60,
            let day = day(ofYear: year, month: month, day: dayOfMonth),
            let microseconds = fields.microseconds(), let zone = fields.zoneSeconds(),
            fields.isAtEnd
        else { return nil }
        let seconds =
            day * secondsPerDay + hour * 3600 + minute * 60 + second - zone - secondsToReference
        // A quotient is rounded once, a sum of a second and a fraction twice.
        let interval =
            seconds.magnitude < exactSecondsMax
            ? Double(seconds * 1_000_000 + microseconds) / 1e6
            : Double(seconds) + Double(microseconds) / 1e6
        return Date(timeIntervalSinceReferenceDate: interval)
    }

    /// Takes the parts of a text one after another.
    private struct Fields {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: UnicodeScalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func digit() -> Int64? {
            guard let byte = rest.first, byte &- 0x30 < 10 else { return nil }
            rest.removeFirst()
            return Int64(byte &- 0x30)
        }

        mutating func number(_ digitCount: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digitCount {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Four digits, or a sign and four to six.
        mutating func year() -> Int64? {
            let isNegative = take("-")
            let isSigned = isNegative || take("+")
            guard var value = number(4) else { return nil }
            if isSigned {
                for _ in 0..<2 {
                    guard let digit = digit() else { break }
                    value = value * 10 + digit
                }
            }
            return isNegative ? -value : value
        }

        /// What follows a point, if there is one.
        mutating func microseconds() -> Int64? {
            guard take(".") else { return 0 }
            var (value, count): (Int64, Int) = (0, 0)
            while let digit = digit() {
                if count < 6 { value = value * 10 + digit }
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in 0..<max(0, 6 - count) { value *= 10 }
            return value
        }

        mutating func zoneSeconds() -> Int64? {
            if take("Z") { return 0 }
            let isNegative = take("-")
            guard isNegative || take("+"), let hours = number(2), hours < 24 else { return nil }
            if isAtEnd { return hours * (isNegative ? -3600 : 3600) }
            _ = take(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
        }
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
