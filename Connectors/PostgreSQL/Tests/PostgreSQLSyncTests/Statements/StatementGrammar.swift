import Foundation

/// A grammar in the notation of `Documentation/PostgreSQL.md`, 15.8.
struct StatementGrammar {
    /// A part of a rule.
    indirect enum Part {
        case token(String)
        case kind(StatementToken.Kind)
        case rule(String)
        case sequence([Part])
        case choice([Part])
        case optional(Part)
        case repeated(Part)
    }

    struct Malformed: Error {
        let reason: String
    }

    private(set) var rules: [String: Part] = [:]

    /// The grammar in the first block of the language `ebnf`.
    init(document: String) throws {
        guard let start = document.range(of: "```ebnf\n"),
            let end = document.range(of: "\n```", range: start.upperBound..<document.endIndex)
        else { throw Malformed(reason: "there is no block of grammar") }
        var reader = GrammarReader(String(document[start.upperBound..<end.lowerBound]))
        while let (name, part) = try reader.rule() { rules[name] = part }
    }

    /// Whether a statement is one of the grammar.
    func derives(_ statement: String) -> Bool {
        guard let tokens = StatementToken.tokens(of: statement) else { return false }
        return ends(.rule("statement"), tokens, 0).contains(tokens.count)
    }

    /// All places where a part that begins at a place may end.
    private func ends(_ part: Part, _ tokens: [StatementToken], _ start: Int) -> Set<Int> {
        switch part {
        case .token(let text): start < tokens.count && tokens[start].text == text ? [start + 1] : []
        case .kind(let kind): start < tokens.count && tokens[start].kind == kind ? [start + 1] : []
        case .rule(let name): rules[name].map { ends($0, tokens, start) } ?? []
        case .sequence(let parts):
            parts.reduce([start]) { places, part in
                places.reduce(into: []) { $0.formUnion(ends(part, tokens, $1)) }
            }
        case .choice(let parts):
            parts.reduce(into: []) { $0.formUnion(ends($1, tokens, start)) }
        case .optional(let part): ends(part, tokens, start).union([start])
        case .repeated(let part): repetitions(part, tokens, start)
        }
    }

    private func repetitions(_ part: Part, _ tokens: [StatementToken], _ start: Int) -> Set<Int> {
        var (found, newest): (Set<Int>, Set<Int>) = ([start], [start])
        while !newest.isEmpty {
            let next = newest.reduce(into: Set<Int>()) { $0.formUnion(ends(part, tokens, $1)) }
            newest = next.subtracting(found)
            found.formUnion(newest)
        }
        return found
    }

    // MARK: Forms

    /// The alternatives of all rules, and what may be left out or repeated: each as the grammar
    /// that lacks it.
    var reduced: [(form: String, grammar: StatementGrammar)] {
        rules.flatMap { name, part in
            Self.reductions(of: part).map { form, reduced in
                var grammar = self
                grammar.rules[name] = reduced
                return ("\(name): \(form)", grammar)
            }
        }.sorted { $0.form < $1.form }
    }

    private static func reductions(of part: Part) -> [(String, Part)] {
        switch part {
        case .token, .kind, .rule: []
        case .sequence(let parts):
            parts.indices.flatMap { place in
                reductions(of: parts[place]).map { form, part in
                    (form, .sequence(replacing(parts, place, part)))
                }
            }
        case .choice(let parts):
            parts.indices.flatMap { place -> [(String, Part)] in
                let others = parts.indices.filter { $0 != place }.map { parts[$0] }
                return [("\(parts[place])", .choice(others))]
                    + reductions(of: parts[place]).map { form, part in
                        (form, .choice(replacing(parts, place, part)))
                    }
            }
        case .optional(let part), .repeated(let part): [("\(part)", .sequence([]))]
        }
    }

    private static func replacing(_ parts: [Part], _ place: Int, _ part: Part) -> [Part] {
        var parts = parts
        parts[place] = part
        return parts
    }
}

extension StatementGrammar.Part: CustomStringConvertible {
    var description: String {
        switch self {
        case .token(let text): text
        case .kind(let kind): kind.rawValue
        case .rule(let name): name
        case .sequence(let parts): parts.map(\.description).joined(separator: " ")
        case .choice(let parts): parts.map(\.description).joined(separator: " | ")
        case .optional(let part): "[ \(part) ]"
        case .repeated(let part): "{ \(part) }"
        }
    }
}
