/// Postings of one token in the order of their objects, to be divided into entries.
struct PostingList {
    struct Posting {
        var object: UInt64
        /// How often the object has the token.
        var count: UInt64
        /// Where the positions that are stored with it are in the list's bytes.
        var start: Int
        var byteCount: Int
    }

    private(set) var postings: [Posting] = []
    private(set) var bytes: [UInt8] = []
    /// By posting: the bytes of those before it, each with its distance from the one before.
    private var sums: [Int] = []

    init() {}

    var isEmpty: Bool { postings.isEmpty }

    mutating func removeAll() {
        postings.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds a posting of an object after all others.
    ///
    /// - Parameter positions: those that are stored with it; others are left out.
    mutating func append(_ object: UInt64, _ count: UInt64, _ positions: UnsafeRawBufferPointer) {
        let isStored = count <= UInt64(PostingFormat.positionCountMax)
        postings.append(
            Posting(
                object: object, count: count, start: bytes.count,
                byteCount: isStored ? positions.count : 0))
        if !isStored { return }
        // Most often it is one byte.
        if positions.count == 1 {
            bytes.append(positions[0])
        } else {
            bytes.append(contentsOf: positions)
        }
    }

    /// Adds the postings of an entry, which are after all others; false if it is none.
    mutating func append(
        _ entry: inout PostingEntry, _ key: UnsafeRawBufferPointer, at start: Int,
        of range: PostingRange, _ count: UInt64
    ) -> Bool {
        guard entry.load(key, at: start, of: range, count) else { return false }
        return entry.forEachPositions(in: key) { place, positions in
            append(entry.objects[place], entry.counts[place], positions)
        }
    }

    func positions(_ posting: Posting, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[posting.start..<posting.start + posting.byteCount])
    }

    // MARK: Dividing

    /// The bytes of all postings as those of one range.
    func byteCount(in range: PostingRange) -> Int {
        var sum = 0
        var next = range.first
        for posting in postings {
            sum +=
                PostingFormat.byteCount(ofDistance: posting.object - next)
                + PostingFormat.byteCount(of: posting.count, positionByteCount: posting.byteCount)
            next = posting.object &+ 1
        }
        return sum
    }

    /// Calls `body` with the ranges within one that are entries (O31), and the postings of each;
    /// the range itself is one if its postings fit.
    mutating func divide(
        _ range: PostingRange, _ body: (PostingRange, Range<Int>) throws -> Void
    ) rethrows {
        sums.removeAll(keepingCapacity: true)
        sums.append(0)
        var (sum, next): (Int, UInt64) = (0, 0)
        for posting in postings {
            sum +=
                PostingFormat.byteCount(ofDistance: posting.object - next)
                + PostingFormat.byteCount(of: posting.count, positionByteCount: posting.byteCount)
            next = posting.object &+ 1
            sums.append(sum)
        }
        try divide(range, 0..<postings.count, body)
    }

    private func divide(
        _ range: PostingRange, _ places: Range<Int>,
        _ body: (PostingRange, Range<Int>) throws -> Void
    ) rethrows {
        guard let first = places.first else { return }
        let object = postings[first].object
        let before = first == 0 ? 0 : postings[first - 1].object + 1
        let byteCount =
            sums[places.upperBound] - sums[first]
            - PostingFormat.byteCount(ofDistance: object - before)
            + PostingFormat.byteCount(ofDistance: object - range.first)
        if byteCount <= PostingFormat.byteCountMax { return try body(range, places) }
        let (left, right) = range.halves
        var (low, high) = (first, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if postings[middle].object < right.first { low = middle + 1 } else { high = middle }
        }
        try divide(left, first..<low, body)
        try divide(right, low..<places.upperBound, body)
    }

    /// Adds the bytes of some postings, as those of a range, to a key.
    func append(_ places: Range<Int>, of range: PostingRange, to key: inout IndexKey) {
        var next = range.first
        for posting in postings[places] {
            key.append(distance: posting.object - next, posting.count)
            next = posting.object &+ 1
        }
        bytes.withUnsafeBytes { bytes in
            for posting in postings[places] where posting.byteCount > 0 {
                key.append(raw: positions(posting, in: bytes))
            }
        }
    }
}
