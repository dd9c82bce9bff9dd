/// The smallest part of a predicate text that has a meaning.
struct PredicateToken {
    enum Kind: Hashable {
        /// A word: a property's name, a keyword, the name of a function.
        case name
        /// A property's name with `#` before it, which is no keyword.
        case escapedName
        /// A text in quotes.
        case string
        /// What is between the parentheses of `uuid(…)` and the like, as it is written.
        case raw
        /// Digits; decimal or hexadecimal, without a sign.
        case integer
        /// Digits with a point or an exponent.
        case decimal
        /// `T<seconds>:<nanoseconds>` since 1970.
        case timestamp
        /// `2021-02-20@17:30:15:0`, in UTC.
        case calendarDate
        /// `B64"…"`: the text between the quotes.
        case base64
        /// `%@` and its relatives, without the percent sign.
        case placeholder
        /// `$0`: the digits.
        case argument
        /// `$K0`: the digits.
        case pathArgument
        /// `$x`: the variable of a subquery, with the dollar sign.
        case variable
        /// `@count` and its relatives, without the at sign.
        case collectionOperator
        /// An operator or a bracket.
        case symbol
        /// What follows the last token.
        case end
    }

    var kind: Kind
    /// What the kind says; of a string, what it means and not how it is written.
    var text: String
    /// Where it is: offsets of UTF-8 bytes.
    var range: Range<Int>

    /// The token as a message names it.
    var description: String {
        switch kind {
        case .end: "the end of the text"
        case .string: "\"\(Self.shortened(text))\""
        case .escapedName: "'#\(Self.shortened(text))'"
        case .placeholder: "'%\(text)'"
        case .argument: "'$\(text)'"
        case .pathArgument: "'$K\(text)'"
        case .collectionOperator: "'@\(Self.shortened(text))'"
        case .timestamp, .calendarDate: "the time '\(Self.shortened(text))'"
        case .base64: "data"
        case .name, .raw, .integer, .decimal, .variable, .symbol: "'\(Self.shortened(text))'"
        }
    }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    /// Whether it is a keyword, in capital or small letters.
    func isKeyword(_ keyword: String) -> Bool {
        kind == .name && text.utf8.count == keyword.utf8.count
            && PredicateWords.keyword(text) == keyword
    }

    private static func shortened(_ text: String) -> String {
        let characterCountMax = 40
        return text.utf8.count > characterCountMax
            ? text.prefix(characterCountMax) + "…" : text
    }
}
