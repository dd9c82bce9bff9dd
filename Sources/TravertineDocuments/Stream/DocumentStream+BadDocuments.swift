import TravertineJSON

/// Where a bad document of Extended JSON ends.
///
/// Nothing inside a bad document may be taken for a document, so that there is an end only where it
/// is certain; otherwise the rest is skipped. A text with a line end in it, which JSON does not
/// allow, is reckoned with, as long as its own quotes are escaped: then no line inside it is a
/// document with a name. A line with a comment, or a text in other quotes, that hides brackets or
/// quotes makes everything uncertain. In this order:
///
/// 1. A document that is an object of JSON ends where that ends, also in an array. What is no JSON
///    has no end in an array.
/// 2. One that is cut off by the end of the stream ends there if it is on one line.
/// 3. One whose first line is one pair of brackets to its end is that line.
/// 4. In JSON Lines it is its line. They are recognised by this: no line, for as many bytes as a
///    document may have, closes what an earlier one opened, or begins with no document and leaves
///    quotes open; and the bad line leaves nothing open itself, or what follows it is lines that
///    begin with a document and have quotes, up to one that is a whole document.
/// 5. One on several lines ends where a line that begins with a closing bracket closes, with its
///    last byte, all that was opened, if brackets match and no quotes are open at the end of a line
///    on the way; these may be open if the lines are indented, brackets in the first column are
///    around them, and after them is the end, or a bracket and a name.
extension DocumentStream {
    /// The bytes of the bad document that begins here; nil if its end is not certain.
    mutating func badByteCount() throws -> Int? {
        if buffer[start] == UInt8(ascii: "{") {
            switch try jsonEnd() {
            case .at(let byteCount): return byteCount
            case .beyond: return try array == .none && isOnLastLine() ? restCount : nil
            case .nowhere: break
            }
        }
        if array != .none { return nil }
        let first = try lineByteCount(at: 0)
        let shape = shape(of: 0..<first)
        if shape.isInDoubt { return nil }
        if buffer[start] == UInt8(ascii: "{"), shape.isPair { return first }
        if try areSeparateLines(shape, first) { return first }
        return try closedByteCount()
    }

    private mutating func jsonEnd() throws -> JSONEnd {
        while true {
            let end = buffer.withUnsafeBytes { bytes in
                JSONEnd.find(in: UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            if end != .beyond || isEnded || restCount > Self.documentByteCountMax { return end }
            _ = try fill(2 * restCount)
        }
    }

    /// Whether nothing but space is after the line that begins here.
    private mutating func isOnLastLine() throws -> Bool {
        let byteCount = try lineByteCount(at: 0)
        return isEnded && shape(of: byteCount..<restCount).isBlank
    }

    // MARK: Lines

    /// The bytes of the line that begins so many bytes from here, with its end.
    private mutating func lineByteCount(at place: Int) throws -> Int {
        var place = place
        let begin = place
        while try fill(place + 1) {
            let rest = buffer[(start + place)...]
            if let end = rest.firstIndex(of: 0x0A) { return end + 1 - start - begin }
            place = restCount
        }
        return place - begin
    }

    private func shape(of range: Range<Int>, open: [UInt8] = []) -> BracketLine {
        buffer.withUnsafeBytes { bytes in
            let line = bytes[start + range.lowerBound..<start + range.upperBound]
            return BracketLine(UnsafeRawBufferPointer(rebasing: line), open: open)
        }
    }

    /// Calls `body` with the lines from a place on, for as many bytes as a document may have, until
    /// it is true.
    private mutating func visitLines(
        from place: Int, _ body: (inout DocumentStream, Range<Int>) throws -> Bool
    ) throws {
        var place = place
        while place < lookAheadByteCountMax {
            let line = place..<place + (try lineByteCount(at: place))
            if try line.isEmpty || body(&self, line) { return }
            place = line.upperBound
        }
    }

    // MARK: JSON Lines

    /// Whether the bad line, of so many bytes, is one of JSON Lines.
    private mutating func areSeparateLines(_ bad: BracketLine, _ byteCount: Int) throws -> Bool {
        if bad.closesEarlier { return false }
        if !bad.isBalanced, try !isFollowedByDocument(byteCount) { return false }
        var areSeparate = true
        try visitLines(from: max(byteCount, separateLinesEnd - offset)) { stream, line in
            let shape = stream.shape(of: line)
            let begins = stream.buffer[stream.start + line.lowerBound] == UInt8(ascii: "{")
            areSeparate =
                !shape.closesEarlier && !shape.isInDoubt
                && (begins || !shape.isMismatched && !shape.isInText)
            if areSeparate { stream.separateLinesEnd = stream.offset + line.upperBound }
            return !areSeparate
        }
        return areSeparate
    }

    /// Whether lines that begin with a document in the first column, and have quotes, come up to
    /// one that is a whole document, or up to the end.
    private mutating func isFollowedByDocument(_ place: Int) throws -> Bool {
        if offset + place < documentLinesEnd { return true }
        var isFollowed = true
        var end = place
        try visitLines(from: place) { stream, line in
            end = line.upperBound
            let shape = stream.shape(of: line)
            if shape.isBlank { return false }
            let last = stream.buffer[stream.start + line.lowerBound + shape.byteCount - 1]
            isFollowed =
                stream.buffer[stream.start + line.lowerBound] == UInt8(ascii: "{")
                && shape.hasQuotes && !shape.isInDoubt
                && (shape.isPair || shape.isUnclosed && last != UInt8(ascii: ","))
            return !isFollowed || shape.isPair
        }
        if isFollowed { documentLinesEnd = offset + end }
        return isFollowed
    }

    // MARK: Documents on several lines

    /// The bytes of a document up to the bracket that closes it; nil if that is not certain.
    private mutating func closedByteCount() throws -> Int? {
        guard buffer[start] == UInt8(ascii: "{") else { return nil }
        var open: [UInt8] = []
        var isIndented = offset == lineOffset
        var hasOpenText = false
        var end: Int?
        try visitLines(from: 0) { stream, line in
            let shape = stream.shape(of: line, open: open)
            if shape.isBlank { return false }
            if shape.closesEarlier || shape.isMismatched || shape.isInDoubt { return true }
            hasOpenText = hasOpenText || shape.isInText
            if let firstEnd = shape.firstEnd {
                let isSure = !hasOpenText || isIndented && shape.byteCount == 1
                if isSure, shape.beginsWithCloser, firstEnd == shape.byteCount {
                    end = line.upperBound
                }
                return true
            }
            let first = stream.buffer[stream.start + line.lowerBound]
            if line.lowerBound > 0, first != 0x20, first != 0x09 { isIndented = false }
            open = shape.closers
            return hasOpenText && !isIndented
        }
        if let end, hasOpenText, try !isEndOrDocument(at: end) { return nil }
        return end
    }

    /// Whether the stream ends at a place, or a document with a name begins there; false if there
    /// is space for as many bytes as a document may have.
    private mutating func isEndOrDocument(at place: Int) throws -> Bool {
        let first = try spaceEnd(from: place)
        guard try fill(first + 1) else { return true }
        guard buffer[start + first] == UInt8(ascii: "{") else { return false }
        let name = try spaceEnd(from: first + 1)
        return try fill(name + 1) && buffer[start + name] == UInt8(ascii: "\"")
    }

    /// The place of the first byte that is not space, or where the stream or the look-ahead ends.
    private mutating func spaceEnd(from place: Int) throws -> Int {
        var place = place
        while place < lookAheadByteCountMax, try fill(place + 1) {
            switch buffer[start + place] {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return place
            }
        }
        return place
    }
}
