import OrderedIndex
import SegmentLog

/// The steps that all changes have in common: a record in the log, and its place in the index.
extension WriteTransaction {
    /// Throws when the transaction has ended.
    @usableFromInline
    func checkActive() throws(StoreError) {
        if !isActive { throw .endedTransaction }
    }

    /// Throws unless the transaction is active and the keyspace holds records.
    @inline(__always)
    func checkRecords(_ keyspace: KeyspaceID) throws(StoreError) {
        try checkActive()
        guard keyspace.treeNumber < writer.treeCount, keyspace != .system,
            writer.trees[keyspace.treeNumber].flags & (TreeFlags.derived | TreeFlags.dropped) == 0
        else { throw .noSuchKeyspace(keyspace) }
    }

    /// The location of a key in the transaction's version.
    @usableFromInline
    func location(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        try checkActive()
        do {
            return try writer.value(forKey: key, in: keyspace.treeNumber)
        } catch {
            throw StoreError(error)
        }
    }

    /// A key of the transaction's version that is about to be removed, or nil.
    func find(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> IndexWriter.FoundKey? {
        do {
            return try writer.find(key, in: keyspace.treeNumber)
        } catch {
            throw StoreError(error)
        }
    }

    /// Removes a key that was found, and whose record is in the log already.
    func remove(_ found: IndexWriter.FoundKey) throws(StoreError) {
        do {
            try writer.remove(found)
        } catch {
            throw fail(StoreError(error))
        }
    }

    /// Encodes a record into the log's buffer; nothing has changed when it throws.
    func append(
        _ kind: RecordKind, keyspace: KeyspaceID, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(StoreError) -> Location {
        do {
            return try log.append(kind: kind, keyspace: keyspace, key: key, value: value)
        } catch {
            throw StoreError(error)
        }
    }

    /// Enters a location in the index and counts the one it replaces.
    func enter(
        _ location: Location, forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        do {
            let previous = try writer.insert(key, value: location.rawValue, in: keyspace.treeNumber)
            if let previous { noteDead(previous) }
        } catch {
            throw fail(StoreError(error))
        }
    }

    /// The size in the log of a record with this key and value.
    @inline(__always)
    func storedByteCount(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Int {
        RecordLayout.paddedByteCount(key: key.count, value: value.count, isMove: false)
    }

    func noteDead(_ location: UInt64) {
        if !Location(rawValue: location).isStaged { overwritten.append(location) }
    }
}
