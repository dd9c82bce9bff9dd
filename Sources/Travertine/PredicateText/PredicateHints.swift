/// What to write in place of what is often written, as sentences that follow a message.
enum PredicateHints {
    /// For a name that stands where a value is compared, and that no property has.
    static func quotes(around name: String) -> String {
        " A text is written in quotes: \(PredicateWords.quoted(name))."
    }

    /// For a point in time that is something else.
    static let date =
        " A date as text is one of ISO 8601: '2026-01-31T12:00:00Z' or '2026-01-31'; without quotes "
        + "it is 2026-01-31@12:00:00."

    /// For a list beside `==` and the like.
    static let list = " To compare with each of several values, write IN {1, 2} or IN %@."

    /// For a property that stands alone, as a bool does in Swift.
    static func condition(_ path: PropertyPath) -> String {
        " A property that is a bool is compared, too: \(path) == TRUE."
    }

    /// For `%` before something that is no argument.
    static let wildcards =
        " In LIKE, * is any number of characters and ? is one: name LIKE '*a*'."

    /// For arguments that a text doesn't use, although it has a placeholder in quotes.
    static func quotedPlaceholder(in text: String) -> String {
        let isQuoted = ["'%@'", "\"%@\"", "'%K'", "\"%K\"", "%@*'", "%@*\"", "%@'", "%@\""].contains
        {
            text.contains($0)
        }
        return isQuoted
            ? " In quotes %@ is text: write it without, and CONTAINS or BEGINSWITH for a part of a "
                + "text." : ""
    }

    /// For a function that there is not.
    static func function(_ name: String, argument: String?) -> String {
        let path = argument ?? "name"
        switch name.lowercased() {
        case "lower", "lowercase", "upper", "uppercase", "lcase", "ucase":
            return " To compare without case, write \(path) ==[c] 'text'."
        case "now", "today", "currentdate", "current_timestamp", "datetime", "timestamp",
            "datefrom":
            return " Pass the point in time as an argument for %@." + date
        case "count", "sum", "min", "max", "avg", "average", "size", "length", "len":
            let known = ["average": "avg", "size": "count", "length": "count", "len": "count"]
            let aggregate = known[name.lowercased()] ?? name.lowercased()
            return " Of a collection, write \(path).@\(aggregate)."
        case "contains", "startswith", "beginswith", "endswith", "like":
            let word =
                name.lowercased() == "startswith" ? "BEGINSWITH" : name.uppercased()
            return " Write it between the two: \(path) \(word) 'text'."
        case "isnull", "ifnull", "coalesce": return " Write \(path) == NULL."
        case "in": return " Write it between the two: \(path) IN {1, 2}."
        default: break
        }
        let functions = PredicateWords.functions.union(PredicateWords.rawFunctions).sorted()
        let near = NearNames.near(name, among: functions)
        if !near.isEmpty { return " Did you mean \(near.joined(separator: " or "))?" }
        return " There are \(functions.filter { $0 != "obj" }.joined(separator: ", "))."
    }
}
