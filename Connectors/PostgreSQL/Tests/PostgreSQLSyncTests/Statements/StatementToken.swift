/// A word, name, literal or sign of a statement.
struct StatementToken: Equatable {
    enum Kind: String {
        case word, name, text, parameter, number, sign
    }

    let kind: Kind
    /// As it is written.
    let text: String

    /// The tokens of a statement; nil where something is none.
    static func tokens(of statement: String) -> [StatementToken]? {
        let patterns: [(Kind, Regex<Substring>)] = [
            (.text, /E?'(?:[^'\\]|''|\\.)*'/.dotMatchesNewlines()), (.name, /"(?:[^"]|"")+"/),
            (.parameter, /\$[0-9]+/), (.word, /[A-Za-z_][A-Za-z_0-9]*/),
            (.number, /-?[0-9][0-9.]*/), (.sign, /[(),.=\[\];*]/),
        ]
        var rest = statement[...].drop(while: \.isWhitespace)
        var tokens: [StatementToken] = []
        while !rest.isEmpty {
            let found = patterns.lazy.compactMap { kind, pattern in
                rest.prefixMatch(of: pattern).map { (kind, $0.output) }
            }.first
            guard let (kind, text) = found else { return nil }
            tokens.append(StatementToken(kind: kind, text: String(text)))
            rest = rest[text.endIndex...].drop(while: \.isWhitespace)
        }
        return tokens
    }
}
