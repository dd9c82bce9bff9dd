/// Giving memory back. All of it is the writer's: the caller keeps write transactions away.
extension Index {
    /// Gives memory back that no version needs; the caller keeps write transactions away.
    ///
    /// Costs a few looks at each free node, so it is for the end of a checkpoint, not of a commit.
    package func releaseFreeMemory() {
        precondition(!hasWriter, "no memory is given back during a write transaction")
        reclaim()
        // Below that it costs more than it gives.
        if hasMuchFreeMemory { memory.releaseFreeChunks() }
        noteMemory()
    }

    private var hasMuchFreeMemory: Bool {
        memory.freeByteCount > max(4 << 20, memory.chunkByteCount / 16)
    }

    /// Begins to empty chunks that are mostly free, if that is worth it. An adoption that
    /// `evacuates` then moves what is left in them, and `endEvacuation` ends it. The caller keeps
    /// write transactions away.
    package func beginEvacuation() -> Bool {
        precondition(!hasWriter, "no evacuation begins during a write transaction")
        return hasMuchFreeMemory && memory.beginEvacuation()
    }

    /// Gives back what was emptied; the caller keeps write transactions away.
    package func endEvacuation() {
        precondition(!hasWriter, "no evacuation ends during a write transaction")
        reclaim()
        memory.endEvacuation()
        noteMemory()
    }

    func noteMemory() {
        counters.usedNodes.store(memory.usedCount, ordering: .relaxed)
        counters.retiredNodes.store(reclamation.nodeCount, ordering: .relaxed)
        counters.chunkBytes.store(memory.chunkByteCount, ordering: .relaxed)
        counters.changedNodes.store(changedNodeCount, ordering: .relaxed)
    }
}
