import TravertineStore

/// What `DerivedBuilder` reads rows from, and where it puts entries.
protocol DerivedTarget {
    /// The rows.
    var access: ReadAccess { get }
    /// Empties a derived keyspace.
    func indexReset(_ keyspace: UInt32) throws(StoreError)
    /// Puts an entry, and returns the value that it replaces.
    func indexPut(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: UInt32
    ) throws(StoreError) -> UInt64?
}
