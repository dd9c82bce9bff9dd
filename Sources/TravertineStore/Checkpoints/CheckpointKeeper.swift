import Locks
import OrderedIndex
import SegmentLog

/// Keeps the manifest and the page files of a store: writes checkpoints, keeps two, and replaces
/// the manifest atomically.
///
/// Steps of a checkpoint, each of which a crash may interrupt without harm:
/// 1. A page file with the next number is written under its final name and synced: the nodes that
///    no page of the kept files says. Until the manifest names it, it is an orphan, which the next
///    opening removes.
/// 2. The directory is synced.
/// 3. The manifest that names it is written as `manifest.new`, synced, renamed over `manifest`, and
///    the directory is synced.
/// 4. Page files that no kept checkpoint and no tree in memory needs are removed.
///
/// A step that fails leaves the store as it was: commits go on, and the next checkpoint takes a new
/// page file. After a failed sync nothing is removed any more (C2), segments included.
final class CheckpointKeeper: Sendable {
    /// What is known. Never locked while the disk is waited for: each commit looks here.
    struct State {
        /// As it is on disk, but for the next number of a page file. Changes under `replacing`
        /// only.
        var manifest: Manifest
        /// The files that the newest checkpoint refers to: what the next may go on to refer to.
        var newestFiles: [CheckpointDescriptor.PageFileReference]
        /// The pages of the newest checkpoint's trees; those of its files, dead ones too, where it
        /// was written before the opening.
        var livePageCount: Int
        /// The page file that is being written, which no manifest names yet.
        var fileUnderWay: UInt32?
        /// The versions of the newest checkpoint's root and of the one before, of those written
        /// since opening; what is not newer than the latter changes rarely.
        var newestVersion: UInt64 = 0
        var previousVersion: UInt64 = 0
        /// The files that each kept checkpoint needs, by its own file, as far as they were asked
        /// for.
        var filesOfCheckpoint: [UInt32: Set<UInt32>] = [:]
        /// Whether a manifest on disk says that the store is in use.
        var isMarkedInUse = false
        /// Bytes of log that the newest checkpoint covers, in the log's own count.
        var coveredByteCount: UInt64 = 0
        var isScheduled = false
        /// The sync of a page file or a manifest that failed (C2).
        var removalFailure: StoreError?
        var writtenCount = 0
        var lastByteCount = 0
        /// Bytes of all page files written since opening.
        var totalByteCount: UInt64 = 0
        var lastFailure: StoreError?
        /// When a checkpoint in the background failed last.
        var failureTime: UInt64?
    }

    let directory: String
    let fileSystem: FileSystem
    private let random: @Sendable () -> UInt64
    private let interval: Int?
    /// The page files that trees in memory refer to.
    let pageFiles: PageFileSet
    let state: Locked<State>
    /// What keeps files that are not needed from being removed.
    let holds = DeletionGuard()
    /// One checkpoint is written at a time.
    let writing = Locked<Void>()
    /// One manifest is written at a time. Taken after `writing` and before `state`.
    let replacing = Locked<Void>()

    init(
        directory: String, environment: Environment, interval: Int?, manifest: Manifest,
        newestFiles: [CheckpointDescriptor.PageFileReference], attached: [AttachedPages]
    ) {
        self.directory = directory
        self.fileSystem = environment.fileSystem
        self.random = environment.random
        self.interval = interval
        pageFiles = PageFileSet(attached)
        let pageCount = newestFiles.reduce(0) { $0 + Int($1.pageCount) }
        state = Locked(
            State(manifest: manifest, newestFiles: newestFiles, livePageCount: pageCount))
    }

    /// Whether a sync has failed after which nothing may be removed (C2).
    var removalIsForbidden: Bool { removalFailure != nil }

    /// The sync that failed first.
    var removalFailure: StoreError? { state.withLock { $0.removalFailure } }

    /// Called with the first such failure, under a lock: hand over to somebody else. Set before
    /// use.
    let removalObserver = Locked<(@Sendable (StoreError) -> Void)?>(nil)

    /// Notes that a sync of a page file, of a manifest or of the LSN that readers see has failed
    /// (C2).
    func forbidRemoval(_ error: StoreError) {
        state.withLock { state in
            if state.removalFailure != nil { return }
            state.removalFailure = error
            removalObserver.withLock { $0 }?(error)
        }
    }

    /// The manifest as it is on disk.
    var manifest: Manifest { state.withLock { $0.manifest } }

    /// Bytes that page files take on the disk, orphans included.
    var pageFileByteCount: Int {
        let names = (try? fileSystem.list(directory)) ?? []
        return names.filter { StoreFiles.pageFileNumber(of: $0) != nil }
            .reduce(0) { $0 + fileSystem.allocatedByteCount(of: directory + "/" + $1) }
    }

    // MARK: When

