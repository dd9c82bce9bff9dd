/// How many columns of a terminal a text takes.
enum TextWidth {
    /// The columns of a text without control characters.
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// The text, or as much of its beginning as fits with an ellipsis.
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var result = ""
        var rest = width - 1
        for character in text {
            rest -= of(character)
            if rest < 0 { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// Ideographs, Hangul, full-width forms and pictures.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
        0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff,
        0x1f900...0x1faff, 0x20000...0x3fffd,
    ]
}
