import PostgreSQLServer

extension SeededRandom {
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
