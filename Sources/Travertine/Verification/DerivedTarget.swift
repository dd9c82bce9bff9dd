import TravertineStore

/// What `DerivedBuilder` reads rows from, and where it puts entries.
protocol DerivedTarget {
    /// The rows.
    var access: ReadAccess { get }
    /// Empties a derived keyspace.
    func indexReset(_ keyspace: KeyspaceID) throws(StoreError)
    /// Puts an entry, and returns the value that it replaces.
    func indexPut(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64?
    /// Adds to the value of an entry, modulo 2^64; an entry that is 0 then is taken out.
    func indexAddBits(
        _ change: UInt64, toNumberOf key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError)
    /// Stores postings of full-text indexes. Of one token and object they come once.
    func store(_ postings: PostingsBatch) throws
}
