import TravertineStore

/// How entries of full-text indexes with positions are made and read (Format.md 5.7).
///
/// Bytes that are no such entry are reported by nil, and never read beyond their end.
enum PostingFormat {
    /// What follows the token in an entry of several objects.
    static let sharedMark: UInt8 = 0
    /// What follows the token in an entry of the positions of one object.
    static let positionsMark: UInt8 = 1
    /// In the place of the number of bytes of a range's last key: the range is half of all keys.
    static let halfMark: UInt8 = 9
    /// The most bytes that the postings of a range take (O31).
    static let byteCountMax = 256
    /// The most positions of a posting that are in its range's entry, and of an entry of positions.
    static let positionCountMax = 48
    /// The greatest position that is read, so that 32 bits hold sums of two. Texts are shorter.
    static let positionMax: UInt64 = 1 << 30

    // MARK: Varints

    /// The number of bytes of a varint.
    @inline(__always)
    static func byteCount(ofVarint number: UInt64) -> Int {
        (70 - (number | 1).leadingZeroBitCount) / 7
    }

    /// The number of bytes of a distance.
    @inline(__always)
    static func byteCount(ofDistance distance: UInt64) -> Int {
        distance < 64 ? 1 : 1 + byteCount(ofVarint: distance >> 6)
    }

    /// The number of bytes of a posting without its distance: of *n* and of the positions that are
    /// stored with it.
    @inline(__always)
    static func byteCount(of count: UInt64, positionByteCount: Int) -> Int {
        (count > 1 ? byteCount(ofVarint: count - 2) : 0)
            + (count > UInt64(positionCountMax) ? 0 : positionByteCount)
    }

