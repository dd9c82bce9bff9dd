/// A query as it is written: the type, then its condition and what is done with the objects.
///
/// ```
/// query   type [WHERE condition] descriptor*
/// type    name | 'text' | "text"
/// ```
/// `condition` and `descriptor` are predicate text, which the library reads.
struct QueryText: Equatable {
    /// The stored name of the type.
    let type: String
    /// The predicate text; empty for all objects.
    let predicate: String
    /// The characters of the type in `text`.
    private let typeRange: Range<Int>
    private let text: String

    /// Words that may follow the type without WHERE.
    static let descriptors = ["SORT", "DISTINCT", "LIMIT", "OFFSET", "FILTER"]

    init(_ text: String) throws {
        let characters = Array(text)
        let start = characters.firstIndex { !$0.isWhitespace } ?? characters.count
        guard start < characters.count else {
            throw CommandError(
                ExitStatus.usage, "the query is empty. It begins with the name of a type.")
        }
        var end = start
        if let quote = characters[start].asQuote {
            guard let closing = characters[(start + 1)...].firstIndex(of: quote) else {
                throw Self.error(
                    "The name of the type has no closing quote.", at: start..<characters.count,
                    in: text)
            }
            type = String(characters[(start + 1)..<closing])
            end = closing + 1
        } else {
            end = characters[start...].firstIndex(where: \.isWhitespace) ?? characters.count
            type = String(characters[start..<end])
        }
        typeRange = start..<end
        self.text = text
        predicate = try Self.predicate(characters, after: end, type, in: text)
    }

    /// The predicate text after the type.
    private static func predicate(
        _ characters: [Character], after end: Int, _ type: String, in text: String
    ) throws -> String {
        guard let next = characters[end...].firstIndex(where: { !$0.isWhitespace }) else {
            return ""
        }
        let wordEnd = characters[next...].firstIndex { !$0.isLetter } ?? characters.count
        let word = String(characters[next..<wordEnd]).uppercased()
        if word == "WHERE" {
            let rest = String(characters[wordEnd...])
            guard rest.contains(where: { !$0.isWhitespace }) else {
                throw error(
                    "There is no condition after '\(String(characters[next..<wordEnd]))'.",
                    at: characters.count..<characters.count, in: text)
            }
            return String(rest.drop(while: \.isWhitespace))
        }
        if descriptors.contains(word) { return String(characters[next...]) }
        let stop = characters[next...].firstIndex(where: \.isWhitespace) ?? characters.count
        throw error(
            "Expected WHERE, SORT, DISTINCT or LIMIT after '\(type)', but found "
                + "'\(String(characters[next..<stop]))'.", at: next..<stop, in: text)
    }

    /// An error that concerns the type, with a caret under it.
    func typeError(_ message: String) -> CommandError {
        Self.error(message, at: typeRange, in: text)
    }

    private static func error(
        _ message: String, at range: Range<Int>, in text: String
    ) -> CommandError {
        let shown = text.map { $0.isNewline ? " " : $0 }
        // A name is short; of what follows, the beginning says enough.
        let line = String(shown.prefix(range.upperBound + tailCountMax))
        let indent = String(shown[..<range.lowerBound].map { $0 == "\t" ? "\t" : " " })
        let caret = "^" + String(repeating: "~", count: max(0, range.count - 1))
        return CommandError(ExitStatus.usage, "\(message)\n  \(line)\n  \(indent)\(caret)")
    }

    private static let tailCountMax = 40

    /// A name of a type as a query has it: in quotes if it is more than one word.
    static func written(type: String) -> String {
        guard type.contains(where: { $0.isWhitespace || $0.asQuote != nil }) else { return type }
        return type.contains("'") ? "\"\(type)\"" : "'\(type)'"
    }
}

extension Character {
    /// The character itself if it begins a text in quotes.
    fileprivate var asQuote: Character? { self == "'" || self == "\"" ? self : nil }
}
