import OrderedIndex

/// The last part of a full pass: writing the leaves of the index anew, so that they are full.
extension Store {
    /// Fills the leaves of the index, and writes two checkpoints with them: the second shares the
    /// pages of the first, so that both that are kept are small.
    ///
    /// The last part of a full pass, when its space was given back. It is left out where there is
    /// hardly room for pages that are all new: leaves that can't be written would make every later
    /// checkpoint fail.
    func consolidateIndex() throws(StoreError) {
        // What the copies changed is written all the same: the pages of the checkpoints before
        // them go.
        guard try hasRoomForNewPages() else { return try writeCheckpoint() }
        if try consolidateLeaves(checkpointEvery: changedByteCountMax) {
            try writeCheckpoint()
            try writeCheckpoint()
        }
    }

    /// The bytes of changed nodes after which a full pass gives their memory back by a checkpoint:
    /// a quarter of what nodes may take.
    var changedByteCountMax: Int { max(1 << 20, indexMemoryBudget / 4) }

    /// Whether the pages of all trees fit twice into what is free on the disk.
    private func hasRoomForNewPages() throws(StoreError) -> Bool {
        let pages = checkpoints.pageFiles.byteCount + index.statistics.liveNodeByteCount
        do {
            let free = try options.environment.fileSystem.freeBytes(at: path)
            return free / 2 >= UInt64(pages)
        } catch {
            throw StoreError(error)
        }
    }

    /// Writes the keys of all trees into as few leaves as have some room left; false if that
    /// changed nothing. What random insertions made takes up to a quarter less then: most where the
    /// leaves were split not long ago, nothing where they are about to be split.
    ///
    /// Between the slices writers go on. After so many bytes of new leaves, if the index takes more
    /// memory than `indexMemoryBudget`, a checkpoint gives it back.
    func consolidateLeaves(checkpointEvery byteCount: Int) throws(StoreError) -> Bool {
        var consolidation = LeafConsolidation()
        var givenBack = 0
        while true {
            let pin = index.pin(note: options.environment.now())
            consolidation.findNext(in: pin.root, index.reader)
            index.unpin(pin)
            if consolidation.isDone { return consolidation.madeByteCount > 0 }
            try gate.enter()
            changeNodes { $0.consolidate(&consolidation) }
            gate.letWaiterBeNext()
            gate.leave()
            if consolidation.madeByteCount - givenBack >= byteCount {
                givenBack = consolidation.madeByteCount
                if surplusLeafCount > 0 { try writeCheckpoint() }
            }
        }
    }
}