    /// Whether enough log was written since the newest checkpoint.
    ///
    /// Without a setting: twice what the checkpoint would write, so that checkpoints cost at most
    /// half of the log's bytes, or an eighth of the live bytes, between 4 and 64 MiB.
    func isDue(logByteCount: UInt64, liveByteCount: Int64, changedByteCount: Int) -> Bool {
        let due = byteCountBetween(liveByteCount, changedByteCount)
        return state.withLock {
            logByteCount - $0.coveredByteCount >= UInt64(due) && !$0.isScheduled
        }
    }

    /// Bytes of log until the next checkpoint is due, about; 0 when it is. What changes, and with
    /// it the interval, grows in the meantime: so the one before, `previous`, says more.
    func byteCountUntilDue(
        logByteCount: UInt64, liveByteCount: Int64, changedByteCount: Int, previous: Int
    ) -> Int {
        let due = max(byteCountBetween(liveByteCount, changedByteCount), previous)
        let written = state.withLock { logByteCount - $0.coveredByteCount }
        return max(0, due - Int(clamping: written))
    }

    private func byteCountBetween(_ liveByteCount: Int64, _ changedByteCount: Int) -> Int {
        interval ?? min(max(Int(liveByteCount) / 8, 2 * changedByteCount, 4 << 20), 64 << 20)
    }

    /// Whether one of the two kept checkpoints is missing, or older than an LSN.
    func hasOlder(than lsn: LSN) -> Bool {
        let kept = manifest.checkpoints
        return kept.count < 2 || kept.contains { $0.file == nil || $0.lsn < lsn }
    }

    /// Claims the one scheduled checkpoint; false if one is scheduled already.
    func beginScheduled() -> Bool {
        state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    // MARK: Writing

    /// Writes an image as a new checkpoint.
    ///
    /// All log up to the image's LSN must be synced. The caller holds `writing`.
    func write(
        _ image: CheckpointImage, of index: Index, durableLSN: LSN
    ) throws(StoreError) -> WrittenCheckpoint {
        let number = try takeFileNumber()
        let file = PageFileWriter(
            directory: directory, number: number, seed: random(), identity: manifest.identity,
            fileSystem: fileSystem)
        let written: WrittenCheckpoint
        do {
            written = try file.write(image, of: index, keeping: try chooseFiles(image, index))
        } catch {
            if file.isSyncing { forbidRemoval(error) }
            noteFailure(error)
            throw error
        }
        do {
            try publish(written, of: image, durableLSN: durableLSN)
        } catch {
            noteFailure(error)
            // If the manifest was not touched, it does not name the file.
            if !removalIsForbidden { file.remove() }
            throw error
        }
        return written
    }

    /// Chooses the files that the next checkpoint goes on to refer to.
    private func chooseFiles(
        _ image: CheckpointImage, _ index: Index
    ) throws(StoreError) -> PageFilesKept {
        let files = state.withLock { $0.newestFiles }
        if files.isEmpty { return PageFilesKept(files: [], isLeavingFiles: false) }
        do {
            let counts = try index.livePageCounts(of: image.root)
            let kept = PageFileSelection.kept(of: files, livePageCounts: counts)
            return PageFilesKept(
                files: files.filter { kept.contains($0.number) },
                isLeavingFiles: kept.count < files.count,
                livePageCount: kept.reduce(0) { $0 + counts[$1, default: 0] })
        } catch {
            throw StoreError(error)
        }
    }

    private func publish(
        _ written: WrittenCheckpoint, of image: CheckpointImage, durableLSN: LSN
    ) throws(StoreError) {
        try replaceManifest { next in
            next.checkpoints = Array(([written.entry] + next.checkpoints).prefix(2))
            next.durableLSN = max(next.durableLSN, max(durableLSN, written.entry.lsn))
            next.retirement = image.retirement
        } then: { state in
            let kept = Set(state.manifest.checkpoints.compactMap(\.file))
            state.filesOfCheckpoint = state.filesOfCheckpoint.filter { kept.contains($0.key) }
            if let file = written.entry.file {
                state.filesOfCheckpoint[file] = Set(written.files.map(\.number))
            }
            state.newestFiles = written.files
            state.livePageCount = written.livePageCount
            state.fileUnderWay = nil
            state.previousVersion = state.newestVersion
            state.newestVersion = written.version
            state.coveredByteCount = image.logByteCount
            state.isScheduled = false
            state.writtenCount += 1
            state.lastByteCount = written.byteCount
            state.totalByteCount += UInt64(written.byteCount)
            state.lastFailure = nil
        }
    }

    /// Remembers why a checkpoint was not written, and that none is scheduled any more.
    func noteFailure(_ error: StoreError, at time: UInt64? = nil) {
        state.withLock {
            $0.lastFailure = error
            $0.failureTime = time ?? $0.failureTime
            $0.isScheduled = false
        }
    }

    /// Whether the newest checkpoint failed less than a second ago: on a full disk each refused
    /// write would try another.
    func hasJustFailed(at time: UInt64) -> Bool {
        state.withLock { state in
            guard state.lastFailure != nil, let failed = state.failureTime else { return false }
            return time &- failed < 1_000_000_000
        }
    }

    /// Says that the scheduled checkpoint is over; when one was written that is known.
    func endScheduled() { state.withLock { $0.isScheduled = false } }
}
