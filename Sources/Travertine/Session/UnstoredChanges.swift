/// Changes that were made and are not in the store's transaction yet. A savepoint that fails drops
/// them as a whole, as the end of the transaction does.
struct UnstoredChanges {
    /// Nodes of large collections that are in memory.
    var nodes = CollectionNodes()
    /// Elements that were appended to a large list.
    var appends: AppendBuffer?
    /// Changed postings of full-text indexes; nil before the first one.
    var postings: PostingsBatch?
    /// Embedded objects that lost an owner; deleted at the end of the change unless they got
    /// another.
    var orphans: [Orphan] = []
}
