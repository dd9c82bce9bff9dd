import OrderedIndex
import SegmentLog

/// Backups of the open store (B1 to B6).
extension Store {
    /// Makes or renews a backup of the store in a directory, as of one commit, while writing goes
    /// on.
    ///
    /// The directory is missing, empty, or holds an earlier backup of this store: then only new
    /// files are brought. Whatever interrupts it, the directory holds no backup, the earlier one,
    /// or the new one. `StoreBackup.restore` makes a store of it, `StoreBackup.verify` checks it.
    ///
    /// - Parameters:
    ///   - path: the directory of the backup.
    ///   - options: links (the default), clones or copies, and a limit of the rate.
    ///   - progress: called now and then with how far it is.
    /// - Throws: `.wrongStore` for a backup of another store or lineage, `.misuse` for a
    ///   directory inside or around the store's, `.notAStore` for one with something else in it,
    ///   `.locked` while another backup is written there, `.diskFull`, `.io`, and what syncing the
    ///   log throws.
    @discardableResult
    public func backup(
        to path: String, options: BackupOptions = BackupOptions(),
        progress: ((BackupProgress) -> Void)? = nil
    ) throws(StoreError) -> BackupReport {
        try gate.checkNotInside()
        try checkUsable()
        checkpoints.holds.hold()
        defer { endHold() }
        let target = try BackupTarget(
            path: path, apartFrom: self.path, identity: log.identity,
            fileSystem: self.options.environment.fileSystem)
        defer { target.close() }
        let image = try takeBackupImage()
        let progressCallbacks = progressCallbacks
        return try target.write(image, from: self.path, self.options.environment, options) { done in
            progressCallbacks.call { progress?(done) }
        }
    }

    /// Ends the active segment, and lists the files that make up the store at that moment.
    ///
    /// What the list names stays as it is: sealed segments never change, and a hold keeps files
    /// from being removed. So it may be read without the gate.
    private func takeBackupImage() throws(StoreError) -> BackupManifest {
        try loadOlderSegments()
        try gate.enter()
        log.seal()
        let lsn = log.nextLSN.previous
        let end = log.end
        // Without an active segment that has no batch yet: the log ends before it.
        let segments = log.sealedSegments
        // Checkpoints of now: none of them is newer than the log of now.
        var manifest = checkpoints.manifest
        gate.leave()
        try waitUntilDurable(lsn)
        // What is sealed has no unused end from here on: once a backup has linked the file its
        // bytes are not this store's alone, and nobody would give that space back any more (B6).
        try reportingPoison { () throws(LogError) in try log.syncSealedSegments() }
        manifest.isClean = true
        manifest.cleanEnd = end
        manifest.durableLSN = max(manifest.durableLSN, lsn)
        manifest.checkpoints = try readableCheckpoint(of: manifest)
        // The older one, of which segments may be retired already: then the whole log is replayed.
        if let start = try descriptor(of: manifest)?.replayStart?.segment,
            start != end?.segment, !segments.contains(where: { $0.number == start })
        {
            manifest.checkpoints = []
        }
        var files: [BackupFile] = []
        // A segment without a batch is a link of the chain like any other: the next one names it.
        for segment in segments {
            if segment.lastLSN < segment.firstLSN { try syncHeader(of: segment) }
            files.append(try backupFile(of: segment))
        }
        files += try pageFiles(of: manifest)
        return BackupManifest(lsn: lsn, manifest: manifest, files: files)
    }

    /// Makes a segment durable that holds no LSN: waiting for one would not.
    func syncHeader(of segment: SegmentSummary) throws(StoreError) {
        let path = path + "/" + segment.number.fileName
        do throws(FileSystemError) {
            let file = try options.environment.fileSystem.open(path, .readOnly)
            defer { file.close() }
            try file.sync()
        } catch {
            throw StoreError(error)
        }
    }

    func backupFile(of segment: SegmentSummary) throws(StoreError) -> BackupFile {
        let path = path + "/" + segment.number.fileName
        let header = try BackupFile.segmentHeader(
            at: path, fileSystem: options.environment.fileSystem)
        guard let header else {
            throw StoreError(
                .damaged, "The header of the segment can't be believed. Run `travertine fsck`.",
                file: path, offset: 0)
        }
        return BackupFile(
            kind: .segment, number: segment.number.rawValue, mark: header.salt,
            byteCount: segment.endOffset)
    }

