/// Points in time as ISO 8601 text in UTC, by the Gregorian calendar in all years.
enum CalendarText {
    private static let millisecondsPerDay: Int64 = 86_400_000
    /// From 1 March of the year 0 to 1970.
    private static let dayShift: Int64 = 719_468
    private static let daysPerEra: Int64 = 146_097

    /// The text of a point in time of the years 1970 to 9999; nil for all others.
    static func text(_ time: BSONDateTime) -> String? {
        guard (0..<253_402_300_800_000).contains(time.milliseconds) else { return nil }
        let (days, rest) = time.milliseconds.quotientAndRemainder(dividingBy: millisecondsPerDay)
        let (year, month, day) = date(ofDay: days)
        let (seconds, milliseconds) = rest.quotientAndRemainder(dividingBy: 1_000)
        let date = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
        let clock =
            padded(seconds / 3_600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2)
        let fraction = milliseconds == 0 ? "" : "." + padded(milliseconds, 3)
        return date + "T" + clock + fraction + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The date of a day since 1970; years begin in March here, so that leap days end them.
    private static func date(ofDay day: Int64) -> (Int64, Int64, Int64) {
        let shifted = day + dayShift
        let era = (shifted >= 0 ? shifted : shifted - daysPerEra + 1) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// The day since 1970 of a date that exists; nil for others.
    private static func day(ofYear year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let result = era * daysPerEra + dayOfEra - dayShift
        // The 31st of a month of 30 days would have become the first of the next one.
        return date(ofDay: result) == (year, month, day) ? result : nil
    }

    /// The point in time of a text such as "2012-12-24T12:15:30.501Z" or "…+01:00".
    ///
    /// The year has four digits; digits after the milliseconds are cut off.
    static func time(_ text: String) -> BSONDateTime? {
        var fields = Fields(text)
        guard let year = fields.number(4), fields.take("-"), let month = fields.number(2),
            fields.take("-"), let dayOfMonth = fields.number(2), fields.take("T"),
            let hour = fields.number(2), fields.take(":"), let minute = fields.number(2),
            fields.take(":"), let second = fields.number(2),
            hour < 24, minute < 60, second < 60,
            let day = day(ofYear: year, month: month, day: dayOfMonth)
        else { return nil }
        var milliseconds: Int64 = 0
        if fields.take(".") {
            guard let fraction = fields.milliseconds() else { return nil }
            milliseconds = fraction
        }
        guard let zone = fields.zoneMinutes(), fields.isAtEnd else { return nil }
        let minutes = hour * 60 + minute - zone
        return BSONDateTime(
            milliseconds: day * millisecondsPerDay + (minutes * 60 + second) * 1_000
                + milliseconds)
    }

    private struct Fields {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: UnicodeScalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ digitCount: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digitCount {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        private mutating func digit() -> Int64? {
            guard let byte = rest.first, byte &- 0x30 < 10 else { return nil }
            rest.removeFirst()
            return Int64(byte &- 0x30)
        }

        mutating func milliseconds() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while let digit = digit() {
                if count < 3 { value = value * 10 + digit }
                count += 1
            }
            if count == 0 { return nil }
            for _ in 0..<max(0, 3 - count) { value *= 10 }
            return value
        }

        mutating func zoneMinutes() -> Int64? {
            if take("Z") { return 0 }
            let isEast = take("+")
            guard isEast || take("-"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isEast ? 1 : -1)
        }
    }
}
