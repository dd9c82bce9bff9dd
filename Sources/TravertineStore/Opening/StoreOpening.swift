import OrderedIndex
import SegmentLog

/// The steps of opening a store, in order.
///
/// 1. `prepareDirectory`, `checkIsOurs`: the directory is there, and a store's or empty. Nothing in
///    it is changed before.
/// 2. `StoreLock`: nobody else has it.
/// 3. `readOrCreateManifest`, `noteDirectory`, and `noteOlderCopy`: a removal that was interrupted
///    is ended, a copy begins a new lineage, also an older one that was put back.
/// 4. `recover`, for the newest checkpoint, then the one before, then none: attach its pages,
///    replay the log after it into one index transaction. A damaged log ends the opening; a damaged
///    checkpoint leads to the next try.
/// 5. `removeUnneededFiles`: page files that the manifest does not name and no reader needs, unless
///    a checkpoint could not be read.
package struct StoreOpening {
    let path: String
    let options: StoreOptions
    /// Set for a reader beside a writer: how far the log is read; nothing is changed.
    var following: Following?
    /// Whether the caller holds the lock of the directory, and goes on holding it.
    var isLocked: Bool
    var environment: Environment { options.environment }
    var fileSystem: FileSystem { options.environment.fileSystem }

    /// Opens the store in a directory, with its lock or under one that the caller holds.
    package init(
        path: String, options: StoreOptions, following: Following? = nil, isLocked: Bool = false
    ) {
        self.path = path
        self.options = options
        self.following = following
        self.isLocked = isLocked
    }

    /// Takes all steps in order.
    ///
    /// - Throws: what `Store.open` throws.
    package func open() throws(StoreError) -> Store {
        let start = environment.now()
        try options.validate()
        try prepareDirectory()
        // Nothing is changed in a directory of somebody else's, not even a file called `lock`.
        if !isLocked { try checkIsOurs() }
        let lock = isLocked ? nil : try StoreLock(directory: path, fileSystem: fileSystem)
        var (manifest, isNew) = try readOrCreateManifest()
        try noteDirectory(in: &manifest)
        try noteOlderCopy(in: &manifest)
        var opened = try recover(manifest, start: start, isNew: isNew)
        // The next checkpoint must not overwrite the file of one that a crash interrupted.
        manifest = opened.checkpoints.manifest
        // Before anything is removed: a backup, or a reader, that began under an earlier opening
        // may still need it.
        let readers = try ReaderTable(
            directory: path, lineage: manifest.identity.lineage, fileSystem: fileSystem)
        opened.checkpoints.holds.watch(readers)
        // While a checkpoint could not be read, perhaps for a passing reason, no file is removed.
        if opened.report.damagedCheckpoints.isEmpty { opened.checkpoints.removeUnneededFiles() }
        opened.report.durationNanoseconds = environment.now() &- start
        do {
            try readers.durable.begin(at: opened.log.durableLSN)
        } catch {
            readers.close()
            throw error
        }
        return Store(
            path: path, options: options, opened: opened, lock: lock, readers: readers)
    }

    // MARK: The directory and the manifest

    private func prepareDirectory() throws(StoreError) {
        do {
            if fileSystem.exists(path) {
                _ = try fileSystem.list(path)
                return
            }
            guard options.createIfMissing else {
                throw StoreError(.notFound, "There is no store at this path.", file: path)
            }
            let parent = StoreFiles.parent(of: path)
            guard fileSystem.exists(parent) else {
                throw StoreError(
                    .notFound,
                    "The directory that the store is to be made in does not exist. Create it first.",
                    file: parent)
            }
            try fileSystem.createDirectory(path)
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Throws unless the directory holds a store that can be opened, or may become one.
    private func checkIsOurs() throws(StoreError) {
        // Reading a manifest says best what is wrong with it; if another process removed it
        // in the meantime, it is not there.
        do throws(StoreError) {
            if try ManifestFile.read(in: path, fileSystem: fileSystem) != nil { return }
        } catch {
            guard error.code == .notFound else { throw error }
        }
        try checkContents()
    }

    private func checkContents() throws(StoreError) {
        try DirectoryContents(of: path, fileSystem).check(
            path, mayCreate: options.createIfMissing)
    }

    private func readOrCreateManifest() throws(StoreError) -> (Manifest, isNew: Bool) {
        if let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) {
            try forgetRemoval()
            return (manifest, false)
        }
        let isLeftOver = try finishRemoval()
        // Again, for what another process may have made or removed before the lock was taken.
        if !isLeftOver { try checkContents() }
        let manifest = Manifest(
            identity: StoreIdentity(
                uuidLow: environment.random(), uuidHigh: environment.random(),
                lineage: environment.random()),
            isClean: true, sequence: 0, durableLSN: .zero, cleanEnd: nil, nextPageFile: 1,
            checkpoints: [.empty], directory: try directoryMark())
        try ManifestFile.replace(manifest, in: path, fileSystem: fileSystem)
        do {
            try fileSystem.syncDirectory(StoreFiles.parent(of: path))
        } catch {
            throw StoreError(error)
        }
        if isLeftOver { try forgetRemoval() }
        return (manifest, true)
    }

    /// Ends the removal of the store that was here, if one was interrupted; returns whether it was.
    ///
    /// Files of others stay, as beside a store. The mark stays too until there is a manifest:
    /// another interruption leaves what can be opened.
    private func finishRemoval() throws(StoreError) -> Bool {
        let mark = path + "/" + StoreFiles.removedManifest
        guard fileSystem.exists(mark) else { return false }
        try checkContents()
        do {
            try Store.checkHoldsNoBackup(path, fileSystem)
            try Store.finishRemoval(at: path, fileSystem, keepsMark: true)
        } catch {
            throw StoreError(anyError: error)
        }
        return true
    }

    /// Takes away the mark of a removal beside a manifest, which somebody put there again: if the
    /// manifest is lost another time, what is here is no left-over.
    private func forgetRemoval() throws(StoreError) {
        let mark = path + "/" + StoreFiles.removedManifest
        guard fileSystem.exists(mark) else { return }
        do throws(FileSystemError) {
            try fileSystem.remove(mark)
            try fileSystem.syncDirectory(path)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: Recovery

    /// Opens the newest checkpoint that can be believed, and replays the log after it; else the
    /// whole log.
    package func recover(
        _ manifest: Manifest, start: UInt64, isNew: Bool
    ) throws(StoreError) -> OpenedStore {
        var damaged: [String] = []
        var manifest = manifest
        for (place, entry) in manifest.checkpoints.enumerated() {
            // Of a reader of an earlier commit.
            if let following, entry.lsn > following.limit { continue }
            let source: OpeningReport.Source =
                isNew ? .created : place == 0 ? .newestCheckpoint : .previousCheckpoint
            if entry.file == nil {
                return try replay(
                    after: nil, manifest, entry, OpeningReport(source: source), damaged)
            }
            switch openPages(of: entry, manifest.identity) {
            case .success(let pages):
                do {
                    return try replay(
                        after: pages, manifest, entry, OpeningReport(source: source), damaged)
                } catch {
                    // A page that replay needs is bad: the checkpoint is as good as none.
                    guard error.isDamagedPage else { throw error }
                    damaged.append(error.description)
                    manifest.checkpoints.removeAll { $0 == entry }
                }
            case .failure(let reason):
                if let error = reason.error { throw error }
                let name = StoreFiles.pageFile(entry.file ?? 0)
                damaged.append("\(name): \(reason)")
                manifest.checkpoints.removeAll { $0 == entry }
            }
        }
        return try replay(
            after: nil, manifest, nil, OpeningReport(source: .fullReplay), damaged)
    }

    /// Opens the page files of a checkpoint; the reason if it can't be believed, or the log does
    /// not go on from it: that a later retirement took the segment in which replay begins is
    /// possible in a copy whose files are not of one time, and then a replay of the whole log
    /// decides.
    package func openPages(
        of entry: Manifest.CheckpointEntry, _ identity: StoreIdentity
    ) -> Result<PageFileReader, DamageReason> {
        let opened = PageFileReader.open(
            entry, directory: path, identity: identity, fileSystem: fileSystem)
        guard case .success(let pages) = opened,
            let start = pages.descriptor.replayStart?.segment, start != .none,
            !fileSystem.exists(path + "/" + start.fileName)
        else { return opened }
        return .failure(
            DamageReason("\(start.fileName), where the replay after it begins, is missing"))
    }

    /// Builds log and index from a checkpoint (or nothing) and the log after it.
    package func replay(
        after pages: PageFileReader?, _ manifest: Manifest,
        _ entry: Manifest.CheckpointEntry?, _ report: OpeningReport, _ damaged: [String]
    ) throws(StoreError) -> OpenedStore {
        let index = Index()
        let log = SegmentLog(
            directory: path, identity: manifest.identity, options: logOptions,
            environment: environment)
        let damage = PageDamage()
        let attached = try pages.map { (pages) throws(StoreError) in
            try pages.attach(to: index, readMode: options.readMode, damage: damage)
        }
        let descriptor = pages?.descriptor
        index.install(
            trees: descriptor?.trees ?? [.empty, .empty], version: descriptor?.version ?? 1,
            tag: descriptor?.lsn.rawValue ?? 0)
        var visitor = ReplayVisitor(
            writer: index.beginWrite(), usage: descriptor?.usage ?? SegmentUsage(), log: log,
            appliesDerived: entry != nil, startsAtBeginning: descriptor?.replayStart == nil)
        let known = max(manifest.durableLSN, entry?.lsn ?? .zero)
        var evidence: LockEvidence?
        let recovered: RecoveryReport
        do {
            let start = descriptor.flatMap { descriptor in
                descriptor.replayStart.map { ($0, LSN(rawValue: descriptor.lsn.rawValue + 1)) }
            }
            if let following {
                recovered = try following.read(log, from: start, visitor: &visitor)
            } else {
                let lock = try LockEvidence(
                    beside: manifest, in: path, fileSystem: fileSystem)
                evidence = lock
                recovered = try log.recover(
                    from: start, durableEvidence: known, otherEvidence: lock.lsn,
                    cleanEnd: manifest.isClean ? manifest.cleanEnd : nil, visitor: &visitor)
            }
        } catch {
            visitor.writer.rollback()
            throw evidence?.explained(error) ?? StoreError(anyError: error)
        }
        if entry == nil || recovered.retiredStretchCount > 0 { visitor.invalidateDerived() }
        if let location = recovered.retirementLocation {
            log.retirementLocation = location
        } else if entry != nil, following == nil || entry == manifest.checkpoints.first {
            // To a reader of an earlier commit the newest table may be one that came after it.
            log.retirementLocation = manifest.retirement
        }
        let invalid = visitor.invalidDerivedKeyspaces
        index.publish(visitor.writer.commit(tag: recovered.lastLSN.rawValue))
        var report = report
        report.checkpointLSN = entry?.lsn.rawValue ?? 0
        report.lastLSN = recovered.lastLSN.rawValue
        report.replayedTransactions = recovered.replayedTransactions
        report.replayedByteCount = recovered.replayedBytes
        report.ignoredTail = recovered.ignoredTail?.description
        report.damagedCheckpoints = damaged
        report.invalidDerivedKeyspaces = invalid.map(\.rawValue)
        let keeper = CheckpointKeeper(
            directory: path, environment: environment, interval: options.checkpointInterval,
            manifest: manifest, newestFiles: descriptor?.pageFiles ?? [],
            attached: attached ?? [])
        return OpenedStore(
            log: log, index: index, checkpoints: keeper, usage: visitor.usage,
            keyspaces: try readDefinitions(index, log), report: report,
            pages: attached ?? [], damage: damage)
    }

    /// How the log is opened.
    package var logOptions: SegmentLog.Options {
        var logOptions = SegmentLog.Options()
        logOptions.readMode = options.readMode == .mapped ? .mapped : .pread
        logOptions.segmentByteCount = options.segmentByteCountInRange
        logOptions.openFileBudget = DescriptorLimit.share
        let forkCount = ForkDetector.count
        logOptions.mayWrite = { forkCount == ForkDetector.count }
        if let byteCount = options.bufferByteCount {
            logOptions.maximumBufferedByteCount = byteCount
        }
        return logOptions
    }

    /// Reads the system keyspace.
    func readDefinitions(
        _ index: Index, _ log: SegmentLog
    ) throws(StoreError) -> [KeyspaceDefinition] {
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        let access = ReadAccess(
            index: index.reader, segments: log.reader, trees: pin.root.pointee.trees,
            treeCount: pin.root.pointee.treeCount, pending: nil)
        return try access.keyspaceDefinitions(file: path, fetcher: RecordFetcher(of: log))
    }
}
