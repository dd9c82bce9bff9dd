import Locks
import OrderedIndex
import SegmentLog
import Synchronization

/// The page files with damaged pages, so that each is dealt with once, and again if that failed.
final class DamagedFiles: Sendable {
    private enum Progress {
        case underWay
        case failed(UInt64)
        case repaired
    }

    private let files = Locked<[UInt32: Progress]>([:])

    /// How long a file that could not be dealt with is left alone.
    static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// Whether a file must be rebuilt now.
    func begin(_ file: UInt32, now: UInt64) -> Bool {
        files.withLock { files in
            switch files[file] {
            case .underWay, .repaired: return false
            case .failed(let time) where now &- time < Self.pauseNanoseconds: return false
            default:
                files[file] = .underWay
                return true
            }
        }
    }

    /// Says how it went.
    func end(_ file: UInt32, isRepaired: Bool, now: UInt64) {
        files.withLock { $0[file] = isRepaired ? .repaired : .failed(now) }
    }
}

extension Store {
    /// Lets the index report bad pages, from now on.
    func watchForDamage() {
        let files = DamagedFiles()
        let now = options.environment.now
        damage.setHandler { [handle] file, _ in
            guard let store = handle.target, files.begin(file, now: now()) else { return }
            store.options.environment.executor.submit {
                guard let store = handle.target, !store.closing.load(ordering: .relaxed) else {
                    return
                }
                do throws(StoreError) {
                    try store.rebuildDamagedTrees(in: file)
                    files.end(file, isRepaired: true, now: now())
                } catch {
                    files.end(file, isRepaired: false, now: now())
                    if error.code == .closed { return }
                    store.notify(.rebuildingFailed(error))
                }
            }
        }
    }

    /// Builds the trees anew that refer to damaged pages, from the log, and writes a checkpoint
    /// that needs the damaged file no more (C6).
    ///
    /// 1. With the gate held every page of the newest version is read, to find the damaged trees.
    /// 2. The whole log is replayed into a separate index, without changing or syncing anything.
    ///    If it is not whole, nothing has changed.
    /// 3. A write transaction that changes no key puts the entries of the damaged trees into new
    ///    nodes; readers that come now see those.
    /// 4. A new checkpoint is written, which does not refer to the damaged file.
    ///
    /// Readers go on; writers wait for steps 1 to 3. The log does not hold the values of derived
    /// keyspaces: a damaged one throws until the store is opened again. Then the checkpoints leave
    /// the manifest, for which the log has just shown that it can replace them, so that the next
    /// opening marks the keyspace invalid. The caller is a background job.
    func rebuildDamagedTrees(in file: UInt32) throws(StoreError) {
        try checkProcess()
        let outcome = try rebuild(damagedFile: file)
        if !outcome.rebuilt.isEmpty { notify(.rebuilt(keyspaces: outcome.rebuilt.map(\.rawValue))) }
        if outcome.hasDamagedDerived {
            throw StoreError(
                .damaged,
                "An index page of a derived keyspace is damaged. Close the store and open it again: "
                    + "the keyspace is then rebuilt from its rows.",
                file: StoreFiles.pageFile(file))
        }
        try writeCheckpoint()
    }

    private func rebuild(
        damagedFile: UInt32
    ) throws(StoreError) -> (rebuilt: [KeyspaceID], hasDamagedDerived: Bool) {
        checkpoints.writing.lock()
        defer { checkpoints.writing.unlock() }
        try gate.enter()
        defer { gate.leave() }
        if log.isPoisoned {
            throw StoreError(.poisoned, "A sync failed; the index is rebuilt after reopening.")
        }
        checkpoints.leave(file: damagedFile)
        let writer = index.beginWrite()
        let damaged = (0..<writer.treeCount).filter { !index.isReadable(writer.trees[$0]) }
        if damaged.isEmpty {
            writer.rollback()
            return ([], false)
        }
        var rebuilt: [KeyspaceID] = []
        do {
            let whole = try replayWholeLog()
            for tree in damaged where writer.trees[tree].flags & TreeFlags.derived == 0 {
                let keyspace = KeyspaceID(treeNumber: tree)
                try writer.refill(keyspace, from: whole.access)
                rebuilt.append(keyspace)
            }
            if rebuilt.count < damaged.count { try checkpoints.forget(damagedFile: damagedFile) }
        } catch {
            writer.rollback()
            throw StoreError(anyError: error)
        }
        // The same keys as before, so the same commit as before.
        let root = writer.commit(tag: committedLSN.rawValue)
        _ = pipeline.add(
            root, lsn: committedLSN, mustBeDurable: false, durableLSN: { log.durableLSN })
        return (rebuilt, rebuilt.count < damaged.count)
    }

    /// Replays the log up to the newest commit as a reader beside the writer does: it syncs
    /// nothing, for a sync that fails must be one of the log itself (invariant 7).
    private func replayWholeLog() throws(StoreError) -> ReplayedStore {
        checkpoints.holds.hold()
        defer { endHold() }
        var replayOptions = options
        replayOptions.readMode = .verified
        let opened = try StoreOpening(
            path: path, options: replayOptions, following: Following(through: committedLSN)
        ).replay(
            after: nil, checkpoints.manifest, nil, OpeningReport(source: .fullReplay), [])
        return ReplayedStore(opened)
    }
}

extension IndexWriter {
    /// Replaces the entries of a tree by those of the same tree of another index.
    fileprivate func refill(_ keyspace: KeyspaceID, from source: ReadAccess) throws {
        let tree = keyspace.treeNumber
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
