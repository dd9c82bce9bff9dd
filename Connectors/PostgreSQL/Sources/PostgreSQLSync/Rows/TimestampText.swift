/// The text of a point in time, as `timestamptz` reads it: in UTC, to the microsecond.
enum TimestampText {
    /// What PostgreSQL has, in seconds since 2001-01-01: from the day 0 of its calendar, which is
    /// 4714-11-24 BC, up to the end of 294276 (`datatype/timestamp.h`).
    static let range = -211_845_110_400.0..<9_223_339_708_800.0

    /// Writes the text of a time given in seconds since 2001-01-01; "infinity" or "-infinity" and
    /// false for one that PostgreSQL has none for. NaN is not to be given.
    static func append(_ seconds: Double, to bytes: inout [UInt8]) -> Bool {
        guard range.contains(seconds) else {
            bytes.append(contentsOf: (seconds < 0 ? "-infinity" : "infinity").utf8)
            return false
        }
        // Since 2001-01-01, rounded down to days.
        var whole = seconds.rounded(.down)
        var micro = Int(((seconds - whole) * 1_000_000).rounded())
        if micro == 1_000_000 { (whole, micro) = (whole + 1, 0) }
        let total = Int(whole)
        var day = total / 86_400
        var second = total % 86_400
        if second < 0 { (day, second) = (day - 1, second + 86_400) }
        let (year, month, dayOfMonth) = date(day + 11_323)
        // The year before 1 is 1 BC.
        append(year > 0 ? year : 1 - year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(dayOfMonth, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        append(second / 3600, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2, to: &bytes)
        if micro > 0 {
            bytes.append(UInt8(ascii: "."))
            append(micro, digits: 6, to: &bytes)
        }
        bytes.append(contentsOf: "+00".utf8)
        if year <= 0 { bytes.append(contentsOf: " BC".utf8) }
        return true
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01, by whole cycles of 400 years.
    private static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
        // Counted from March 1 of year 0, so that a leap day is the last of its year.
        let shifted = day + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let inCycle = shifted - cycle * 146_097
        let year = (inCycle - inCycle / 1460 + inCycle / 36_524 - inCycle / 146_096) / 365
        let inYear = inCycle - (365 * year + year / 4 - year / 100)
        let marchMonth = (5 * inYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            year + cycle * 400 + (month <= 2 ? 1 : 0), month,
            inYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    private static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(0x30 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        while bytes.count - start < digits { bytes.append(0x30) }
        bytes[start...].reverse()
    }
}
