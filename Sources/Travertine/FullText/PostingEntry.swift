/// The postings of an entry of a full-text index with positions, read from its key.
///
/// One value reads one entry after the other, in memory that it keeps.
struct PostingEntry {
    /// The objects, ascending.
    private(set) var objects: [UInt64] = []
    /// How often each object has the token.
    private(set) var counts: [UInt64] = []
    /// Where the positions begin.
    private var positionsStart = 0

    init() {}

    /// Calls `body` with each object and how often it has the token; gives where the positions
    /// begin, or nil if the bytes are no postings of so many objects of the range.
    @inline(__always)
    static func forEach(
        in key: UnsafeRawBufferPointer, at start: Int, of range: PostingRange, _ count: UInt64,
        _ body: (_ object: UInt64, _ count: UInt64) -> Void
    ) -> Int? {
        var offset = start
        var next = range.first
        var rest = count
        while rest > 0 {
            guard offset < key.count else { return nil }
            let head = key[offset]
            offset += 1
            var distance = UInt64(head & 63)
            if head & 128 != 0 {
                guard let high = PostingFormat.varint(in: key, at: &offset), high >> 58 == 0 else {
                    return nil
                }
                distance |= high << 6
            }
            var occurrences: UInt64 = 1
            if head & 64 != 0 {
                guard let more = PostingFormat.varint(in: key, at: &offset), more < 1 << 32 else {
                    return nil
                }
                occurrences = more + 2
            }
            let (object, isOver) = next.addingReportingOverflow(distance)
            guard !isOver, object <= range.last, object >= next else { return nil }
            body(object, occurrences)
            // After the last key of all there is none; another object is found to be too far.
            next = object &+ 1
            rest -= 1
            if next == 0, rest > 0 { return nil }
        }
        return offset
    }

    /// Reads the objects of an entry; false if the bytes are no postings.
    ///
    /// - Parameters:
    ///   - start: where the postings begin in the key.
    ///   - count: the number of objects.
    mutating func load(
        _ key: UnsafeRawBufferPointer, at start: Int, of range: PostingRange, _ count: UInt64
    ) -> Bool {
        objects.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        // So a range with one object has room for each posting.
        guard key.count - start <= PostingFormat.byteCountMax else { return false }
        let end = Self.forEach(in: key, at: start, of: range, count) { object, count in
            objects.append(object)
            counts.append(count)
        }
        guard let end else { return false }
        positionsStart = end
        return true
    }

    /// Calls `body` with each object's place in `objects` and the bytes of its positions, none if
    /// these are in separate entries; false if the bytes don't end with the last one.
    ///
    /// - Parameter key: the key that was read last.
    @inline(__always)
    func forEachPositions(
        in key: UnsafeRawBufferPointer,
        _ body: (_ place: Int, _ positions: UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var offset = positionsStart
        for place in counts.indices {
            let start = offset
            let count = counts[place]
            if count <= UInt64(PostingFormat.positionCountMax) {
                for _ in 0..<count {
                    guard PostingFormat.skipVarint(in: key, at: &offset) else { return false }
                }
            }
            body(place, UnsafeRawBufferPointer(rebasing: key[start..<offset]))
        }
        return offset == key.count
    }
}

extension PostingFormat {
    /// Moves past the number at an offset; false at the end of the bytes.
    @inline(__always)
    static func skipVarint(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Bool {
        while offset < bytes.count {
            offset += 1
            if bytes[offset - 1] < 0x80 { return true }
        }
        return false
    }
}
