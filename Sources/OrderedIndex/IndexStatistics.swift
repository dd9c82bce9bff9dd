/// Sizes of an index.
package struct IndexStatistics: Sendable {
    /// Bytes of nodes that the newest version, or a transaction that is building the next, uses.
    package var liveNodeByteCount = 0
    /// Bytes of nodes that only older versions use.
    package var retiredNodeByteCount = 0
    /// Bytes of nodes that are free for new ones.
    package var freeNodeByteCount = 0
    /// Bytes of all chunks that nodes are cut from.
    package var chunkByteCount = 0
    /// Bytes of nodes of the newest version that are in no page file yet, about: what the next
    /// checkpoint must write.
    package var changedNodeByteCount = 0
    /// The number of nodes in memory, live and retired.
    package var nodeCount = 0
    /// The number of attached page files.
    package var pageFileCount = 0
    /// The number of pages in attached page files.
    package var pageCount = 0
    /// Bytes of the pages of attached page files.
    package var pageByteCount = 0
    /// The number of keys of the newest committed version, over all trees.
    package var keyCount = 0
}

extension Index {
    /// Bytes of nodes of the newest version that are in no page file yet, about. Any thread.
    package var changedByteCount: Int {
        counters.changedNodes.load(ordering: .relaxed) * Node.byteCount
    }

    /// The sizes as of the end of the last transaction. Any thread.
    package var statistics: IndexStatistics {
        var figures = IndexStatistics()
        let used = counters.usedNodes.load(ordering: .relaxed)
        let retired = counters.retiredNodes.load(ordering: .relaxed)
        figures.nodeCount = used
        figures.liveNodeByteCount = (used - retired) * Node.byteCount
        figures.retiredNodeByteCount = retired * Node.byteCount
        figures.chunkByteCount = counters.chunkBytes.load(ordering: .relaxed)
        figures.freeNodeByteCount = figures.chunkByteCount - used * Node.byteCount
        figures.changedNodeByteCount =
            counters.changedNodes.load(ordering: .relaxed) * Node.byteCount
        figures.keyCount = counters.keys.load(ordering: .relaxed)
        visitPageFiles { file in
            figures.pageFileCount += 1
            figures.pageCount += Int(file.pointee.pageCount)
        }
        figures.pageByteCount = figures.pageCount * Node.byteCount
        return figures
    }
}
