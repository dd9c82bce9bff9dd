/// Looks for words and phrases in texts that are mostly ASCII without dividing them into words.
///
/// A phrase of ASCII words begins where the bytes of its first word are, in either case, or with a
/// word that has another character, which may be folded to ASCII. Both are looked for eight bytes
/// at a time, and only there the text is divided, from the blank or sign before it on.
struct PhraseFinder {
    private let pattern: FullTextPattern
    private var scanner: TokenScanner
    /// By unit: whether it is ASCII.
    private let isPlain: [Bool]
    /// By unit: whether it is of ASCII letters and digits alone, and whole.
    private let isSimple: [Bool]
    /// Of the phrases that began in the text and may go on: how many of their units there were.
    private var begun: [Int] = []

    init(_ pattern: FullTextPattern) {
        self.pattern = pattern
        scanner = TokenScanner(pattern.tokenizer)
        isPlain = pattern.units.map { unit in unit.bytes.allSatisfy { $0 < 0x80 } }
        isSimple = pattern.units.map { unit in
            unit.bytes.count < TokenScanner.unitByteCountMax
                && unit.bytes.allSatisfy { Self.isInWord($0) }
        }
    }

    /// Whether a text has what a part of the pattern says; nil if that must be found in another
    /// way: in texts with many other characters, and for `NEAR`.
    mutating func holds(_ node: FullTextPattern.Node, in text: UnsafeRawBufferPointer) -> Bool? {
        if Self.otherByteCount(text) > text.count / 4 { return nil }
        return find(node, text)
    }

    private mutating func find(
        _ node: FullTextPattern.Node, _ text: UnsafeRawBufferPointer
    ) -> Bool? {
        switch node {
        case .unit(let unit): return find([unit], text)
        case .phrase(let units): return find(units, text)
        case .near: return nil
        case .not(let node): return find(node, text).map { !$0 }
        case .all(let parts):
            for part in parts {
                guard let found = find(part, text) else { return nil }
                if !found { return false }
            }
            return true
        case .any(let parts):
            for part in parts {
                guard let found = find(part, text) else { return nil }
                if found { return true }
            }
            return false
        }
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The number of bytes that are not ASCII.
    private static func otherByteCount(_ text: UnsafeRawBufferPointer) -> Int {
        var offset = 0
        var count = 0
        while offset + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            count += (word & highBits).nonzeroBitCount
            offset += 8
        }
        while offset < text.count {
            if text[offset] >= 0x80 { count += 1 }
            offset += 1
        }
        return count
    }

