#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Functions of a predicate text, as `uuid(…)` and `decimal(…)`.
extension PredicateParser {
    /// Reads a function, whose name is next and a parenthesis after it.
    mutating func parseFunction() throws(PredicateTextError) -> PredicateTerm? {
        switch token.text.lowercased() {
        case "subquery": return try parseSubquery()
        case "list": return try parseList()
        case "cast": return try parseCast()
        case "geobox", "geocircle", "geopolygon": return try parseShape()
        case "obj":
            throw error(
                "An object has no text: give it as an argument for %@.", at: token.range)
        case let name where PredicateWords.rawFunctions.contains(name):
            return try parseRawFunction(name)
        default: return nil
        }
    }

    func unknownFunction() -> PredicateTextError {
        let argument = thirdToken.kind == .name ? thirdToken.text : nil
        return error(
            "There is no function \(token.description)."
                + PredicateHints.function(token.text, argument: argument), at: token.range)
    }

    // MARK: Values

    /// Reads `uuid(…)` and the like; what is inside has quotes or none, or is an argument.
    private mutating func parseRawFunction(
        _ name: String
    ) throws(PredicateTextError) -> PredicateTerm {
        let start = token
        advance()
        advance()
        let inside = token
        var content = inside.text
        switch inside.kind {
        case .raw, .string: advance()
        case .placeholder where inside.text != "K", .argument:
            guard case .string(let argument)? = try takeValue() else {
                throw error("The argument of \(name)(…) is a string.", at: inside.range)
            }
            content = argument
        default: throw expected("the value of \(name)(…)")
        }
        guard let value = Self.value(of: name, content) else {
            throw error(
                "\(inside.description) is no \(Self.nouns[name] ?? name).", at: inside.range)
        }
        try require(")", "after the value")
        return constant(value, start.range.lowerBound..<lastOffset)
    }

    /// Reads an argument that belongs to something larger.
    private mutating func takeValue() throws(PredicateTextError) -> AnyRealmValue? {
        let mark = places.count
        let term = try parseOperand()
        places.removeSubrange(mark...)
        return term.value
    }

    private static let nouns = [
        "uuid": "UUID", "oid": "object id, which has 24 hexadecimal digits",
        "decimal": "decimal number of at most 34 digits", "float": "number",
        "date": "number of seconds since 2001",
    ]

    private static func value(of function: String, _ content: String) -> AnyRealmValue? {
        switch function {
        case "uuid": UUID(uuidString: content).map { .uuid($0) }
        case "oid": (try? ObjectId(string: content)).map { .objectId($0) }
        case "decimal": (try? Decimal128(string: content)).map { .decimal128($0) }
        case "float": Float(content).map { .float($0) }
        default: Double(content).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        }
    }

    /// Reads `CAST(seconds since 2001, "NSDate")`, as Foundation prints dates.
    private mutating func parseCast() throws(PredicateTextError) -> PredicateTerm {
        let (start, mark) = try open()
        defer { leave() }
        advance()
        let term = try parseOperand()
        try require(",", "and the type after the value")
        guard token.kind == .string else { throw expected("the type in quotes") }
        guard token.text == "NSDate" || token.text == "Date" else {
            throw error("CAST makes dates only: CAST(0, \"NSDate\").", at: token.range)
        }
        let seconds: Double
        switch term.value {
        case .int(let value)?: seconds = Double(value)
        case .double(let value)?: seconds = value
        default: throw error("Expected the seconds since 2001.", at: term.range)
        }
        advance()
        try require(")", "after the type")
        places.removeSubrange(mark...)
        return constant(
            .date(Date(timeIntervalSinceReferenceDate: seconds)),
            start.range.lowerBound..<lastOffset)
    }

    // MARK: Times

    /// The point in time that a token says.
    func date(_ token: PredicateToken) throws(PredicateTextError) -> Date {
        let numbers = token.text.drop { $0 == "T" }.split { ":-@T".contains($0) }.map { Int($0) }
        guard numbers.allSatisfy({ $0 != nil }) else {
            throw error("The time is too far away.", at: token.range)
        }
        let parts = numbers.compactMap(\.self)
        if token.kind == .timestamp { return Self.date(timestamp: token.text, parts) }
        let (year, month, day) = (parts[0], parts[1], parts[2])
        let days = Self.dayCount(year: year, month: month, day: day)
        let nextMonth = Self.dayCount(year: year, month: month + 1, day: 1)
        guard (1...12).contains(month), day > 0, days < nextMonth, parts[3] < 24, parts[4] < 60,
            parts[5] < 60
        else { throw error("There is no such time.", at: token.range) }
        let seconds = days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
        return Date(seconds: seconds, nanoseconds: parts.count > 6 ? parts[6] : 0)
    }

    private static func date(timestamp text: String, _ parts: [Int]) -> Date {
        let nanoseconds = text.split(separator: ":").last ?? ""
        return Date(
            seconds: text.hasPrefix("T-") ? -parts[0] : parts[0],
            nanoseconds: nanoseconds.hasPrefix("-") ? -parts[1] : parts[1])
    }

    /// The days from 1970 to a day of the Gregorian calendar. Years begin in March for it, so that
    /// the leap day is their last one. Month 13 is the first of the next year.
    private static func dayCount(year: Int, month: Int, day: Int) -> Int {
        if month > 12 { return dayCount(year: year + 1, month: 1, day: day) }
        let shiftedYear = month > 2 ? year : year - 1
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    // MARK: Subqueries

    /// Reads `SUBQUERY(path, $x, condition).@count`.
    private mutating func parseSubquery() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        advance()
        try enter(token)
        advance()
        let path = try parsePlainPath()
        try require(",", "and a variable after the collection")
        guard token.kind == .variable else { throw expected("a variable such as $x") }
        variables.append(token.text)
        advance()
        try require(",", "and a condition after the variable")
        let predicate = try parseWholeCondition()
        try require(")", "after the condition")
        variables.removeLast()
        leave()
        let isCounted =
            take(".") && token.kind == .collectionOperator
            && PredicateWords.aggregates[PredicateWords.keyword(token.text)] == .count
        guard isCounted else { throw expected(".@count after SUBQUERY(…)") }
        advance()
        return PredicateTerm(
            .operand(.subqueryCount(path, predicate)), start.range.lowerBound..<lastOffset)
    }
}

extension Date {
    /// The point in time after 1970; seconds and nanoseconds may be below zero.
    fileprivate init(seconds: Int, nanoseconds: Int) {
        let sinceReference = seconds.subtractingReportingOverflow(Self.referenceSeconds)
        let whole = sinceReference.overflow ? Double(seconds) : Double(sinceReference.partialValue)
        self.init(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1e9)
    }

    private static let referenceSeconds = 978_307_200

    /// `T<seconds>:<nanoseconds>`; nil where that would be another point in time.
    var timestampText: String? {
        let time = timeIntervalSinceReferenceDate
        guard abs(time) < 1e17 else { return nil }
        var seconds = Int(time.rounded(.down))
        var nanoseconds = Int(((time - Double(seconds)) * 1e9).rounded())
        if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds + 1, 0) }
        seconds += Self.referenceSeconds
        // Both parts have one sign, as Realm's query language has it.
        if seconds < 0, nanoseconds > 0 {
            (seconds, nanoseconds) = (seconds + 1, nanoseconds - 1_000_000_000)
        }
        guard Date(seconds: seconds, nanoseconds: nanoseconds) == self else { return nil }
        return "T\(seconds):\(nanoseconds)"
    }
}
