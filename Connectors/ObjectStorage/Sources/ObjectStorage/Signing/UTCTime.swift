/// A second in UTC, in the three forms that S3 uses.
struct UTCTime: Hashable, Sendable {
    /// Seconds since 1970, without leap seconds.
    var secondsSince1970: Int64

    /// The day as `20130524`.
    var day: String {
        let date = civilDate
        return Self.padded(date.year, 4) + Self.padded(date.month, 2) + Self.padded(date.day, 2)
    }

    /// The second as `20130524T000000Z`, the basic form of ISO 8601.
    var stamp: String {
        let second = Int(secondsSince1970 - dayNumber * 86_400)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        return day + "T" + clock.joined() + "Z"
    }

    /// Parses `2009-10-12T17:50:30.000Z`, as listings have it; nil for anything else.
    init?(iso8601 text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].last == UInt8(ascii: "Z") else { return nil }
        let date = Self.numbers(in: parts[0], separatedBy: "-")
        let wholeSeconds = parts[1].dropLast().prefix { $0 != UInt8(ascii: ".") }
        let clock = Self.numbers(in: wholeSeconds, separatedBy: ":")
        guard let date, let clock, date.count == 3 else { return nil }
        self.init(year: date[0], month: date[1], day: date[2], clock: clock)
    }

    /// Parses `Mon, 12 Oct 2009 17:50:30 GMT`, as HTTP headers have it; nil for anything else.
    init?(httpDate text: String) {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])),
            let clock = Self.numbers(in: parts[4].utf8, separatedBy: ":")
        else { return nil }
        self.init(year: year, month: month + 1, day: day, clock: clock)
    }

    init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    private init?(year: Int, month: Int, day: Int, clock: [Int]) {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        // Years begin in March here, so that the leap day is a year's last.
        let shiftedYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        let days = shiftedYear * 365 + leapDays + dayOfYear - Self.daysBefore1970
        secondsSince1970 = Int64(days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2])
    }

    // MARK: The calendar

    /// Days from the first of March of the year 0 to the first of January 1970.
    private static let daysBefore1970 = 719_468

    private var dayNumber: Int64 {
        secondsSince1970 >= 0
            ? secondsSince1970 / 86_400 : (secondsSince1970 - 86_399) / 86_400
    }

    private var civilDate: (year: Int, month: Int, day: Int) {
        let days = Int(dayNumber) + Self.daysBefore1970
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func numbers(
        in text: some Sequence<UInt8>, separatedBy separator: Unicode.Scalar
    ) -> [Int]? {
        let parts = String(decoding: Array(text), as: UTF8.self)
            .split(separator: Character(separator), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        return numbers.count == parts.count ? numbers : nil
    }
}
