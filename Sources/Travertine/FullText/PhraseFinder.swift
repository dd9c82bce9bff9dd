/// Looks for words and phrases in ASCII texts without dividing them into words: it looks for the
/// bytes of a first word, eight places at a time, and divides what follows only where it finds them.
struct PhraseFinder {
    private let pattern: FullTextPattern
    private var scanner: TokenScanner
    /// By unit: whether it can be in an ASCII text.
    private let isPlain: [Bool]

    init(_ pattern: FullTextPattern) {
        self.pattern = pattern
        scanner = TokenScanner(pattern.tokenizer)
        isPlain = pattern.units.map { unit in unit.bytes.allSatisfy { $0 < 0x80 } }
    }

    /// Whether a text has what a part of the pattern says; nil if that must be found in another way:
    /// in texts with other characters, and for `NEAR`.
    mutating func holds(_ node: FullTextPattern.Node, in text: UnsafeRawBufferPointer) -> Bool? {
        guard Self.isASCII(text) else { return nil }
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

    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        var bits: UInt64 = 0
        while offset + 8 <= text.count {
            bits |= text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < text.count {
            bits |= UInt64(text[offset])
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    private mutating func find(_ units: [Int], _ text: UnsafeRawBufferPointer) -> Bool {
        guard units.allSatisfy({ isPlain[$0] }) else { return false }
        let wanted = pattern.units[units[0]].bytes
        var place = 0
        while let start = Self.occurrence(of: wanted, in: text, from: place) {
            if isPhrase(units, at: start, in: text) { return true }
            place = start + 1
        }
        return false
    }

    /// Whether the units of a phrase begin at a place of an ASCII text.
    private mutating func isPhrase(
        _ units: [Int], at start: Int, in text: UnsafeRawBufferPointer
    ) -> Bool {
        var first = start
        if start > 0 {
            switch TokenScanner.kind(ofASCII: text[start - 1]) {
            case .letter, .digit: return false
            default: break
            }
            // A word ends before what is no part of words, whatever comes before that.
            while first > 0, TokenScanner.kind(ofASCII: text[first - 1]) != .other { first -= 1 }
        }
        var count = 0
        let pattern = pattern
        scanner.forEachUnit(of: UnsafeRawBufferPointer(rebasing: text[first...])) { unit, place, _ in
            if count == 0, first + place < start { return true }
            guard count > 0 || first + place == start,
                pattern.units[units[count]].matches(unit)
            else { return false }
            count += 1
            return count < units.count
        }
        return count == units.count
    }

    /// Where the bytes of a word next occur in an ASCII text, in either case.
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
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
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
