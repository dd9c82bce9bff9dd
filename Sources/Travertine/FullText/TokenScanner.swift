/// Divides texts into units: words, or single characters, folded (`FoldedScalars`).
///
/// It works on bytes and makes no string. A unit is given with the place of its bytes in the text.
struct TokenScanner {
    /// The most bytes that a unit has; what a longer word has beyond them does not count.
    static let unitByteCountMax = 128

    let tokenizer: FullTextTokenizer
    /// The unit that is being read.
    private var unit: [UInt8] = []
    private var start = 0
    private var end = 0
    private var isCut = false
    private var last = WordSplitter.Kind.other
    /// A character that belongs to the word if what follows fits.
    private var joint: (kind: WordSplitter.Kind, bytes: UInt32, byteCount: UInt8)?
    private var isStopped = false
    private var block: (number: UInt32, scalars: FoldedScalars)?

    init(_ tokenizer: FullTextTokenizer) {
        self.tokenizer = tokenizer
        unit.reserveCapacity(Self.unitByteCountMax + 8)
    }

    /// Calls `body` with each unit, and where it begins and ends in the text, in their order, until
    /// it returns false.
    mutating func forEachUnit(
        of text: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool
    ) {
        isStopped = false
        unit.removeAll(keepingCapacity: true)
        joint = nil
        last = .other
        isCut = false
        var offset = 0
        while offset < text.count, !isStopped {
            let byte = text[offset]
            if byte < 0x80, tokenizer == .words, joint == nil {
                let next = takeRun(in: text, at: offset, body)
                if next > offset {
                    offset = next
                    continue
                }
            }
            if byte < 0x80 {
                let item = Self.asciiItems[Int(byte)]
                take(item, at: offset, offset + 1, body)
                offset += 1
                continue
            }
            let (scalar, next) = Self.scalar(in: text, at: offset)
            let number = scalar >> 8
            let scalars: FoldedScalars
            if let block, block.number == number {
                scalars = block.scalars
            } else {
                scalars = FoldedScalars.block(of: scalar)
                block = (number, scalars)
            }
            scalars.forEachItem(of: scalar) { take($0, at: offset, next, body) }
            offset = next
        }
        if !isStopped { endWord(body) }
    }

    /// Calls `body` with each token that an index has of the text: its units, or every three that
    /// follow one another.
    mutating func forEachToken(
        of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard tokenizer == .trigrams else {
            return forEachUnit(of: text) { unit, _, _ in
                body(unit)
                return true
            }
        }
        var window = TrigramWindow()
        forEachUnit(of: text) { unit, _, _ in
            window.append(unit, body)
            return true
        }
    }

    // MARK: Units

    @inline(__always)
    private mutating func take(
        _ item: FoldedScalars.Item, at offset: Int, _ next: Int,
        _ body: (UnsafeRawBufferPointer, Int, Int) -> Bool
    ) {
        switch tokenizer {
        case .words: takeForWord(item, offset, next, body)
        case .codePoints:
            switch item.kind {
            case .letter, .digit, .single: emit(item, offset, next, body)
            default: break
            }
        case .trigrams:
            if item.kind != .mark { emit(item, offset, next, body) }
        }
    }

    private mutating func emit(
        _ item: FoldedScalars.Item, _ offset: Int, _ next: Int,
        _ body: (UnsafeRawBufferPointer, Int, Int) -> Bool
    ) {
        if isStopped { return }
        let goesOn = withUnsafeBytes(of: item.bytes.littleEndian) {
            body(UnsafeRawBufferPointer(rebasing: $0[..<Int(item.byteCount)]), offset, next)
        }
        if !goesOn { isStopped = true }
    }

    @inline(__always)
    private mutating func takeForWord(
        _ item: FoldedScalars.Item, _ offset: Int, _ next: Int,
        _ body: (UnsafeRawBufferPointer, Int, Int) -> Bool
    ) {
        switch item.kind {
        case .mark:
            if !unit.isEmpty, joint == nil { end = next }
        case .letter, .digit:
            if let (kind, bytes, byteCount) = joint {
                let fits =
                    last == item.kind
                    && (kind == .join || (item.kind == .letter) == (kind == .letterJoin))
                if fits { append(bytes, byteCount) } else { endWord(body) }
                joint = nil
            }
            if unit.isEmpty { start = offset }
            append(item.bytes, item.byteCount)
            end = next
            last = item.kind
        case .single:
            endWord(body)
            emit(item, offset, next, body)
        case .letterJoin, .digitJoin, .join:
            if unit.isEmpty || joint != nil {
                endWord(body)
            } else {
                joint = (item.kind, item.bytes, item.byteCount)
            }
        case .other: endWord(body)
        }
    }

