import TravertineStore

/// The keys of a table's objects in the order that an index has them, some at a time (P-Q7).
///
/// Valid until the realm changes or shows another version.
struct OrderedKeys: ~Copyable {
    private let walk: OrderedWalk
    private let table: TableState
    private let access: ReadAccess
    private var cursor: RawCursor
    private var isOnKey: Bool
    /// Whether the entries are in the order that is asked for one by one.
    private let isOrderedByEntry: Bool
    /// Room for two entries: the first one of those with equal values, and another.
    private let block: UnsafeMutableRawPointer

    init(_ walk: OrderedWalk, in table: TableState) throws {
        let access = try table.session.access
        var cursor = access.cursor(in: walk.index.keyspace)
        isOnKey = try walk.ascending ? cursor.seekToFirst() : cursor.seekToLast()
        self.walk = walk
        self.table = table
        self.access = access
        self.cursor = cursor
        isOrderedByEntry = walk.ascending && (walk.index.kind == .rows || !walk.index.mayCut)
        block = .allocate(byteCount: 2 * Store.keyByteCountMax, alignment: 8)
    }

    deinit { block.deallocate() }

    /// Adds about `count` keys: more where equal values must wait for each other, less only at the
    /// end. False if none are left.
    mutating func append(_ count: Int, to keys: inout [UInt64]) throws -> Bool {
        if isOrderedByEntry {
            if !isOnKey { return false }
            let isComplete =
                walk.index.hasKeysInEntries
                ? try cursor.appendSuffixes(before: nil, upTo: count, to: &keys)
                : try cursor.appendNumbers(before: nil, upTo: count, to: &keys)
            isOnKey = !isComplete
            return isOnKey
        }
        let end = keys.count + count
        while isOnKey, keys.count < end {
            if walk.index.kind == .rows {
                keys.append(cursor.withKey { objectKey(in: $0) })
                isOnKey = try cursor.previous()
            } else {
                try appendEqual(upTo: end, to: &keys)
            }
        }
        return isOnKey
    }

    /// Adds the objects whose values are those of the current entry. Where one was cut, these are
    /// all that begin so, because the entries after it are in no order that means something.
    private mutating func appendEqual(upTo end: Int, to keys: inout [UInt64]) throws {
        let other = block + Store.keyByteCountMax
        let start = keys.count
        var byteCount = cursor.copyKey(to: block) - 8
        let cut = walk.index.mayCut ? walk.byteCountToCut(Self.bytes(block, byteCount)) : nil
        if let cut { byteCount = cut }
        var isSame = true
        repeat {
            keys.append(cursor.indexValue)
            isOnKey = try walk.ascending ? cursor.next() : cursor.previous()
            if !isOnKey { break }
            // In ascending order whole values need not wait for the others that are equal.
            if walk.ascending, cut == nil, keys.count >= end { return }
            let otherByteCount = cursor.copyKey(to: other) - 8
            isSame =
                (cut == nil ? otherByteCount == byteCount : otherByteCount >= byteCount)
                && Self.bytes(block, byteCount).isSame(as: Self.bytes(other, byteCount))
        } while isSame
        if cut != nil {
            var found = Array(keys[start...])
            try walk.sort(&found, in: table, access)
            keys.replaceSubrange(start..., with: found)
        } else if !walk.ascending, keys.count - start > 1 {
            keys[start...].reverse()
        }
    }

    private static func bytes(
        _ start: UnsafeMutableRawPointer, _ count: Int
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count)
    }
}
