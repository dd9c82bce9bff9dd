import OrderedIndex
import SegmentLog

/// Taking over what a checkpoint wrote: the trees in memory refer to its pages, so that memory and
/// older page files are given back (A1 to A4, C9).
extension Store {
    /// How many inner nodes a slice of an adoption looks at: about 0.2 ms.
    private static let nodesInSlice = 32

    /// Lets the trees in memory refer to what a checkpoint wrote, as far as they must (C9).
    ///
    /// They must where they refer to pages that the checkpoint moved. And while nodes take more
    /// memory than `indexMemoryBudget`, leaves that are in a page file now are referred to there,
    /// and their memory is given back; first those that did not change since the checkpoint before.
    /// The caller holds `checkpoints.writing`. Between the slices writers go on.
    func adoptPages(of written: WrittenCheckpoint) throws(StoreError) {
        var adoptions: [PageAdoption] = []
        let surplus = surplusLeafCount
        if surplus > 0 {
            let previous = checkpoints.state.withLock { $0.previousVersion }
            let files = Set(written.files.map(\.number))
            adoptions = [previous, written.version].map {
                PageAdoption(
                    moved: written.moved, leafFiles: files, leafVersionMax: $0, leafCount: surplus)
            }
            for file in written.files { try attach(file, birth: written.version + 1) }
        } else if !written.moved.isEmpty, let own = written.files.last {
            adoptions = [PageAdoption(moved: written.moved)]
            try attach(own, birth: written.version + 1)
        }
        var leafCount = surplus
        for (place, adoption) in adoptions.enumerated() where place == 0 || leafCount > 0 {
            guard let left = adopt(adoption, leafCount: leafCount) else { return }
            leafCount = left
        }
        settleMemory(after: written)
    }

    /// Lets page files go that nothing in memory refers to, and memory that no node needs.
    private func settleMemory(after written: WrittenCheckpoint) {
        let evacuates = withGate {
            checkpoints.pageFiles.keepOnly(
                Set(written.files.map(\.number)), from: index.newestVersion)
            checkpoints.pageFiles.release(from: index)
            index.releaseFreeMemory()
            return index.beginEvacuation()
        }
        guard evacuates == true else { return }
        // If the store is closed in the meantime the chunks stay until the index goes.
        guard adopt(PageAdoption(moved: [:], evacuates: true), leafCount: 0) != nil else { return }
        _ = withGate { index.endEvacuation() }
    }

    var indexMemoryBudget: Int { options.indexMemoryBudget ?? MemoryBudget.ofIndex }

    /// How many leaves are too many in memory; none below the budget, else down to 7/8 of it.
    var surplusLeafCount: Int {
        let budget = indexMemoryBudget
        let used = index.statistics.liveNodeByteCount
        return used <= budget ? 0 : (used - budget + budget / 8) / PageFileHeader.pageByteCount
    }

    private func attach(
        _ file: CheckpointDescriptor.PageFileReference, birth: UInt64
    ) throws(StoreError) {
        if checkpoints.pageFiles.contains(file.number) { return }
        switch PageFileReader.openFile(
            file, directory: path, identity: checkpoints.manifest.identity,
            fileSystem: options.environment.fileSystem)
        {
        case .failure(let reason):
            let error = StoreError(
                .io, "A page file that was just written can't be used: \(reason).",
                file: StoreFiles.pageFile(file.number))
            checkpoints.noteFailure(error)
            throw error
        case .success(let opened):
            checkpoints.pageFiles.add(
                try AttachedPages(
                    file, opened, to: index, readMode: options.readMode, damage: damage),
                birth: birth)
        }
    }

    /// Does an adoption slice by slice; returns how many leaves still may go, or nil if the store
    /// is being closed.
    private func adopt(_ adoption: PageAdoption, leafCount: Int) -> Int? {
        var adoption = adoption
        adoption.leafCount = leafCount
        while !adoption.isDone {
            let isInTime: Void? = withGate {
                changeNodes { $0.adopt(&adoption, nodeCount: Self.nodesInSlice) }
                gate.letWaiterBeNext()
            }
            if isInTime == nil { return nil }
        }
        return adoption.leafCount
    }

    /// Makes a version of the index with other nodes and the same keys, unless `change` says that
    /// it changed nothing. The caller holds the gate.
    func changeNodes(_ change: (IndexWriter) -> Bool) {
        let writer = index.beginWrite()
        guard change(writer) else {
            writer.rollback()
            return
        }
        // The same keys as before, so the same commit as before.
        let root = writer.commit(tag: committedLSN.rawValue)
        _ = pipeline.add(
            root, lsn: committedLSN, mustBeDurable: false, durableLSN: { log.durableLSN })
    }

    /// Calls `body` with the gate held; nil if the store is closed or closing.
    private func withGate<Result>(_ body: () -> Result) -> Result? {
        guard case .success = capture({ () throws(StoreError) in try gate.enter() }) else {
            return nil
        }
        defer { gate.leave() }
        return body()
    }
}
