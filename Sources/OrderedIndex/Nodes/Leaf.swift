import CPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A leaf: keys and their values.
///
/// *Fixed*, all keys of one length: after the heads come records of one size, each the tail (the
/// bytes after prefix and head) and the value (u64, not aligned).
///
/// *Slotted*, keys of several lengths: after the heads come the values (u64), then a slot (u16)
/// for each key: the offset of its record in the heap, which grows down from the end (or a far
/// prefix). Such a record is the number of bytes after the prefix (u16) and those after the head.
@usableFromInline
struct Leaf: BitwiseCopyable {
    @usableFromInline let node: Node

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    var count: Int { node.count }

    @inline(__always)
    var isFixed: Bool { node.layout == Node.Layout.fixedLeaf }

    /// The length of each tail of a fixed leaf.
    @inline(__always)
    var tailByteCount: Int { max(0, node.keyByteCount &- node.prefixByteCount &- 4) }

    /// The offset of what follows the heads.
    @inline(__always)
    var bodyOffset: Int { Node.headsOffset &+ 4 &* ((node.capacity &+ 7) & ~7) }

    /// The records of a fixed leaf, the values of a slotted one.
    @inline(__always)
    var body: UnsafeMutableRawPointer { node.base + bodyOffset }

    /// The slots of a slotted leaf.
    @inline(__always)
    var slots: UnsafeMutablePointer<UInt16> {
        (node.base + (bodyOffset &+ 8 &* node.capacity)).assumingMemoryBound(to: UInt16.self)
    }

    /// A slotted leaf's record.
    @inline(__always)
    private func record(_ index: Int) -> UnsafeMutableRawPointer {
        node.base + Int(slots[index])
    }

    /// Where a value is.
    @inline(__always)
    func valuePlace(_ index: Int) -> UnsafeMutableRawPointer {
        guard isFixed else { return body + 8 &* index }
        let length = tailByteCount
        return body + (index &* (length &+ 8) &+ length)
    }

    @inline(__always)
    func value(_ index: Int) -> UInt64 { valuePlace(index).loadUnaligned(as: UInt64.self) }

    @inline(__always)
    func setValue(_ value: UInt64, at index: Int) {
        valuePlace(index).storeBytes(of: value, as: UInt64.self)
    }

    /// The number of bytes of a key after the prefix.
    @inline(__always)
    func suffixByteCount(_ index: Int) -> Int {
        isFixed
            ? node.keyByteCount &- node.prefixByteCount
            : Int(record(index).loadUnaligned(as: UInt16.self))
    }

    @inline(__always)
    func tail(_ index: Int) -> UnsafeMutableRawPointer {
        isFixed ? body + index &* (tailByteCount &+ 8) : record(index) + 2
    }

    /// The length of a key.
    @inline(__always)
    func keyByteCount(_ index: Int) -> Int {
        isFixed ? node.keyByteCount : node.prefixByteCount &+ suffixByteCount(index)
    }

    /// Writes a key and returns its length.
    func copyKey(_ index: Int, to target: UnsafeMutableRawPointer) -> Int {
        let prefixByteCount = node.prefixByteCount
        memcpy(target, node.prefix, prefixByteCount)
        return prefixByteCount &+ copySuffix(index, to: target + prefixByteCount)
    }

    /// Writes the bytes of a key after the prefix and returns their number; may overwrite up to
    /// four bytes after them.
    func copySuffix(_ index: Int, to target: UnsafeMutableRawPointer) -> Int {
        let head = UInt32(bitPattern: node.heads[index]) ^ 0x8000_0000
        target.storeBytes(of: head.bigEndian, as: UInt32.self)
        let length = suffixByteCount(index)
        if length > 4 { memcpy(target + 4, tail(index), length &- 4) }
        return length
    }

    /// Whether a key that shares prefix and head with entry `index` comes before it (negative),
    /// is it (0), or comes after it (positive), in reverse: the entry against the key.
    @inline(__always)
    func compareRest(_ index: Int, to key: Key) -> Int {
        let own = suffixByteCount(index)
        let other = key.count &- node.prefixByteCount
        let length = min(own, other) &- 4
        if length > 0 {
            let order = memcmp(tail(index), key.start + (node.prefixByteCount &+ 4), length)
            if order != 0 { return Int(order) }
        }
        return own &- other
    }

    /// Whether the last entry comes before a key with the leaf's prefix (negative), is it (0), or
    /// comes after it (positive). The leaf is not empty.
    @inline(__always)
    func lastOrder(to key: Key) -> Int {
        let last = count &- 1
        let (own, other) = (node.heads[last], key.head(from: node.prefixByteCount))
        if own != other { return own < other ? -1 : 1 }
        return compareRest(last, to: key)
    }

    /// Where a key is or would be.
    struct Place {
        /// The number of keys before it.
        var index: Int
        /// Whether it is there.
        var isFound: Bool
        /// Whether it starts with the leaf's prefix.
        var hasPrefix: Bool
    }

    /// Finds a key.
    @inline(__always)
    func find(_ key: Key) -> Place {
        let order = node.compareToPrefix(key, isLeaf: true)
        if order != 0 {
            return Place(index: order < 0 ? 0 : count, isFound: false, hasPrefix: false)
        }
        let head = key.head(from: node.prefixByteCount)
        let index = node.headCount(below: head)
        guard index < count && node.heads[index] == head else {
            return Place(index: index, isFound: false, hasPrefix: true)
        }
        // Mostly no other key has this head.
        if isFixed && key.count == node.keyByteCount {
            let length = tailByteCount
            if Leaf.tailIsEqual(body + index &* (length &+ 8), key, length) {
                return Place(index: index, isFound: true, hasPrefix: true)
            }
        }
        return findAmongEqualHeads(key, head, from: index)
    }

