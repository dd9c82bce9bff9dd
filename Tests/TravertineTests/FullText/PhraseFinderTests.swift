import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Phrases of plain words are compared byte by byte where nothing else is around them: what
/// divides, joins, accents or folds must make no difference.
@Suite("Phrases in plain texts")
struct PhraseFinderTests {
    private static let words = ["time", "Time", "TIM", "times", "zone", "z", "x86", "1", "zonE"]
    private static let others = ["tíme", "zo\u{301}ne", "\u{212A}", "ﬁ", "é", "東", "tim\u{301}"]
    private static let dividers = [" ", "  ", "\n", ", ", "-", "_", " (", "! ", "\u{0}"]
    private static let joiners = ["'", ".", ":", ",", ";", " '", "' ", ". ", "’", "\u{301}", "·"]

    private func text(_ random: inout SeededRandom) -> String {
        var text = random.chance(20) ? random.pick(Self.joiners) : ""
        for _ in 0..<1 + random.below(12) {
            text += random.chance(8) ? random.pick(Self.others) : random.pick(Self.words)
            text += random.chance(25) ? random.pick(Self.joiners) : random.pick(Self.dividers)
        }
        // Few others, so that the quick way is taken.
        return text + String(repeating: " pad", count: random.below(8))
    }

    @Test(
        "a phrase is found in a text exactly where a plain evaluator finds it",
        arguments: [UInt64(11), 12, 13, 14])
    func phrases(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let plain = PlainFullText(tokenizer: .words)
        var foundCount = 0
        for _ in 0..<1500 {
            let text = text(&random)
            let phrase = (0...random.below(3)).map { _ in random.pick(Self.words) }
            let node = FullTextQuery.Node.term(
                FullTextQuery.Term(
                    text: phrase.joined(separator: " "), isPhrase: true,
                    isPrefix: random.chance(30)))
            let query = FullTextQuery(node)
            let expected = plain.matches(query, text)
            let matcher = FullTextMatcher(FullTextPattern(query, .words))
            var copy = text
            let found = copy.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0)) }
            #expect(found == expected, "seed \(seed): \(query) in \(text.debugDescription)")
            if found { foundCount += 1 }
        }
        #expect(foundCount > 100)
    }

    @Test(
        "a phrase ends and begins with whole words",
        arguments: [
            ("time zone", true), ("time  zone", true), ("time zones", false), ("time zone.", true),
            ("xtime zone", false), ("time_zone", true), ("time.zone", false), ("time, zone", true),
            ("time zone's", false), ("time zone' x", true), ("time zone\u{301}", true),
            ("tíme zone", true), ("time", false), ("time ", false), ("time zon", false),
            ("time 'zone'", true), ("a time time zone", true), ("time:zone", false),
        ])
    func ends(text: String, isFound: Bool) throws {
        let query = try FullTextQuery("\"time zone\"")
        let matcher = FullTextMatcher(FullTextPattern(query, .words))
        var copy = text
        #expect(copy.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0)) } == isFound)
        #expect(PlainFullText(tokenizer: .words).matches(query, text) == isFound)
    }
}
