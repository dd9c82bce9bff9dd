import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String?
    @Persisted(indexed: .fullText(.trigrams)) var parts: String?
    @Persisted(indexed: .fullText(.codePoints)) var signs: String?
    @Persisted var plain: String?
    @Persisted var group: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    convenience init(_ id: Int, _ text: String?) {
        self.init()
        self.id = id
        (self.text, parts, signs, plain) = (text, text, text, text)
        group = id % 3
    }
}

/// What a full-text query means, written from the rules W1 to W7 alone, with strings and all
/// places.
struct PlainFullText {
    let tokenizer: FullTextTokenizer

    func units(_ text: String) -> [String] {
        if tokenizer == .words {
            var words: [String] = []
            WordSplitter.forEachWord(of: text) { words.append($0) }
            return words
        }
        let folded = text.lowercased().uppercased().lowercased()
        return folded.decomposedStringWithCanonicalMapping.unicodeScalars.compactMap { scalar in
            switch WordSplitter.kind(of: scalar) {
            case .mark: nil
            case .letter, .digit, .single: String(scalar)
            default: tokenizer == .trigrams ? String(scalar == "\u{2019}" ? "'" : scalar) : nil
            }
        }
    }

    func matches(_ query: FullTextQuery, _ text: String?) -> Bool {
        guard let text else { return false }
        return holds(query.root, units(text)) ?? false
    }

    /// Nil for what has no units.
    private func holds(_ node: FullTextQuery.Node, _ text: [String]) -> Bool? {
        switch node {
        case .term(let term):
            let wanted = units(term.text)
            if wanted.isEmpty { return nil }
            if term.isPhrase || tokenizer != .words {
                return !starts(of: wanted, term.isPrefix, text).isEmpty
            }
            return wanted.indices.allSatisfy { position in
                let isPrefix = term.isPrefix && position == wanted.count - 1
                return !starts(of: [wanted[position]], isPrefix, text).isEmpty
            }
        case .near(let terms, let distance):
            let phrases = terms.map { ($0, units($0.text)) }.filter { !$0.1.isEmpty }
            if phrases.isEmpty { return nil }
            var choices: [[(start: Int, end: Int)]] = [[]]
            for (term, phrase) in phrases {
                let found = starts(of: phrase, term.isPrefix, text)
                choices = choices.flatMap { choice in
                    found.map { choice + [($0, $0 + phrase.count)] }
                }
            }
            return choices.contains { choice in
                let last = choice.map(\.start).max() ?? 0
                return choice.allSatisfy { $0.start == last || last - $0.end <= distance }
            }
        case .not(let node): return holds(node, text).map { !$0 }
        case .all(let parts):
            let parts = parts.compactMap { holds($0, text) }
            return parts.isEmpty ? nil : parts.allSatisfy { $0 }
        case .any(let parts):
            let parts = parts.compactMap { holds($0, text) }
            return parts.isEmpty ? nil : parts.contains(true)
        }
    }

    private func starts(of wanted: [String], _ isPrefix: Bool, _ text: [String]) -> [Int] {
        text.indices.filter { start in
            start + wanted.count <= text.count
                && wanted.indices.allSatisfy { position in
                    let unit = Array(text[start + position].utf8)
                    let other = Array(wanted[position].utf8)
                    let isBeginning =
                        isPrefix && tokenizer == .words && position == wanted.count - 1
                    return isBeginning ? unit.starts(with: other) : unit == other
                }
        }
    }
}

/// Random texts and queries of few words, so that they meet.
enum FullTextSource {
    private static let words = [
        "data", "base", "database", "Data", "swift", "swiftly", "is", "a", "the", "fast", "can't",
        "Ærø", "café", "cafe\u{301}", "東京", "タワー", "1,000", "x86", "U.S.", "strasse", "straße",
        "\u{130}stanbul", "ﬁn", "Ω", "ὈΔΥΣΣΕΎΣ", "-", "!", "\u{0}", "🙂", "o’clock",
    ]

    static func text(_ random: inout SeededRandom) -> String? {
        if random.chance(5) { return nil }
        let separators = [" ", " ", " ", ", ", "-", "\n", ". "]
        var text = ""
        for _ in 0..<random.below(random.chance(5) ? 200 : 12) {
            text += random.pick(words) + random.pick(separators)
        }
        return text
    }

    static func query(_ random: inout SeededRandom, depth: Int = 0) -> FullTextQuery.Node {
        switch random.below(depth > 2 ? 4 : 9) {
        case 0...2:
            let word = random.pick(words)
            return .term(
                FullTextQuery.Term(
                    text: random.chance(30) ? String(word.prefix(1 + random.below(4))) : word,
                    isPrefix: random.chance(30)))
        case 3:
            let phrase = (0...random.below(3)).map { _ in random.pick(words) }
            return .term(
                FullTextQuery.Term(
                    text: phrase.joined(separator: " "), isPhrase: true,
                    isPrefix: random.chance(20)))
        case 4:
            let terms = (0...1 + random.below(2)).map { _ in
                FullTextQuery.Term(text: random.pick(words), isPhrase: true)
            }
            return .near(terms, distance: random.below(5))
        case 5: return .not(query(&random, depth: depth + 1))
        case 6, 7:
            return .all(of: (0...1 + random.below(2)).map { _ in query(&random, depth: depth + 1) })
        default:
            return .any(of: (0...1 + random.below(2)).map { _ in query(&random, depth: depth + 1) })
        }
    }
}