    /// The next byte that is not ASCII.
    private static func otherByte(in text: UnsafeRawBufferPointer, from place: Int) -> Int? {
        var offset = place
        while offset + 8 <= text.count {
            let word = UInt64(
                littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let found = word & highBits
            if found != 0 { return offset + found.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < text.count {
            if text[offset] >= 0x80 { return offset }
            offset += 1
        }
        return nil
    }

    /// Whether words end before and after a byte whatever is there.
    @inline(__always)
    private static func isDivider(_ byte: UInt8) -> Bool {
        byte < 0x80 && TokenScanner.kind(ofASCII: byte) == .other
    }

    /// Whether a byte is an ASCII letter or digit.
    @inline(__always)
    private static func isInWord(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        let kind = TokenScanner.kind(ofASCII: byte)
        return kind == .letter || kind == .digit
    }

    private mutating func find(_ units: [Int], _ text: UnsafeRawBufferPointer) -> Bool {
        if isPlain[units[0]] {
            let wanted = pattern.units[units[0]].bytes
            let isSimple = units.allSatisfy { self.isSimple[$0] }
            var place = 0
            while let start = Self.occurrence(of: wanted, in: text, from: place) {
                place = start + 1
                if start > 0, text[start - 1] < 0x80 {
                    // In the middle of a word.
                    if Self.isInWord(text[start - 1]) { continue }
                }
                if isSimple, let found = isThere(units, text, start) {
                    if found { return true }
                    continue
                }
                if isFound(units, around: start, beginningBefore: place, in: text) { return true }
            }
        }
        var place = 0
        while let other = Self.otherByte(in: text, from: place) {
            place = other + 1
            while place < text.count, !Self.isDivider(text[place]) { place += 1 }
            if isFound(units, around: other, beginningBefore: place, in: text) { return true }
        }
        return false
    }

    /// Whether the units of a phrase follow one another from a unit on that begins in the same run
    /// of words as a place, and before another place.
    private mutating func isFound(
        _ units: [Int], around place: Int, beginningBefore limit: Int,
        in text: UnsafeRawBufferPointer
    ) -> Bool {
        var first = place
        while first > 0, !Self.isDivider(text[first - 1]) { first -= 1 }
        // Its memory is used again.
        var begun: [Int] = []
        swap(&begun, &self.begun)
        begun.removeAll(keepingCapacity: true)
        var isFound = false
        let pattern = pattern
        scanner.forEachUnit(of: UnsafeRawBufferPointer(rebasing: text[first...])) {
            unit, start, _ in
            let mayBegin = first + start < limit
            if mayBegin { begun.append(0) }
            var left = 0
            for position in begun.indices {
                let count = begun[position]
                guard pattern.units[units[count]].matches(unit) else { continue }
                if count + 1 == units.count { isFound = true }
                begun[left] = count + 1
                left += 1
            }
            begun.removeSubrange(left...)
            return !isFound && (mayBegin || left > 0)
        }
        self.begun = begun
        return isFound
    }

    /// Whether a phrase of words of ASCII letters and digits begins where the bytes of its first
    /// word are; nil if the text has anything there but such words and what divides them.
    private func isThere(
        _ units: [Int], _ text: UnsafeRawBufferPointer, _ start: Int
    ) -> Bool? {
        guard start == 0 || Self.isDivider(text[start - 1]) else { return nil }
        var place = start
        for position in units.indices {
            let unit = pattern.units[units[position]]
            for wanted in unit.bytes {
                if place == text.count { return false }
                let byte = text[place]
                if byte >= 0x80 { return nil }
                let folded = byte &- 0x41 < 26 ? byte | 0x20 : byte
                if folded != wanted { return false }
                place += 1
            }
            let isLast = position == units.count - 1
            // Only the last word of a term may be a beginning.
            if unit.isPrefix { return isLast ? true : nil }
            if place == text.count { return isLast }
            if Self.isInWord(text[place]) { return false }
            if !Self.isDivider(text[place]) { return nil }
            if isLast { return true }
            repeat { place += 1 } while place < text.count && Self.isDivider(text[place])
            if place == text.count { return false }
            if !Self.isInWord(text[place]) { return nil }
        }
        return nil
    }

    /// Where the bytes of an ASCII word next occur in a text, in either case.
    private static func occurrence(
        of wanted: [UInt8], in text: UnsafeRawBufferPointer, from place: Int
    ) -> Int? {
        let last = text.count - wanted.count
        if place > last { return nil }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let first = UInt64(wanted[0]) &* ones
        let second = UInt64(wanted.count > 1 ? wanted[1] : 0) &* ones
        let cases: UInt64 = 0x20 &* ones
        var offset = place
        while offset + 9 <= text.count {
            let word = UInt64(
                littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            var found = zeros((word | cases) ^ first)
            if wanted.count > 1 {
                let next = UInt64(
                    littleEndian: text.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
                found &= zeros((next | cases) ^ second)
            }
            while found != 0 {
                let start = offset + found.trailingZeroBitCount / 8
                if start <= last, isThere(wanted, text, start) { return start }
                found &= found &- 1
            }
            offset += 8
        }
        while offset <= last {
            if isThere(wanted, text, offset) { return offset }
            offset += 1
        }
        return nil
    }

    /// The top bit of each byte that is 0, and perhaps of some above it.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & highBits
    }

    private static func isThere(
        _ wanted: [UInt8], _ text: UnsafeRawBufferPointer, _ start: Int
    ) -> Bool {
        for position in 0..<wanted.count {
            let byte = text[start + position]
            let folded = byte &- 0x41 < 26 ? byte | 0x20 : byte
            if folded != wanted[position] { return false }
        }
        return true
    }
}
