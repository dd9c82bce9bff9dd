import TravertineStore

/// Counts the links to objects, one object after another.
///
/// A scan has the keys of its objects in ascending order, as the entries of backlinks are, so a cursor
/// moves along these and is not sought anew for each object. It is valid for one generation of the
/// realm, and not used in a write transaction, whose changes move entries.
final class BacklinkCounter {
    private var cursor: RawCursor?
    private var generation: UInt64 = 0
    private var keyspace: UInt32 = 0
    private var last: UInt64 = 0

    /// How often objects link to one by a property.
    func count(
        to target: UInt64, in table: TableState, _ property: StoredProperty
    ) throws -> Int64 {
        let session = table.session
        if session.isWriting || property.backlinks == 0 {
            return try session.backlinks(to: target, in: table, property)
                .reduce(0) { $0 + Int64($1.count) }
        }
        let access = try session.access
        let now = session.generation.pointee.number
        if generation != now || keyspace != property.backlinks || target <= last {
            cursor = RawCursor(access, keyspace: property.backlinks)
            (generation, keyspace) = (now, property.backlinks)
        }
        last = target
        var words = (
            property.type == .any ? table.stored.number.bigEndian : 0,
            UInt32(truncatingIfNeeded: target >> 32).bigEndian,
            UInt32(truncatingIfNeeded: target).bigEndian
        )
        return try withUnsafeBytes(of: &words) { (words) throws(StoreError) in
            let prefix = UnsafeRawBufferPointer(
                rebasing: words[(property.type == .any ? 0 : 4)...])
            return try cursor?.sum(beginningWith: prefix) ?? 0
        }
    }
}

extension RawCursor {
    /// The sum of the numbers of the entries that begin so, from the current one on.
    fileprivate mutating func sum(
        beginningWith prefix: UnsafeRawBufferPointer
    ) throws(StoreError) -> Int64 {
        var sum: Int64 = 0
        var isValid = try seekForward(to: prefix)
        while isValid, withKey({ $0.begins(with: prefix) }) {
            sum += Int64(clamping: indexValue)
            isValid = try next()
        }
        return sum
    }
}
