/// Reads rules of a grammar: `name = part`, where the next rule begins with a word and an equals
/// sign.
struct GrammarReader {
    private typealias Part = StatementGrammar.Part

    private var words: [Substring]

    init(_ text: String) {
        let pattern = /"[^"]*"|[A-Za-z][A-Za-z-]*|[=|\[\]{}]/
        words = text.matches(of: pattern).map(\.output)
    }

    /// The next rule; nil after the last one.
    mutating func rule() throws -> (name: String, part: StatementGrammar.Part)? {
        if words.isEmpty { return nil }
        let name = String(words.removeFirst())
        guard words.first == "=" else {
            throw StatementGrammar.Malformed(reason: "“\(name)” begins no rule")
        }
        words.removeFirst()
        return (name, try choice())
    }

    private var isAtEnd: Bool {
        guard let word = words.first else { return true }
        return ["|", "]", "}"].contains(word) || words.count > 1 && words[1] == "="
    }

    private mutating func choice() throws -> Part {
        var parts = [try sequence()]
        while words.first == "|" {
            words.removeFirst()
            parts.append(try sequence())
        }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws -> Part {
        var parts: [Part] = []
        while !isAtEnd {
            let word = words.removeFirst()
            switch word {
            case "[": parts.append(.optional(try enclosed("]")))
            case "{": parts.append(.repeated(try enclosed("}")))
            default: parts += try element(String(word))
            }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func enclosed(_ end: Substring) throws -> Part {
        let part = try choice()
        guard words.first == end else {
            throw StatementGrammar.Malformed(reason: "a “\(end)” is missing")
        }
        words.removeFirst()
        return part
    }

    private func element(_ word: String) throws -> [Part] {
        if word.hasPrefix("\"") {
            guard let tokens = StatementToken.tokens(of: String(word.dropFirst().dropLast())) else {
                throw StatementGrammar.Malformed(reason: "\(word) is not SQL")
            }
            return tokens.map { .token($0.text) }
        }
        if word == word.uppercased() { return [.token(word)] }
        if let kind = StatementToken.Kind(rawValue: word) { return [.kind(kind)] }
        return [.rule(word)]
    }
}
