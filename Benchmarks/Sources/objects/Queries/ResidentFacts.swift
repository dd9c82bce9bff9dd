import Measurement

/// What a resident's properties are, computed from its number, alike for all engines.
///
/// Residents 0..<N: `name` one of 10,000, two words of three syllables and a number; `age` 0–99 and
/// `points` 0–999, not indexed; `year` one of 10,000, indexed; `score` not indexed and `rank`
/// indexed; `friend` a resident with a lower number; `friends` none to four of them.
struct ResidentFacts {
    static let nameCount = 10_000
    static let yearCount = 10_000
    /// Three letters that about one name in fifty contains.
    static let namePart = "vel"
    /// The first letters of about one name in a hundred.
    static let namePrefix = "Lume"

    private static let starts = ["Ma", "Lu", "Do", "Sé", "Ta", "Ri", "No", "Ke", "Ju", "Pá"]
    private static let middles = ["ro", "me", "li", "ta", "nu", "ve", "do", "sa", "ki", "po"]
    private static let ends = ["na", "re", "lo", "mi", "tu", "l", "s", "da", "ri", "co"]

    let id: Int
    private let bits: UInt64

    init(_ id: Int) {
        self.id = id
        bits = RandomStream.mix(UInt64(id) &+ 0x5E51_DE47)
    }

    static func name(_ index: Int) -> String {
        let first = starts[index % 10] + middles[index / 10 % 10] + ends[index / 1000 % 10]
        let last = starts[(index / 7 + 3) % 10] + middles[index / 100 % 10] + ends[index / 13 % 10]
        return "\(first) \(last) \(index)"
    }

    var nameIndex: Int { Int(bits % UInt64(Self.nameCount)) }
    var age: Int { Int(bits >> 20 % 100) }
    var year: Int { Int(bits >> 27 % UInt64(Self.yearCount)) }
    var points: Int { Int(bits >> 41 % 1000) }
    var score: Double { Double(RandomStream.mix(bits) >> 11) / Double(1 << 53) }
    var rank: Double { Double(RandomStream.mix(bits &+ 2) >> 11) / Double(1 << 53) }
    var friendId: Int? { id == 0 ? nil : Int(RandomStream.mix(bits &+ 1) % UInt64(id)) }

    /// Different residents with lower numbers.
    var friendIds: [Int] {
        guard id > 8 else { return [] }
        let first = RandomStream.mix(bits &+ 3)
        return (0..<Int(first % 5)).map { Int((first >> 8 &+ UInt64($0)) % UInt64(id)) }
    }
}
