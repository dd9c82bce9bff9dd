/// What is wrong with a predicate text, and where.
///
/// ```
/// Expected a comparison such as ==, <, IN or CONTAINS after 'age', but found '3'.
///   name == 'Ada' AND age 3
///                         ^
/// ```
struct PredicateTextError: Error, Equatable, CustomStringConvertible {
    /// What was expected and what was found, as a sentence.
    var message: String
    /// Where in the text: offsets of UTF-8 bytes.
    var range: Range<Int>
    /// The whole text.
    var text: String

    /// The message, the line, and a caret under the place.
    var description: String { Self.describe(message, at: range, in: text) }

    /// A message with the line of the text that it concerns, and a caret under the place.
    static func describe(_ message: String, at range: Range<Int>, in text: String) -> String {
        let bytes = Array(text.utf8)
        let lower = min(max(range.lowerBound, 0), bytes.count)
        let upper = min(max(range.upperBound, lower), bytes.count)
        let newline = UInt8(ascii: "\n")
        let lineStart = bytes[..<lower].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let lineEnd = bytes[lower...].firstIndex(of: newline) ?? bytes.count
        let before = characters(bytes[lineStart..<lower])
        let marked = characters(bytes[lower..<min(upper, lineEnd)])
        let after = characters(bytes[min(upper, lineEnd)..<lineEnd])
        let lead = before.suffix(leadCountMax)
        let shown = marked.prefix(markedCountMax)
        let tail = shown.count < marked.count ? [] : after.prefix(tailCountMax)
        let opening = lead.count < before.count ? "…" : ""
        let isCut = shown.count < marked.count || tail.count < after.count
        let line = opening + String(lead) + String(shown) + String(tail) + (isCut ? "…" : "")
        // Tabs stay tabs, so that the caret is under the place however wide they are.
        let indent = (Array(opening) + lead).map { $0 == "\t" ? "\t" : " " }.joined()
        let caret = "^" + String(repeating: "~", count: max(0, shown.count - 1))
        let lineNumber = bytes[..<lower].count { $0 == newline } + 1
        let place = lineNumber > 1 ? "\nLine \(lineNumber):" : ""
        return "\(message)\(place)\n  \(line)\n  \(indent)\(caret)"
    }

    private static let leadCountMax = 60
    private static let markedCountMax = 60
    private static let tailCountMax = 40

    private static func characters(_ bytes: ArraySlice<UInt8>) -> [Character] {
        Array(String(decoding: bytes, as: UTF8.self)).map { $0 == "\r" ? " " : $0 }
    }
}
