import TravertineStore

/// New object keys where the greatest key is taken: a type whose objects had their integer primary
/// keys as keys, and one of them `Int.max`, counts up in the largest gap.
extension RealmSession {
    /// A gap is used as long as it has so many keys, more than a process gives out.
    private static var gapMin: UInt64 { 1 << 40 }

    /// The first key of a gap: from the one that would be next by the floor, if that is in one,
    /// else of the largest. Reads all keys at most once.
    func keyInGap(after floor: UInt64, _ table: TableState) throws -> UInt64 {
        let access = try access
        var cursor = access.cursor(in: table.rows)
        let isValid = try withObjectKey(floor) { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        if floor > 1, isValid, cursor.withKey({ objectKey(in: $0) }) - floor >= Self.gapMin {
            return floor
        }
        var (start, count): (UInt64, UInt64) = (0, 0)
        var next: UInt64 = 1
        try scan(table) { key, _ in
            if key > next, key - next > count { (start, count) = (next, key - next) }
            next = key == .max ? .max : key + 1
            return true
        }
        guard count >= Self.gapMin else { throw noKeyLeft(table) }
        return start
    }
}
