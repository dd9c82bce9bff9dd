/// The brackets of a line of text that may be no JSON: those in quotes do not count, and quotes end
/// with the line at the latest.
struct BracketLine {
    /// The brackets that end what the line leaves open, the innermost last.
    private(set) var closers: [UInt8]
    /// Whether a bracket ends something that the line did not open.
    private(set) var closesEarlier = false
    /// Whether a bracket ends what one of another kind opened.
    private(set) var isMismatched = false
    /// The bytes after which all that was open is closed for the first time.
    private(set) var firstEnd: Int?
    /// Whether the first byte that is not space is a closing bracket.
    private(set) var beginsWithCloser = false
    /// Whether quotes are open at the end.
    private(set) var isInText = false
    /// Whether there are quotes.
    private(set) var hasQuotes = false
    /// Whether a comment, or a text in other quotes, may hide brackets or quotes of the line, none
    /// of which JSON has.
    private(set) var isInDoubt = false
    /// The other quotes that are open, or what begins a comment up to the end of the line.
    private var hiding: UInt8?
    private var last: UInt8 = 0
    /// The bytes of the line without the space at its end.
    private(set) var byteCount = 0

    /// The brackets of a line, after others that are open.
    init(_ line: UnsafeRawBufferPointer, open: [UInt8] = []) {
        closers = open
        var isEscaped = false
        for (offset, byte) in line.enumerated() {
            if byte != 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                if byteCount == 0 {
                    beginsWithCloser = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
                }
                byteCount = offset + 1
            }
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            doubt(byte)
            take(byte, offset)
        }
        // These may end on another line.
        if hiding == UInt8(ascii: "`") { isInDoubt = true }
    }

    /// Looks for comments and other quotes, and what they hide.
    private mutating func doubt(_ byte: UInt8) {
        defer { last = byte }
        if let hiding {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "\""):
                isInDoubt = true
            case hiding where hiding != UInt8(ascii: "/"): self.hiding = nil
            default: break
            }
            return
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "`"): hiding = byte
        case UInt8(ascii: "#"): hiding = UInt8(ascii: "/")
        case UInt8(ascii: "/") where last == byte: hiding = byte
        case UInt8(ascii: "*") where last == UInt8(ascii: "/"): isInDoubt = true
        default: break
        }
    }

    private mutating func take(_ byte: UInt8, _ offset: Int) {
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            hasQuotes = true
        case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
        case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            switch closers.popLast() {
            case nil: closesEarlier = true
            case byte?: break
            default: isMismatched = true
            }
            if closers.isEmpty, firstEnd == nil { firstEnd = offset + 1 }
        default: break
        }
    }

    /// Whether there is nothing but space.
    var isBlank: Bool { byteCount == 0 }

    /// Whether it opens nothing that it does not close, and closes nothing else.
    var isBalanced: Bool { closers.isEmpty && !closesEarlier && !isMismatched && !isInText }

    /// Whether its first bracket is not closed.
    var isUnclosed: Bool { !closers.isEmpty && firstEnd == nil }

    /// Whether it is one pair of brackets with something inside, from its first byte to its last.
    var isPair: Bool { isBalanced && firstEnd == byteCount && byteCount > 0 }
}
