/// A repeatable source of random numbers (SplitMix64): the same seed gives the same sequence.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A text of characters of all widths, control characters and those that SQL treats specially
    /// among them, and never U+0000.
    mutating func text(characterCountMax: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...characterCountMax, using: &self) {
            scalars.append(scalar())
        }
        return String(scalars)
    }

    private mutating func scalar() -> Unicode.Scalar {
        let special: [Unicode.Scalar] = [
            "\"", "'", "\\", "\t", "\n", "\r", ".", "N", "{", "}", ",", " ", "%", "$", ";", "é",
            "\u{301}", "\u{FEFF}", "\u{7F}", "\u{1}", "\u{2028}", "\u{FFFF}", "🦊",
        ]
        switch UInt8.random(in: 0..<4, using: &self) {
        case 0: return special.randomElement(using: &self)!
        case 1: return Unicode.Scalar(UInt8.random(in: 0x20...0x7e, using: &self))
        case 2: return Unicode.Scalar(UInt32.random(in: 0xa0...0xd7ff, using: &self))!
        default: return Unicode.Scalar(UInt32.random(in: 0xe000...0x10ffff, using: &self))!
        }
    }

    mutating func bytes(countMax: Int) -> [UInt8] {
        (0..<Int.random(in: 0...countMax, using: &self)).map { _ in
            UInt8.random(in: 0...255, using: &self)
        }
    }
}
