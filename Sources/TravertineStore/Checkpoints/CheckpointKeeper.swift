import OrderedIndex
import SegmentLog
import Synchronization

/// Keeps the manifest and the page files of a store: writes checkpoints, keeps two, and replaces
/// the manifest atomically.
///
/// Steps of a checkpoint, each of which a crash may interrupt without harm:
/// 1. A page file with the next number is written under its final name and synced. Until the
///    manifest names it, it is an orphan, which the next opening removes.
/// 2. The directory is synced.
/// 3. The manifest that names it is written as `manifest.new`, synced, renamed over `manifest`, and
///    the directory is synced.
/// 4. Page files that no kept checkpoint and no tree in memory needs are removed.
///
/// A step that fails leaves the store as it was: commits go on, and the next checkpoint takes a new
/// page file. After a failed sync of a manifest nothing is removed any more (P17).
final class CheckpointKeeper: Sendable {
    /// The state that the manifest's writer guards.
    struct State {
        var manifest: Manifest
        /// Page files that the trees in memory may refer to, beside those of kept checkpoints.
        var filesInMemory: Set<UInt32>
        /// Whether a manifest on disk says that the store is in use.
        var isMarkedInUse = false
        /// Bytes of log that the newest checkpoint covers, in the log's own count.
        var coveredByteCount: UInt64 = 0
        var isScheduled = false
        var removalIsForbidden = false
        var writtenCount = 0
        var lastByteCount = 0
        /// Bytes of all page files written since opening.
        var totalByteCount: UInt64 = 0
        var lastFailure: StoreError?
    }

    private let directory: String
    private let fileSystem: FileSystem
    private let random: @Sendable () -> UInt64
    private let interval: Int?
    let state: Mutex<State>
    /// One checkpoint is written at a time.
    let writing = Monitor()

    init(
        directory: String, environment: Environment, interval: Int?, manifest: Manifest,
        filesInMemory: Set<UInt32>
    ) {
        self.directory = directory
        self.fileSystem = environment.fileSystem
        self.random = environment.random
        self.interval = interval
        state = Mutex(State(manifest: manifest, filesInMemory: filesInMemory))
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
    /// Without a setting: as much as the index is twice large, so that checkpoints cost at most
    /// half of the log's bytes, or an eighth of the live bytes, between 4 and 64 MiB.
    func isDue(logByteCount: UInt64, liveByteCount: Int64, indexByteCount: Int) -> Bool {
        let automatic = min(max(Int(liveByteCount) / 8, 2 * indexByteCount, 4 << 20), 64 << 20)
        return state.withLock {
            logByteCount - $0.coveredByteCount >= UInt64(interval ?? automatic) && !$0.isScheduled
        }
    }

    /// Claims the one scheduled checkpoint; false if one is scheduled already.
    func beginScheduled() -> Bool {
        state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    // MARK: The manifest

    /// Says on disk, once per opening and before the first change, that the store is in use: after
    /// a crash the log then never continues in the segment of the last clean end (P2).
    func markInUse() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            if state.isMarkedInUse { return }
            if state.manifest.isClean {
                var next = state.manifest
                next.isClean = false
                next.cleanEnd = nil
                try replaceManifest(with: next, in: &state)
            }
            state.isMarkedInUse = true
        }
    }

