import TravertineStore

/// The keys from `first` up to, not including, `end`.
struct KeyRange {
    private var first: [UInt8] = []
    private var end: [UInt8]?

    /// The keys that begin with `prefix` and are not before `from` and before `to`.
    init(prefix: [UInt8]?, from: [UInt8]?, to: [UInt8]?) {
        if let prefix {
            first = prefix
            end = Self.firstKey(afterPrefix: prefix)
        }
        if let from, first.lexicographicallyPrecedes(from) { first = from }
        if let to, end.map({ to.lexicographicallyPrecedes($0) }) ?? true { end = to }
    }

    /// Whether a key is in the range.
    func contains(_ key: [UInt8]) -> Bool {
        if key.lexicographicallyPrecedes(first) { return false }
        return end.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    /// Moves to the first key of the range, or to one after it; false if there is none.
    func seekToFirst(_ cursor: Cursor) throws(StoreError) -> Bool { try cursor.seek(to: first) }

    /// Moves to the last key of the range, or to one before it; false if there is none.
    func seekToLast(_ cursor: Cursor) throws(StoreError) -> Bool {
        guard let end else { return try cursor.seekToLast() }
        guard try cursor.seek(to: end) else { return try cursor.seekToLast() }
        return try cursor.previous()
    }

    /// The first byte string after all that begin with `prefix`; nil if there is none.
    private static func firstKey(afterPrefix prefix: [UInt8]) -> [UInt8]? {
        var key = prefix
        while let last = key.popLast() {
            if last < 0xff {
                key.append(last + 1)
                return key
            }
        }
        return nil
    }
}