    /// The newest checkpoint that opens, alone; the first error if there are some and none does.
    func readableCheckpoint(
        of manifest: Manifest
    ) throws(StoreError) -> [Manifest.CheckpointEntry] {
        var failure: StoreError?
        for entry in manifest.checkpoints {
            guard let own = entry.file else { return [entry] }
            switch PageFileReader.open(
                entry, directory: path, identity: manifest.identity,
                fileSystem: options.environment.fileSystem)
            {
            case .success: return [entry]
            case .failure(let reason):
                // Lack of descriptors or memory says nothing of the file.
                if let error = reason.error { throw error }
                failure = failure ?? damage(own, reason)
            }
        }
        if let failure { throw failure }
        return []
    }

    /// The page files that the checkpoint needs.
    func pageFiles(of manifest: Manifest) throws(StoreError) -> [BackupFile] {
        let fileSystem = options.environment.fileSystem
        var files: [BackupFile] = []
        for reference in try descriptor(of: manifest)?.pageFiles ?? [] {
            let file = BackupFile(
                kind: .pages, number: reference.number, mark: reference.seed, byteCount: 0)
            files.append(try file.sized(in: path, fileSystem: fileSystem))
        }
        return files
    }

    /// What a manifest's only checkpoint says of itself; nil if it has no page file.
    func descriptor(of manifest: Manifest) throws(StoreError) -> CheckpointDescriptor? {
        guard let entry = manifest.checkpoints.first, let own = entry.file else { return nil }
        let fileSystem = options.environment.fileSystem
        switch PageFileReader.open(
            entry, directory: path, identity: manifest.identity, fileSystem: fileSystem)
        {
        case .failure(let reason):
            throw reason.error ?? damage(own, reason)
        case .success(let pages): return pages.descriptor
        }
    }

    private func damage(_ pageFile: UInt32, _ reason: DamageReason) -> StoreError {
        StoreError(
            .damaged, "The newest checkpoint is damaged: \(reason). Run `travertine fsck`.",
            file: path + "/" + StoreFiles.pageFile(pageFile))
    }
}

extension BackupFile {
    /// The same with the size that the file has in a directory.
    func sized(in directory: String, fileSystem: FileSystem) throws(StoreError) -> BackupFile {
        do throws(FileSystemError) {
            let file = try fileSystem.stored.open(directory + "/" + name, .readOnly)
            defer { file.close() }
            var sized = self
            sized.byteCount = try file.byteCount()
            return sized
        } catch {
            throw StoreError(error)
        }
    }

    /// The header of a segment file, or nil if it has none that can be believed.
    static func segmentHeader(
        at path: String, fileSystem: FileSystem
    ) throws(StoreError) -> SegmentHeader? {
        guard let bytes = try bytes(of: path, SegmentHeader.byteCount, at: 0, fileSystem) else {
            return nil
        }
        let decoded = bytes.withUnsafeBytes { SegmentHeader.decode($0) }
        guard case .header(let header) = decoded else { return nil }
        return header
    }

    /// Bytes of a file, or nil if it is shorter.
    private static func bytes(
        of path: String, _ byteCount: Int, at offset: UInt64, _ fileSystem: FileSystem
    ) throws(StoreError) -> [UInt8]? {
        do {
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            var bytes = [UInt8](repeating: 0, count: byteCount)
            let count = try bytes.withUnsafeMutableBytes { (buffer) throws(FileSystemError) in
                try file.read(into: buffer, at: offset)
            }
            return count == byteCount ? bytes : nil
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Whether the file in a directory is this one, whole in length.
    package func isPresent(
        in directory: String, identity: StoreIdentity, fileSystem: FileSystem
    ) throws(StoreError) -> Bool {
        let path = directory + "/" + name
        guard fileSystem.exists(path),
            try sized(in: directory, fileSystem: fileSystem).byteCount >= byteCount
        else { return false }
        switch kind {
        case .segment:
            let header = try Self.segmentHeader(at: path, fileSystem: fileSystem)
            return header?.salt == mark && header?.number.rawValue == number
        case .pages:
            let head = try Self.bytes(of: path, PageFileHeader.byteCount, at: 0, fileSystem)
            guard let bytes = head else { return false }
            let decoded = bytes.withUnsafeBytes {
                PageFileHeader.decode($0, identity: identity, number: number)
            }
            guard case .success(let header) = decoded else { return false }
            return header.seed == mark
        }
    }

    /// Whether this segment of a store begins with the one of an earlier backup; the last bytes
    /// that both must have are compared.
    func continues(
        _ earlier: BackupFile, from source: String, in backup: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> Bool {
        guard mark == earlier.mark, byteCount >= earlier.byteCount else { return false }
        let wanted = Int(min(earlier.byteCount, 64 << 10))
        let offset = earlier.byteCount - UInt64(wanted)
        let found = try Self.bytes(of: backup + "/" + name, wanted, at: offset, fileSystem)
        // One that is too short is brought anew.
        guard let found else { return true }
        return try found == Self.bytes(of: source + "/" + name, wanted, at: offset, fileSystem)
    }
}
