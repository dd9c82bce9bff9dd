/// A time as `2026-05-01T12:34:56.789Z`.
public struct UTCText: CustomStringConvertible, Sendable {
    private static let secondsInDay: Int64 = 86_400
    /// Days from 1 March of the year 0 to 1 January 1970.
    private static let daysToEpoch: Int64 = 719_468
    private static let daysIn400Years: Int64 = 146_097

    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// A time in milliseconds since 1970.
    public init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Parses a date, or a date and a time of UTC with or without seconds, fractions and `Z`; nil
    /// if the text is none.
    public init?(parsing text: String) {
        var rest = Substring(text)
        func number(_ digitCount: Int) -> Int64? {
            let digits = rest.prefix(digitCount)
            guard digits.utf8.count == digitCount,
                digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 })
            else { return nil }
            rest = rest.dropFirst(digitCount)
            return Int64(digits)
        }
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var time: Int64 = 0
        if skip("T ") {
            guard let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60
            else { return nil }
            time = (hour * 60 + minute) * 60_000
            if skip(":") {
                guard let second = number(2), second < 60 else { return nil }
                time += second * 1000
                if skip(".") {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard !digits.isEmpty, let fraction = Int64((digits + "00").prefix(3)) else {
                        return nil
                    }
                    rest = rest.dropFirst(digits.count)
                    time += fraction
                }
            }
            _ = skip("Zz")
        }
        guard rest.isEmpty else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        let text = UTCText(days * Self.secondsInDay * 1000)
        // A day that the month does not have is another date.
        guard text.date == (year, month, day) else { return nil }
        milliseconds = text.milliseconds + time
    }

    /// The time in UTC.
    public var description: String {
        let (year, month, day) = date
        let ofDay = milliseconds - dayNumber * Self.secondsInDay * 1000
        let second = ofDay / 1000
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(second / 3600, 2)):"
            + "\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2)).\(pad(ofDay % 1000, 3))Z"
    }

    private func pad(_ number: Int64, _ digitCount: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digitCount - text.utf8.count)) + text
    }

    private var dayNumber: Int64 {
        let (day, rest) = milliseconds.quotientAndRemainder(
            dividingBy: Self.secondsInDay * 1000)
        return rest < 0 ? day - 1 : day
    }

    /// In years that begin in March, so that the day of a leap year is the last one.
    private var date: (year: Int64, month: Int64, day: Int64) {
        let days = dayNumber + Self.daysToEpoch
        let era = (days >= 0 ? days : days - Self.daysIn400Years + 1) / Self.daysIn400Years
        let ofEra = days - era * Self.daysIn400Years
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (year + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, day)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * daysIn400Years + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - daysToEpoch
    }
}
