@_spi(_Unicode) import Swift

/// Finds the words of a text as full-text indexes of the first kind have them (Format.md 5.7);
/// `TokenScanner` does for the others.
///
/// A word is a run of letters, digits and marks, after the rules for words of Unicode (UAX #29): an
/// apostrophe, a middle dot or a full stop between letters, and a point or comma between digits,
/// belong to it; each ideograph and each Hiragana letter is a separate word. Words are folded:
/// lower case, without marks, and compatible forms apart from these as they are. What is folded
/// alike is one word: "Ærø's" and "ÆRØ’S" are.
enum WordSplitter {
    /// The most bytes of a word that are looked at.
    static let wordByteCountMax = 128

    /// What a code point is for the division into words.
    enum Kind: UInt8, Sendable {
        case letter
        case digit
        /// A letter that is a word for itself.
        case single
        /// Belongs to what stands before it.
        case mark
        /// Joins letters that it stands between.
        case letterJoin
        /// Joins digits that it stands between.
        case digitJoin
        /// Joins either.
        case join
        case other
    }

    /// How often each word occurs.
    static func words(of text: String) -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        forEachWord(of: text) { found[$0, default: 0] += 1 }
        return found
    }

    /// Calls `body` with the words in their order.
    static func forEachWord(of text: String, _ body: (String) -> Void) {
        var word = String.UnicodeScalarView()
        var last = Kind.other
        /// A joint that belongs to the word if what follows fits.
        var joint: (kind: Kind, scalar: Unicode.Scalar)?
        func end() {
            joint = nil
            last = .other
            if word.isEmpty { return }
            body(cut(String(word)))
            word = String.UnicodeScalarView()
        }
        for scalar in folded(text)._nfd {
            let kind = kind(of: scalar)
            switch kind {
            case .mark: continue
            case .letter, .digit:
                if let (joined, character) = joint {
                    let fits =
                        last == kind
                        && (joined == .join || (kind == .letter) == (joined == .letterJoin))
                    if fits {
                        word.append(character)
                    } else {
                        end()
                    }
                    joint = nil
                }
                word.append(scalar)
                last = kind
            case .single:
                end()
                word.append(scalar)
                end()
            case .letterJoin, .digitJoin, .join:
                if word.isEmpty || joint != nil { end() } else { joint = (kind, normal(scalar)) }
            case .other: end()
            }
        }
        end()
    }

    /// Lower case by way of upper case, so that letters with one capital are alike.
    private static func folded(_ text: String) -> String { text.uppercased().lowercased() }

    private static func normal(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar == "\u{2019}" ? "'" : scalar
    }

    private static func cut(_ word: String) -> String {
        if word.utf8.count <= wordByteCountMax { return word }
        var cut = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in word.unicodeScalars {
            byteCount += UTF8.width(scalar)
            if byteCount > wordByteCountMax { break }
            cut.append(scalar)
        }
        return String(cut)
    }

    static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x30...0x39: return .digit
        case 0x41...0x5A, 0x61...0x7A: return .letter
        case 0x27, 0x2019, 0x2E: return .join
        case 0xB7, 0x3A: return .letterJoin
        case 0x2C, 0x3B: return .digitJoin
        case 0..<0x80: return .other
        case 0x3041...0x3096, 0x309D...0x309F: return .single
        default: break
        }
        let properties = scalar.properties
        if properties.isIdeographic { return .single }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            return .letter
        case .decimalNumber, .otherNumber: return .digit
        case .nonspacingMark, .enclosingMark, .format: return .mark
        case .spacingMark: return .letter
        default: return .other
        }
    }
}
