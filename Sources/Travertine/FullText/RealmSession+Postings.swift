import TravertineStore

extension WriteTransaction {
    /// Stores changed postings of full-text indexes.
    func store(_ postings: PostingsBatch) throws {
        var writer = PostingsWriter(self)
        try writer.store(postings)
    }
}

extension RealmSession {
    /// Stores the postings that wait, if there are any: before an index is read, and before a
    /// savepoint and the transaction end.
    @inline(__always)
    func flushPostings() throws {
        if unstored.postings != nil { try storePostings() }
    }

    @inline(never)
    private func storePostings() throws {
        guard let postings = unstored.postings, !postings.isEmpty else { return }
        let transaction = requireOpenTransaction().takeUnretainedValue()
        // Also if it fails halfway: rows of the transaction may lie elsewhere then.
        defer { advance() }
        try transaction.store(postings)
        postings.removeAll()
    }

    /// Notes a changed posting.
    func addPosting(_ key: UnsafeRawBufferPointer, count: UInt64, in keyspace: KeyspaceID) throws {
        let postings = unstored.postings ?? PostingsBatch()
        unstored.postings = postings
        postings.add(key, count: count, in: keyspace)
        if postings.isFull { try storePostings() }
    }

    /// Stores what waits in memory.
    func flushUnstored() throws {
        try unstored.nodes.flush(self)
        try flushPostings()
    }
}
