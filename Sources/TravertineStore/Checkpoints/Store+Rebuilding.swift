import OrderedIndex
import SegmentLog
import Synchronization

/// Which damaged pages were met, so that each is dealt with once.
final class DamagedPages: Sendable {
    private let known = Mutex<Set<UInt64>>([])

    /// Notes a page; true the first time.
    func note(file: UInt32, page: UInt32) -> Bool {
        known.withLock { $0.insert(UInt64(file) << 32 | UInt64(page)).inserted }
    }
}

extension Store {
    /// Lets the index tell of bad pages, from now on.
    func watchForDamage() {
        let known = DamagedPages()
        damage.setHandler { [weak self] file, page in
            guard let self, known.note(file: file, page: page) else { return }
            options.environment.executor.submit { [weak self] in
                guard let self, !closing.load(ordering: .relaxed) else { return }
                do throws(StoreError) {
                    try rebuildDamagedTrees(in: file)
                } catch {
                    if error.code == .closed { return }
                    options.eventHandler?(.rebuildingFailed(error))
                }
            }
        }
    }

    /// Builds the trees anew that refer to damaged pages, from the log, and writes a checkpoint
    /// that needs the damaged file no more (P13).
    ///
    /// 1. Every page of the newest version is read, to find the damaged trees.
    /// 2. With the gate held, the whole log is replayed into an index of its own.
    /// 3. A write transaction that changes no key puts the entries of the damaged trees into new
    ///    nodes; readers that come now see those.
    /// 4. The checkpoints that need the file leave the manifest, and a new one is written.
    ///
    /// Readers go on; writers wait for steps 2 and 3. The log can't tell the values of derived
    /// keyspaces: a damaged one throws until the store is opened again, which marks it invalid.
    /// The caller is a background job.
    func rebuildDamagedTrees(in file: UInt32) throws(StoreError) {
        try gate.checkNotInside()
        let rebuilt = try rebuild(try damagedTrees(), damagedFile: file)
        if rebuilt.isEmpty { return }
        options.eventHandler?(.rebuilt(keyspaces: rebuilt))
        try writeCheckpoint()
    }

    /// The keyspaces of which a page can't be read.
    private func damagedTrees() throws(StoreError) -> [UInt32] {
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        return (0..<UInt32(pin.root.pointee.treeCount)).filter {
            !index.isReadable(pin.root.pointee.tree(Int($0)))
        }
    }

    private func rebuild(
        _ damaged: [UInt32], damagedFile: UInt32
    ) throws(StoreError) -> [UInt32] {
        checkpoints.writing.lock()
        defer { checkpoints.writing.unlock() }
        try gate.enter()
        defer { gate.leave() }
        // Also when only older versions refer to the page: the kept checkpoints may as well.
        try checkpoints.forget(damagedFile: damagedFile)
        if damaged.isEmpty { return [] }
        let whole = try replayWholeLog()
        let writer = index.beginWrite()
        var rebuilt: [UInt32] = []
        do {
            for keyspace in damaged where Int(keyspace) < writer.treeCount {
                if writer.trees[Int(keyspace)].flags & TreeFlags.derived != 0 { continue }
                try writer.refill(keyspace, from: whole.access)
                rebuilt.append(keyspace)
            }
        } catch {
            writer.rollback()
            throw StoreError(anyError: error)
        }
        // The same keys as before, so the same commit as before.
        let root = writer.commit(tag: committedLSN.rawValue)
        _ = pipeline.add(
            root, lsn: committedLSN, mustBeDurable: false, durableLSN: { log.durableLSN })
        if rebuilt.count < damaged.count {
            throw StoreError(
                .damaged,
                "An index page of a derived keyspace is damaged. Close the store and open it again: "
                    + "the keyspace is then rebuilt from its rows.",
                file: StoreFiles.pageFile(damagedFile))
        }
        return rebuilt
    }

    private func replayWholeLog() throws(StoreError) -> ReplayedStore {
        var replayOptions = options
        replayOptions.readMode = .verified
        let opened = try StoreOpening(path: path, options: replayOptions).replay(
            behind: nil, checkpoints.manifest, nil, OpeningReport(source: .fullReplay), [])
        guard opened.report.lastLSN >= committedLSN.rawValue else {
            throw StoreError(
                .damaged,
                "An index page is damaged, and the log ends before the newest commit. Run "
                    + "`travertine fsck`.", lsn: opened.report.lastLSN + 1)
        }
        return ReplayedStore(opened)
    }
}

extension IndexWriter {
    /// Replaces the entries of a tree by those of the same tree of another index.
    fileprivate func refill(_ keyspace: UInt32, from source: ReadAccess) throws {
        let tree = Int(keyspace)
        removeAll(in: tree)
        var cursor = source.cursor(in: keyspace)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let value = cursor.indexValue
            try cursor.withKey { key in _ = try insert(key, value: value, in: tree) }
            isValid = try cursor.next()
        }
    }
}