    static func append(varint number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    static func append(distance: UInt64, _ count: UInt64, to bytes: inout [UInt8]) {
        var head = UInt8(truncatingIfNeeded: distance & 63)
        if count > 1 { head |= 64 }
        let rest = distance >> 6
        bytes.append(rest > 0 ? head | 128 : head)
        if rest > 0 { append(varint: rest, to: &bytes) }
        if count > 1 { append(varint: count - 2, to: &bytes) }
    }

    /// The number at an offset, which moves past it; nil at the end of the bytes.
    @inline(__always)
    static func varint(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> UInt64? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        offset += 1
        return first < 0x80 ? UInt64(first) : longVarint(in: bytes, UInt64(first & 0x7F), &offset)
    }

    @inline(never)
    private static func longVarint(
        in bytes: UnsafeRawBufferPointer, _ first: UInt64, _ offset: inout Int
    ) -> UInt64? {
        var number = first
        var shift: UInt64 = 7
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    // MARK: Keys

    /// Makes `key` that of the entry of a range, up to its postings.
    static func set(
        _ key: inout IndexKey, token: UnsafeRawBufferPointer, _ range: PostingRange
    ) {
        key.set(token: token)
        guard range.level < PostingRange.levelMax else {
            return key.append(byte: halfMark | (range.first == 0 ? 0 : 16))
        }
        key.append(blockOf: range.last, shift: 0)
        key.append(byte: UInt8(range.level))
    }

    /// Makes `key` the first that an entry of a range can have that ends at an object or later.
    static func set(_ key: inout IndexKey, token: UnsafeRawBufferPointer, from object: UInt64) {
        key.set(token: token)
        key.append(blockOf: object, shift: 0)
    }

    /// Makes `key` what all entries of the positions of an object begin with.
    static func set(
        _ key: inout IndexKey, token: UnsafeRawBufferPointer, positionsOf object: UInt64
    ) {
        key.set(token: token, mark: positionsMark)
        key.append(blockOf: object, shift: 0)
    }

    /// The range at an offset of a key, and where its postings begin; nil if there is none.
    @inline(__always)
    static func range(
        in key: UnsafeRawBufferPointer, at offset: Int
    ) -> (range: PostingRange, end: Int)? {
        guard offset < key.count else { return nil }
        if key[offset] & ~16 == halfMark {
            return (PostingRange.half(isUpper: key[offset] != halfMark), offset + 1)
        }
        guard let (last, end) = object(in: key, at: offset), end < key.count,
            key[end] < PostingRange.levelMax
        else { return nil }
        let range = PostingRange(around: last, level: UInt64(key[end]))
        return range.last == last ? (range, end + 1) : nil
    }

    /// The object key at an offset of a key, and where it ends; nil if there is none. It has one
    /// form, so that keys have the order of their objects whatever else is in them.
    @inline(__always)
    static func object(
        in key: UnsafeRawBufferPointer, at offset: Int
    ) -> (object: UInt64, end: Int)? {
        guard offset < key.count else { return nil }
        let head = key[offset]
        let end = offset + 1 + Int(head & 15)
        guard head & 15 <= 8, head & ~31 == 0, end <= key.count else { return nil }
        var object: UInt64 = 0
        for position in offset + 1..<end { object = object << 8 | UInt64(key[position]) }
        guard object >> 63 == 0, end == offset + 1 || key[offset + 1] != 0 else { return nil }
        return (object | (head & 16 != 0 ? 1 << 63 : 0), end)
    }

    /// Where the token of a key ends, which no byte below 2 is part of; nil if the key is that of a
    /// number of the whole index.
    @inline(__always)
    static func tokenEnd(in key: UnsafeRawBufferPointer) -> Int? {
        var end = 0
        while end < key.count, key[end] > positionsMark { end += 1 }
        return end == 0 || end == key.count ? nil : end
    }

    /// The error for an entry that is none.
    static var damage: StoreError {
        StoreError(
            .damaged,
            "An entry of a full-text index is not as it should be. Run `travertine fsck --deep "
                + "--repair`, which builds the index anew.")
    }

    // MARK: Positions

    /// Calls `body` with the key and the number of each entry of the positions of an object, if it
    /// has so many that they are in separate entries.
    static func forEachEntry(
        ofPositions positions: UnsafeRawBufferPointer, _ count: UInt64,
        token: UnsafeRawBufferPointer, of object: UInt64,
        _ body: (IndexKey, _ count: UInt64) throws -> Void
    ) rethrows {
        guard count > UInt64(positionCountMax) else { return }
        var key = IndexKey()
        var offset = 0
        var position: UInt64 = 0
        var rest = count
        var isFirst = true
        while rest > 0 {
            let here = min(rest, UInt64(positionCountMax))
            for index in 0..<here {
                let start = offset
                guard let distance = varint(in: positions, at: &offset) else { return }
                position += isFirst ? distance : distance + 1
                isFirst = false
                if index > 0 {
                    key.append(raw: UnsafeRawBufferPointer(rebasing: positions[start..<offset]))
                    continue
                }
                set(&key, token: token, positionsOf: object)
                for shift in [24, 16, 8, 0] as [UInt64] {
                    key.append(byte: UInt8(truncatingIfNeeded: position >> shift))
                }
            }
            try body(key, here)
            rest -= here
        }
    }
}

/// 2^`level` object keys that agree in all but the lowest `level` bits.
struct PostingRange: Equatable {
    let first: UInt64
    let level: UInt64

    /// The level of the largest ranges, which are half of all keys.
    static let levelMax: UInt64 = 63

    static func half(isUpper: Bool) -> PostingRange {
        PostingRange(around: isUpper ? .max : 0, level: levelMax)
    }

    init(around object: UInt64, level: UInt64) {
        self.level = level
        first = (object >> level) << level
    }

    var last: UInt64 { first | ((1 << level) - 1) }

    @inline(__always)
    func contains(_ object: UInt64) -> Bool { object >= first && object <= last }

    /// The range of twice as many keys around it; not of one of the largest.
    var parent: PostingRange { PostingRange(around: first, level: level + 1) }

    /// The other half of the range around it.
    var sibling: PostingRange { PostingRange(around: first ^ (1 << level), level: level) }

    /// The halves; not of a single key.
    var halves: (PostingRange, PostingRange) {
        let half: UInt64 = 1 << (level - 1)
        return (
            PostingRange(around: first, level: level - 1),
            PostingRange(around: first | half, level: level - 1)
        )
    }
}