    /// Writes the manifest of a clean close.
    func markClean(durableLSN: LSN, end: LogPosition?) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            var next = state.manifest
            next.isClean = true
            next.durableLSN = max(next.durableLSN, durableLSN)
            next.cleanEnd = end
            if next == state.manifest { return }
            try replaceManifest(with: next, in: &state)
        }
    }

    private func replaceManifest(
        with next: Manifest, in state: inout State
    ) throws(StoreError) {
        var next = next
        next.sequence += 1
        do {
            try ManifestFile.replace(next, in: directory, fileSystem: fileSystem)
        } catch {
            state.removalIsForbidden = true
            throw error
        }
        state.manifest = next
    }

    // MARK: Writing

    /// Writes the trees of a pinned root as a new checkpoint and returns its size in bytes.
    ///
    /// All log up to the root's LSN must be synced. The caller holds `writing`.
    func write(
        _ root: UnsafePointer<RootHeader>, lsn: LSN, of index: Index, usage: SegmentUsage,
        replayStart: LogPosition?, durableLSN: LSN, logByteCount: UInt64, retirement: Location?
    ) throws(StoreError) -> Int {
        let number = try takeFileNumber()
        let file = PageFileWriter(
            directory: directory, number: number, seed: random(), identity: manifest.identity,
            fileSystem: fileSystem)
        let entry: Manifest.CheckpointEntry
        do {
            entry = try file.write(
                root, lsn: lsn, of: index, usage: usage, replayStart: replayStart)
        } catch {
            noteFailure(error)
            if error.isDamagedPage { try forget(damagedFile: error.file) }
            throw error
        }
        do {
            try publish(
                entry, durableLSN: durableLSN, logByteCount: logByteCount, retirement: retirement)
        } catch {
            noteFailure(error)
            throw error
        }
        state.withLock {
            $0.writtenCount += 1
            $0.lastByteCount = file.byteCount
            $0.totalByteCount += UInt64(file.byteCount)
            $0.lastFailure = nil
        }
        removeUnneededFiles()
        return file.byteCount
    }

    /// Takes the checkpoint with a damaged page out of the manifest: the next opening then builds the
    /// index from the one before it, or from the log, and is whole again.
    private func forget(damagedFile name: String?) throws(StoreError) {
        guard let number = name.flatMap({ StoreFiles.pageFileNumber(of: $0) }) else { return }
        try state.withLock { (state) throws(StoreError) in
            var next = state.manifest
            next.checkpoints.removeAll { $0.file == number }
            if next.checkpoints == state.manifest.checkpoints { return }
            try replaceManifest(with: next, in: &state)
        }
    }

    private func takeFileNumber() throws(StoreError) -> UInt32 {
        try state.withLock { (state) throws(StoreError) in
            var number = state.manifest.nextPageFile
            // The file of an interrupted checkpoint stays when an opening removes nothing (C7).
            while fileSystem.exists(directory + "/" + StoreFiles.pageFile(number)) { number += 1 }
            guard number < UInt32(Int32.max) else {
                throw StoreError(.io, "The store has used up its page file numbers.")
            }
            state.manifest.nextPageFile = number + 1
            return number
        }
    }

    private func publish(
        _ entry: Manifest.CheckpointEntry, durableLSN: LSN, logByteCount: UInt64,
        retirement: Location?
    ) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            var next = state.manifest
            next.checkpoints = Array(([entry] + next.checkpoints).prefix(2))
            next.durableLSN = max(next.durableLSN, max(durableLSN, entry.lsn))
            next.retirement = retirement
            try replaceManifest(with: next, in: &state)
            state.coveredByteCount = logByteCount
            state.isScheduled = false
        }
    }

    /// Remembers why a checkpoint was not written, and that none is scheduled any more.
    func noteFailure(_ error: StoreError) {
        state.withLock {
            $0.lastFailure = error
            $0.isScheduled = false
        }
    }

    /// Removes page files that nothing needs; a failure leaves them to the next opening.
    func removeUnneededFiles(includingThoseInMemory: Bool = false) {
        let (needed, isForbidden) = state.withLock { state in
            var needed = Set(state.manifest.checkpoints.compactMap(\.file))
            if !includingThoseInMemory { needed.formUnion(state.filesInMemory) }
            return (needed, state.removalIsForbidden)
        }
        if isForbidden { return }
        guard let names = try? fileSystem.list(directory) else { return }
        for name in names {
            guard let number = StoreFiles.pageFileNumber(of: name), !needed.contains(number)
            else { continue }
            if case .failure = capture({ () throws(FileSystemError) in
                try fileSystem.remove(directory + "/" + name)
            }) {
                return
            }
        }
    }
}
