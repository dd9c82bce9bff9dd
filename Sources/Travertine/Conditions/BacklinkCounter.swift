import TravertineStore

/// Counts the links to objects, one object after another.
///
/// A scan has the keys of its objects in ascending order, as the entries of backlinks are, so a cursor
/// moves along these and is not sought anew for each object. It is valid for one generation of the
/// realm, and not used in a write transaction, whose changes move entries.
final class BacklinkCounter {
    private var cursor: RawCursor?
    private var generation: UInt64 = 0
    private var keyspace = KeyspaceID.absent
    private var last: UInt64 = 0
    /// The target of the cursor's entry, once there is one: all before it that come after `last`
    /// have no links.
    private var following: UInt64?
    /// Whether the cursor is after all entries.
    private var isAtEnd = false

    /// How often objects link to one by a property.
    func count(
        to target: UInt64, in table: TableState, _ property: StoredProperty
    ) throws -> Int64 {
        let session = table.session
        if session.isWriting || property.backlinks == .absent {
            return try session.backlinks(to: target, in: table, property)
                .reduce(0) { $0.addingLinks(Int64(clamping: $1.count)) }
        }
        let access = try session.access
        let now = session.generation.pointee.number
        if generation != now || keyspace != property.backlinks || target <= last {
            cursor = RawCursor(access, keyspace: property.backlinks)
            (generation, keyspace) = (now, property.backlinks)
            (following, isAtEnd) = (nil, false)
        }
        last = target
        if isAtEnd { return 0 }
        if let following, target < following { return 0 }
        do {
            return property.type == .any
                ? try count(to: target, ofType: table.stored.number)
                : try countNext(to: target)
        } catch {
            // The cursor is on no key.
            generation = .max
            throw error
        }
    }

    /// Counts the links to an object at or after the one that the cursor is at.
    private func countNext(to target: UInt64) throws -> Int64 {
        if following != target {
            let isValid = try withUnsafeBytes(of: target.bigEndian) { (key) throws(StoreError) in
                try cursor?.seekForward(to: key) ?? false
            }
            take(isValid)
        }
        var sum: Int64 = 0
        while !isAtEnd, following == target {
            sum = sum.addingLinks(Int64(clamping: cursor?.indexValue ?? 0))
            take(try cursor?.next() ?? false)
        }
        return sum
    }

    /// Notes where the cursor is.
    private func take(_ isValid: Bool) {
        isAtEnd = !isValid
        following = isValid ? cursor?.withKey { objectKey(in: $0) } : nil
    }

    /// Counts the links to an object where they can lead to objects of any type.
    private func count(to target: UInt64, ofType type: UInt32) throws -> Int64 {
        var words = (
            type.bigEndian, UInt32(truncatingIfNeeded: target >> 32).bigEndian,
            UInt32(truncatingIfNeeded: target).bigEndian
        )
        return try withUnsafeBytes(of: &words) { (prefix) throws(StoreError) in
            try cursor?.sum(beginningWith: prefix) ?? 0
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
            sum = sum.addingLinks(Int64(clamping: indexValue))
            isValid = try next()
        }
        return sum
    }
}
