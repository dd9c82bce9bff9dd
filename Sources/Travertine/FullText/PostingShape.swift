/// Whether the entries of a full-text index with positions are those that O31 asks for, whatever
/// their postings are: the entries one after the other, in the order of their keys.
struct PostingShape {
    /// What is remembered of an entry while the next one is looked at.
    private struct Shape {
        var token: [UInt8]
        var range: PostingRange
        /// The bytes of its postings without the distance of the first.
        var byteCount: Int
        var firstObject: UInt64
        var lastObject: UInt64

        /// The bytes of its postings as those of another range.
        func byteCount(in other: PostingRange) -> Int {
            byteCount + PostingFormat.byteCount(ofDistance: firstObject - other.first)
        }
    }

    private var last: Shape?
    /// Whether the range around that of `last` was found to be too small for what is in it.
    private var isLastNeeded = true
    private var entry = PostingEntry()
    private(set) var isSound = true

    /// Calls `body` with what an entry has: the key and value of each entry that its postings would
    /// be with one object each, as `DerivedEntries` has them; of other entries their own.
    mutating func forEachPosting(
        of key: UnsafeRawBufferPointer, _ value: UInt64,
        _ body: (UnsafeRawBufferPointer, UInt64) -> Void
    ) {
        guard let tokenEnd = PostingFormat.tokenEnd(in: key),
            key[tokenEnd] == PostingFormat.sharedMark
        else { return body(key, value) }
        guard let (range, start) = PostingFormat.range(in: key, at: tokenEnd + 1),
            entry.load(key, at: start, of: range, value)
        else {
            isSound = false
            return body(key, value)
        }
        let token = UnsafeRawBufferPointer(rebasing: key[..<tokenEnd])
        note(key, token, range, start)
        var made = IndexKey()
        let isWhole = entry.forEachPositions(in: key) { place, positions in
            made.set(token: token)
            made.append(entry.objects[place])
            made.append(raw: positions)
            made.withBytes { body($0, entry.counts[place]) }
        }
        if !isWhole { isSound = false }
    }

    /// Looks at the last entry.
    mutating func finish() {
        if !isLastNeeded { isSound = false }
    }

    private mutating func note(
        _ key: UnsafeRawBufferPointer, _ token: UnsafeRawBufferPointer, _ range: PostingRange,
        _ start: Int
    ) {
        guard let first = entry.objects.first, let lastObject = entry.objects.last else {
            isSound = false
            return
        }
        var expected = IndexKey()
        PostingFormat.set(&expected, token: token, range)
        let shape = Shape(
            token: Array(token), range: range,
            byteCount: key.count - start
                - PostingFormat.byteCount(ofDistance: first - range.first),
            firstObject: first, lastObject: lastObject)
        // The range is written in one way, and has room for what it has.
        if expected.bytes.count != start
            || !key.starts(with: expected.bytes)
            || shape.byteCount(in: range) > PostingFormat.byteCountMax
        {
            isSound = false
        }
        let before = last.flatMap { $0.token == shape.token ? $0 : nil }
        var isNeeded =
            range.level == PostingRange.levelMax
            || shape.byteCount(in: range.parent) > PostingFormat.byteCountMax
        if let before {
            if before.range.last >= range.first {
                isSound = false
            } else if before.range == range.sibling, range.level < PostingRange.levelMax {
                // Both together are too much for the range around them, or neither is needed.
                let distance = PostingFormat.byteCount(
                    ofDistance: first - before.lastObject - 1)
                let both = before.byteCount(in: before.range) + shape.byteCount + distance
                isNeeded = both > PostingFormat.byteCountMax
                isLastNeeded = isNeeded
            } else {
                if range.sibling.contains(before.range.first) { isNeeded = true }
                if before.range.sibling.contains(range.first) { isLastNeeded = true }
            }
        }
        if !isLastNeeded { isSound = false }
        last = shape
        isLastNeeded = isNeeded
    }
}