    /// Takes ASCII letters and digits in a row, and what ends the word after them if it is plain;
    /// gives where what follows begins.
    @inline(__always)
    private mutating func takeRun(
        in text: UnsafeRawBufferPointer, at offset: Int,
        _ body: (UnsafeRawBufferPointer, Int, Int) -> Bool
    ) -> Int {
        var next = offset
        var hasCapital = false
        while next < text.count {
            let byte = text[next]
            if byte &- 0x61 < 26 || byte &- 0x30 < 10 {
                next += 1
            } else if byte &- 0x41 < 26 {
                hasCapital = true
                next += 1
            } else {
                break
            }
        }
        let isPlainEnd = next == text.count || Self.isOther(text[next])
        if next == offset {
            guard isPlainEnd, unit.isEmpty else { return offset }
            last = .other
            return offset + 1
        }
        if isPlainEnd, !hasCapital, unit.isEmpty, next - offset <= Self.unitByteCountMax {
            if !body(UnsafeRawBufferPointer(rebasing: text[offset..<next]), offset, next) {
                isStopped = true
            }
            last = .other
            return min(next + 1, text.count)
        }
        if unit.isEmpty { start = offset }
        for position in offset..<next {
            let byte = text[position]
            if unit.count == Self.unitByteCountMax { isCut = true }
            if !isCut { unit.append(byte &- 0x41 < 26 ? byte | 0x20 : byte) }
        }
        end = next
        last = text[next - 1] &- 0x30 < 10 ? .digit : .letter
        return next
    }

    /// Whether a character is ASCII and no part of words.
    @inline(__always)
    private static func isOther(_ byte: UInt8) -> Bool {
        if byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 { return false }
        switch byte {
        case 0x27, 0x2E, 0x3A, 0x2C, 0x3B: return false
        default: return true
        }
    }

    @inline(__always)
    private mutating func append(_ bytes: UInt32, _ byteCount: UInt8) {
        if isCut { return }
        if unit.count + Int(byteCount) > Self.unitByteCountMax {
            isCut = true
            return
        }
        var rest = bytes
        for _ in 0..<byteCount {
            unit.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    @inline(__always)
    private mutating func endWord(_ body: (UnsafeRawBufferPointer, Int, Int) -> Bool) {
        joint = nil
        last = .other
        if unit.isEmpty { return }
        if !isStopped, !unit.withUnsafeBytes({ body($0, start, end) }) { isStopped = true }
        unit.removeAll(keepingCapacity: true)
        isCut = false
    }

    // MARK: Characters

    /// What an ASCII character is for the division into words.
    static func kind(ofASCII byte: UInt8) -> WordSplitter.Kind { asciiItems[Int(byte & 0x7F)].kind }

    private static let asciiItems: [FoldedScalars.Item] = {
        let block = FoldedScalars.block(of: 0)
        return (UInt32(0)..<128).map { scalar in
            var found = FoldedScalars.Item(kind: .other, byteCount: 1, bytes: scalar)
            block.forEachItem(of: scalar) { found = $0 }
            return found
        }
    }()

    /// The code point at an offset and where the next one begins; U+FFFD for bytes that are none.
    private static func scalar(
        in text: UnsafeRawBufferPointer, at offset: Int
    ) -> (scalar: UInt32, next: Int) {
        let first = UInt32(text[offset])
        let byteCount = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        guard byteCount > 0, first < 0xF5, offset + byteCount <= text.count else {
            return (0xFFFD, offset + 1)
        }
        var scalar = first & (0x7F >> UInt32(byteCount))
        for position in 1..<byteCount {
            let byte = UInt32(text[offset + position])
            guard byte & 0xC0 == 0x80 else { return (0xFFFD, offset + 1) }
            scalar = scalar << 6 | byte & 0x3F
        }
        guard Unicode.Scalar(scalar) != nil else { return (0xFFFD, offset + 1) }
        return (scalar, offset + byteCount)
    }
}

/// Puts every three units that follow one another together.
struct TrigramWindow {
    private var bytes: (UInt32, UInt32) = (0, 0)
    private var byteCounts: (Int, Int) = (0, 0)
    private var unitCount = 0

    /// Adds a unit of at most four bytes, and calls `body` with the trigram that it ends; a trigram
    /// with the character 0 is none.
    mutating func append(
        _ unit: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard unit.first != 0, (1...4).contains(unit.count) else {
            unitCount = 0
            return
        }
        var value: UInt32 = 0
        for (position, byte) in unit.enumerated() { value |= UInt32(byte) << (8 * position) }
        if unitCount >= 2 {
            var trigram: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &trigram) { buffer in
                var end = 0
                func put(_ value: UInt32, _ byteCount: Int) {
                    for position in 0..<byteCount {
                        buffer[end] = UInt8(truncatingIfNeeded: value >> (8 * position))
                        end += 1
                    }
                }
                put(bytes.0, byteCounts.0)
                put(bytes.1, byteCounts.1)
                put(value, unit.count)
                body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<end]))
            }
        }
        bytes = (bytes.1, value)
        byteCounts = (byteCounts.1, unit.count)
        unitCount += 1
    }
}
