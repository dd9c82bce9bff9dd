/// A search for words in texts.
///
/// ```swift
/// let query = try FullTextQuery(field.text)  // for example: swift "data base" -sql
/// let found = articles.where { $0.text.fullText(query) }
/// for match in articles.ranked(by: \.title, \.text, matching: query, limit: 10) {
///     print(match.score, match.object.title, match.snippet(of: \.text))
/// }
/// ```
/// | text | finds texts with |
/// |---|---|
/// | `data base` | both words, in any order |
/// | `"data base"` | the words one right after the other |
/// | `data*`, `"data ba"*` | a word that begins so, alone or as the last one of a phrase |
/// | `data -base` | the first word and not the second one; `-` may also precede a phrase or `(` |
/// | `data OR base` | one of them, or both; it binds less than words beside each other |
/// | `NEAR(data base, 5)` | both, with at most five words between them; ten if there is no number |
/// | `(a OR b) c` | as the parentheses say |
///
/// Case and marks do not count. `AND` and `NOT` can be written too; a word that is one of these
/// operators is written in lower case or in quotes. `description` is a text of an equal query.
public struct FullTextQuery: Sendable, Hashable {
    /// One word, or several in quotes.
    struct Term: Sendable, Hashable {
        var text: String
        /// Whether it is in quotes.
        var isPhrase = false
        /// Whether words that begin as its last one are found too.
        var isPrefix = false
    }

    indirect enum Node: Sendable, Hashable {
        case term(Term)
        /// Two or more terms that are close to one another.
        case near([Term], distance: Int)
        case not(Node)
        /// Two or more, none of which is `all` itself; no part finds nothing.
        case all([Node])
        /// Two or more, none of which is `any` itself.
        case any([Node])

        /// All of the parts.
        static func all(of parts: [Node]) -> Node {
            let flat = parts.flatMap { part in
                if case .all(let parts) = part { parts } else { [part] }
            }
            return flat.count == 1 ? flat[0] : .all(flat)
        }

        /// At least one of the parts.
        static func any(of parts: [Node]) -> Node {
            let flat = parts.flatMap { part in
                if case .any(let parts) = part { parts } else { [part] }
            }
            return flat.count == 1 ? flat[0] : .any(flat)
        }
    }

    /// The most words that `NEAR` allows between.
    public static let distanceMax = 10_000
    /// The words that `NEAR` allows between if nothing is said.
    static let distanceDefault = 10
    /// The most levels of parentheses and negations.
    static let depthMax = 64

    let root: Node

    init(_ root: Node) { self.root = root }

    /// The query that a text says. A literal is one of the program and stops it if it is wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong and
    ///   marks the place, for a quote or a parenthesis that is not closed, an operator without its
    ///   words, and the like.
    public init(_ text: String) throws {
        do throws(FullTextSyntaxError) {
            root = try FullTextParser.parse(text)
        } catch {
            throw Realm.Error(
                .invalidInput,
                PredicateTextError.describe(error.message, at: error.range, in: text))
        }
    }

    /// A query for all words of a text, whatever signs are in it: nothing is an operator.
    public init(words text: String) {
        let pieces = text.unicodeScalars.split {
            $0.properties.isWhitespace || $0 == "\"" || $0 == "(" || $0 == ")" || $0 == "*"
        }
        let terms = pieces.compactMap { piece -> Node? in
            let word = String(String.UnicodeScalarView(piece.drop { $0 == "-" }))
            if word.isEmpty { return nil }
            return .term(Term(text: FullTextParser.isOperator(word) ? word.lowercased() : word))
        }
        root = .all(of: terms)
    }
}

extension FullTextQuery: ExpressibleByStringLiteral {
    /// The query that a literal says; stops for one that is wrong.
    public init(stringLiteral text: String) { self = stoppingForMisuse { try Self(text) } }
}

extension FullTextQuery: CustomStringConvertible {
    /// A text that makes an equal query.
    public var description: String {
        if case .all(let parts) = root {
            return parts.map { Self.text($0, isInAll: true) }.joined(separator: " ")
        }
        return Self.text(root, isInAll: false)
    }

    /// - Parameter isInAll: whether alternatives need parentheses.
    private static func text(_ node: Node, isInAll: Bool) -> String {
        switch node {
        case .term(let term): return text(term)
        case .near(let terms, let distance):
            return "NEAR(\(terms.map { text($0) }.joined(separator: " ")), \(distance))"
        case .not(let node): return "-" + primary(node)
        case .all(let parts):
            return parts.map { text($0, isInAll: true) }.joined(separator: " ")
        case .any(let parts):
            let text = parts.map { Self.text($0, isInAll: false) }.joined(separator: " OR ")
            return isInAll ? "(\(text))" : text
        }
    }

    /// A part that needs parentheses unless it is one term.
    private static func primary(_ node: Node) -> String {
        switch node {
        case .term, .near: text(node, isInAll: true)
        case .not, .all, .any: "(\(text(node, isInAll: false)))"
        }
    }

    private static func text(_ term: Term) -> String {
        let star = term.isPrefix ? "*" : ""
        if !term.isPhrase { return term.text + star }
        var text = "\""
        for scalar in term.text.unicodeScalars {
            text.unicodeScalars.append(scalar)
            if scalar == "\"" { text += "\"" }
        }
        return text + "\"" + star
    }
}
