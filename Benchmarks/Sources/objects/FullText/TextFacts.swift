import Measurement

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The texts, alike for all engines, and what queries find in them.
///
/// A text has 60 words, about 500 bytes. There are 100,000 words of syllables, each as often as its
/// number says: the first in nearly all texts, most in a few.
struct TextFacts {
    static let wordCount = 100_000
    static let lengthOfTexts = 60

    /// What a query looks for.
    struct Words {
        var first: Int
        var second: Int

        var texts: (String, String) { (TextFacts.word(first), TextFacts.word(second)) }
    }

    private static let syllables = [
        "ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "ma", "ne", "pi", "qo", "ru", "sa",
        "te", "vi", "wo", "xu", "za",
    ]

    let count: Int
    /// The words of all texts, one text after the other.
    private let words: [UInt32]

    init(count: Int) {
        self.count = count
        var random = RandomStream(seed: 0xF7E5)
        let scale = log(Double(Self.wordCount))
        words = (0..<count * Self.lengthOfTexts).map { _ in
            let place = Double(random.next() >> 11) / Double(1 << 53)
            return UInt32(min(Double(Self.wordCount - 1), exp(place * scale) - 1))
        }
    }

    /// A word of three syllables or more, no two alike.
    static func word(_ number: Int) -> String {
        var rest = Int(RandomStream.mix(UInt64(number)) % 20)
        var text = syllables[rest]
        rest = number
        repeat {
            text += syllables[rest % 20]
            rest /= 20
        } while rest > 0
        return text + "n"
    }

    private func words(of id: Int) -> ArraySlice<UInt32> {
        words[id * Self.lengthOfTexts..<(id + 1) * Self.lengthOfTexts]
    }

    func text(_ id: Int) -> String {
        words(of: id).map { Self.word(Int($0)) }.joined(separator: " ")
    }

    /// The words of a query's variant.
    func words(_ query: TextWorkload, _ variant: Int) -> Words {
        let text = words(of: variant * 7919 % count)
        switch query {
        case .twoWords, .ranked:
            return Words(first: 20 + variant % 50, second: 200 + variant * 7 % 300)
        case .prefix: return Words(first: variant * 31 % 1000, second: 0)
        case .phrase:
            return Words(
                first: Int(text[text.startIndex + 9]), second: Int(text[text.startIndex + 10]))
        case .near:
            return Words(
                first: Int(text[text.startIndex + 9]), second: Int(text[text.startIndex + 15]))
        case .rankedRare:
            return Words(
                first: 30_000 + variant * 13 % 60_000, second: 30_000 + variant * 17 % 60_000)
        }
    }

    /// The letters that the prefix query looks for.
    static func beginning(_ words: Words) -> String { String(word(words.first).prefix(3)) }

    /// What engines must return.
    func result(of query: TextWorkload, _ wanted: Words) -> Int {
        let (first, second) = (UInt32(wanted.first), UInt32(wanted.second))
        let holds: (ArraySlice<UInt32>) -> Bool
        switch query {
        case .twoWords, .ranked: holds = { $0.contains(first) && $0.contains(second) }
        case .rankedRare: holds = { $0.contains(first) || $0.contains(second) }
        case .prefix:
            let beginning = Self.beginning(wanted)
            let matching = (0..<Self.wordCount).map { Self.word($0).hasPrefix(beginning) }
            holds = { $0.contains { matching[Int($0)] } }
        case .phrase: holds = { zip($0, $0.dropFirst()).contains { $0 == first && $1 == second } }
        case .near:
            holds = { text in
                let firsts = text.indices.filter { text[$0] == first }
                let seconds = text.indices.filter { text[$0] == second }
                return firsts.contains { left in seconds.contains { abs($0 - left) <= 9 } }
            }
        }
        let found = (0..<count).count { holds(words(of: $0)) }
        return query == .ranked || query == .rankedRare ? min(10, found) : found
    }
}
