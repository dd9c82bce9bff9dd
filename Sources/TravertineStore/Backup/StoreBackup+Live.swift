import SegmentLog

/// Backups of stores that another process writes.
///
/// 1. A reader's slot is taken and pins everything (pin 0, R3), so that no file is removed.
/// 2. The store is opened as a reader opens it, up to the durable LSN (R1). What it read is the
///    image: the chain of segments up to where that ended, and the checkpoint that it began with.
/// 3. The files are brought. All segments but the last are sealed. The last is copied up to its
///    end, for what the writer has appended after it is in no list.
extension StoreBackup {
    /// Makes or renews a backup of a store that another process has open, while it writes.
    ///
    /// The backup is as of the newest commit that is durable; otherwise it is as `Store.backup`
    /// makes it. Works with a store that nobody has open too. The process that writes is not held
    /// up, but it removes no file until the backup is done.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.permissionDenied` (the store's file `lock` must be
    ///   writable), and what `Store.backup` throws.
    @discardableResult
    public static func make(
        of store: String, to path: String, options: BackupOptions = BackupOptions(),
        progress: ((BackupProgress) -> Void)? = nil
    ) throws(StoreError) -> BackupReport {
        try make(
            of: store, to: path, options: options, environment: .system(options.encryptionKey),
            progress: progress)
    }

    @discardableResult
    package static func make(
        of path: String, to target: String, options: BackupOptions, environment: Environment,
        progress: ((BackupProgress) -> Void)? = nil
    ) throws(StoreError) -> BackupReport {
        let fileSystem = environment.fileSystem
        guard fileSystem.exists(path) else {
            throw StoreError(.notFound, "There is no store at this path.", file: path)
        }
        guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        let table = try ReaderTable(
            readerOf: path, lineage: manifest.identity.lineage, fileSystem: fileSystem)
        defer { table.close() }
        var storeOptions = StoreOptions()
        storeOptions.environment = environment
        let followed = try StoreReader.openNewest(path, storeOptions, table)
        let image = try followed.backupImage()
        let backup = try BackupTarget(
            path: target, apartFrom: path, identity: image.manifest.identity, fileSystem: fileSystem
        )
        defer { backup.close() }
        return try backup.write(
            image, from: path, growing: followed.end?.segment.rawValue, environment, options,
            progress)
    }
}

extension FollowedStore {
    /// The files that make up the store as of the last commit that was read.
    func backupImage() throws(StoreError) -> BackupManifest { try imageWithSegments().list }

    /// The same, with what the log knows of each of its segments, the first one first.
    func imageWithSegments() throws(StoreError) -> (
        list: BackupManifest, segments: [SegmentSummary]
    ) {
        var manifest = store.checkpoints.manifest
        manifest.isClean = true
        manifest.cleanEnd = end
        // Parts of a transaction that has not ended may be durable, and are not in the backup.
        manifest.durableLSN = lsn
        manifest.checkpoints = try store.readableCheckpoint(of: manifest)
        var files: [BackupFile] = []
        // A segment that was retired after this checkpoint is still needed to replay from it on.
        let start = try store.descriptor(of: manifest)?.replayStart
        let segments = try segments(from: start?.segment)
        for segment in segments {
            if segment.lastLSN < segment.firstLSN { try store.syncHeader(of: segment) }
            files.append(try store.backupFile(of: segment))
        }
        files += try store.pageFiles(of: manifest)
        return (BackupManifest(lsn: lsn, manifest: manifest, files: files), segments)
    }

    /// The segments up to where the last commit ends, the first one first.
    private func segments(from start: SegmentNumber?) throws(StoreError) -> [SegmentSummary] {
        guard let end else { return [] }
        do throws(LogError) {
            return try store.log.followedSegments(from: start, through: end, lastLSN: lsn)
                .reversed()
        } catch {
            throw StoreError(error)
        }
    }
}
