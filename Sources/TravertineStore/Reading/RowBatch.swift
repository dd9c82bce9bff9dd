import SegmentLog

/// A few rows that are looked up together by their numbers, so that their waits for memory overlap.
///
/// One block of memory, taken once and used for any number of batches.
@usableFromInline
package struct RowBatch: ~Copyable {
    @usableFromInline let batch = KeyBatch(copiesKeys: false)
    @usableFromInline let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: KeyBatch.capacity)
    private let access: ReadAccess
    private let keyspace: KeyspaceID

    /// The number of rows that a batch takes at most.
    @inlinable package static var capacity: Int { KeyBatch.capacity }

    /// No rows yet, of a keyspace whose keys are numbers in eight bytes, big-endian. Valid as long
    /// as the read path is.
    package init(_ access: ReadAccess, keyspace: KeyspaceID) {
        self.access = access
        self.keyspace = keyspace
    }

    deinit { keys.deallocate() }

    /// The number of rows asked for.
    @inlinable package var count: Int { batch.count }

    /// Forgets the rows.
    package mutating func removeAll() { batch.removeAll() }

    /// Asks for a row; there are fewer than `capacity` before.
    @inlinable
    package mutating func append(_ key: UInt64) {
        let place = keys + batch.count
        place.initialize(to: key.bigEndian)
        batch.appendInPlace(UnsafeRawBufferPointer(start: place, count: 8))
    }

    /// The number of a row that was asked for.
    @inlinable
    package func key(_ place: Int) -> UInt64 {
        require(place < batch.count, "there is no such row in the batch")
        return UInt64(bigEndian: keys[place])
    }

    /// Looks all of them up.
    ///
    /// - Throws: `.damaged` when a page on the way of any of them is damaged.
    package mutating func lookUp() throws(StoreError) {
        try batch.lookUp(in: access.tree(of: keyspace), of: access.index)
        batch.prefetchRecords(access)
    }

    /// Looks all of them up, and gives how many are there; no row is read.
    ///
    /// - Throws: `.damaged` when a page on the way of any of them is damaged.
    package mutating func foundCount() throws(StoreError) -> Int {
        try batch.lookUp(in: access.tree(of: keyspace), of: access.index)
        return batch.foundCount
    }

    /// A row in place, or nil if there is none; valid as long as the read path.
    package func row(_ place: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let location = batch.value(place) else { return nil }
        return try access.value(at: Location(rawValue: location), verified: false)
    }
}