    @inline(never)
    private func findAmongEqualHeads(_ key: Key, _ head: Int32, from start: Int) -> Place {
        var low = start
        var high = head == .max ? count : node.headCount(below: head &+ 1)
        // Mostly there is one.
        var middle = start
        while low < high {
            let order = compareRest(middle, to: key)
            if order == 0 { return Place(index: middle, isFound: true, hasPrefix: true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
            middle = (low &+ high) &>> 1
        }
        return Place(index: low, isFound: false, hasPrefix: true)
    }

    /// The value of a key, or nil.
    @inline(__always)
    func value(forKey key: Key) -> UInt64? {
        let header = header
        guard Leaf.isFixed(header) else { return valueByFinding(key) }
        guard let candidate = candidate(for: key, header) else { return nil }
        // Or another key with the same head.
        return candidate.value(forKey: key) ?? valueByFinding(key)
    }

    /// `Node.header`.
    @inline(__always)
    var header: UInt64 { node.header }

    @inline(__always)
    static func isFixed(_ header: UInt64) -> Bool {
        header &>> Node.HeaderShift.layout & 3 == UInt64(Node.Layout.fixedLeaf)
    }

    /// The only entry of a fixed leaf that can have a key, unless others have the same head: what
    /// follows from header and heads.
    struct Candidate: BitwiseCopyable {
        /// Its tail, and after that its value.
        var entry: UnsafeMutableRawPointer
        var tailByteCount: Int

        /// The entry's value, if it has the key.
        @inline(__always)
        func value(forKey key: Key) -> UInt64? {
            guard Leaf.tailIsEqual(entry, key, tailByteCount) else { return nil }
            return (entry + tailByteCount).loadUnaligned(as: UInt64.self)
        }
    }

    /// What stands for no guess: a leaf has fewer places.
    static var noGuess: Int { 255 }
    /// How many places before a guess are looked at.
    static var guessedCount: Int { 31 }

    /// The candidate of a fixed leaf with this header; nil if the key is not there.
    ///
    /// - Parameter guess: where the key may be, or a little before; or `noGuess`.
    @inline(__always)
    func candidate(for key: Key, _ header: UInt64, near guess: Int = noGuess) -> Candidate? {
        let keyByteCount = Int(
            truncatingIfNeeded: header &>> Node.HeaderShift.keyByteCount & 0xffff)
        guard key.count == keyByteCount, node.isLeafPrefix(of: key) else { return nil }
        let prefixByteCount = Int(
            truncatingIfNeeded: header &>> Node.HeaderShift.prefixByteCount & 0xffff)
        let head = key.head(from: prefixByteCount)
        let headCount =
            (Int(truncatingIfNeeded: header &>> Node.HeaderShift.capacity & 0xff) &+ 7) & ~7
        let count = Int(truncatingIfNeeded: header & 0xff)
        var index = guess
        if guess == Leaf.noGuess || !isHead(head, atOrBefore: &index, count) {
            index = travertine_count_below(node.heads, headCount, head)
            guard index < count && node.heads[index] == head else { return nil }
        }
        let length = max(0, keyByteCount &- prefixByteCount &- 4)
        let body = node.base + (Node.headsOffset &+ 4 &* headCount)
        return Candidate(entry: body + index &* (length &+ 8), tailByteCount: length)
    }

    /// Whether a head is at a place or a little before; `place` becomes where it is.
    @inline(__always)
    private func isHead(_ head: Int32, atOrBefore place: inout Int, _ count: Int) -> Bool {
        place = min(place, count &- 1)
        let end = max(0, place &- Leaf.guessedCount)
        while place > end, node.heads[place] > head { place &-= 1 }
        return place >= 0 && node.heads[place] == head
    }

    @inline(never)
    private func valueByFinding(_ key: Key) -> UInt64? {
        let place = find(key)
        return place.isFound ? value(place.index) : nil
    }

    /// Whether a tail of a fixed leaf equals the last `length` bytes of a key.
    ///
    /// Words may begin before the tail, inside the node and inside the key: there are the heads
    /// before the first tail, and a key with a tail has at least four bytes before it.
    @inline(__always)
    fileprivate static func tailIsEqual(
        _ tail: UnsafeMutableRawPointer, _ key: Key, _ length: Int
    ) -> Bool {
        if length == 0 { return true }
        let end = key.start + key.count
        if length >= 8 {
            let start = end - length
            var difference =
                tail.loadUnaligned(as: UInt64.self) ^ start.loadUnaligned(as: UInt64.self)
            difference |=
                (tail + (length &- 8)).loadUnaligned(as: UInt64.self)
                ^ (end - 8).loadUnaligned(as: UInt64.self)
            if difference == 0 && length > 16 {
                return memcmp(tail + 8, start + 8, length &- 16) == 0
            }
            return difference == 0
        }
        if length >= 4 {
            let difference =
                UInt64(littleEndian: (tail + (length &- 8)).loadUnaligned(as: UInt64.self))
                ^ UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self))
            return difference &>> UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0
        }
        let difference =
            UInt32(littleEndian: (tail + (length &- 4)).loadUnaligned(as: UInt32.self))
            ^ UInt32(littleEndian: (end - 4).loadUnaligned(as: UInt32.self))
        return difference &>> UInt32(truncatingIfNeeded: 32 &- 8 &* length) == 0
    }
}
