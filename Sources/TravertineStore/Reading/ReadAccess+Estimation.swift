import OrderedIndex

extension ReadAccess {
    /// About how many keys of a keyspace are at or after `start` and before `end`; reads two nodes
    /// for each level of the tree (`IndexReader.estimatedCount`).
    package func estimatedCount(
        from start: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer?, in keyspace: KeyspaceID
    ) throws(StoreError) -> KeyCount {
        do {
            return try index.estimatedCount(from: start, to: end, in: tree(of: keyspace))
        } catch {
            throw StoreError(error)
        }
    }
}

extension ReadAccess {
    /// Asks for the leaves of keys that are about to be looked up one by one, 16 at most. Damage is
    /// found by the look-ups.
    package func ask(forKeys keys: [UnsafeRawBufferPointer], in keyspace: KeyspaceID) {
        let tree = tree(of: keyspace)
        keys.withUnsafeBufferPointer { index.prefetch(keys: $0, in: tree) }
    }
}
