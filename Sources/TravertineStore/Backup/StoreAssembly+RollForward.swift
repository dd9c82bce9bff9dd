import SegmentLog

/// Going on from an image to a commit that no image ends with (B10).
///
/// 1. The files of an image were made, and more: the segment in which its log ends, as a later
///    image has it, and the segments that follow that one.
/// 2. The log is replayed up to the LSN, as a reader does beside a writer (R1, R9). That fails
///    unless each batch up to there is there and whole.
/// 3. The last segment is cut after the newest commit up to there. Segments that a retirement until
///    then took out of the log, and those after the last one, are removed.
/// 4. The manifest is replaced by that of an image which ends with this commit.
///
/// So the files are those that a power cut would have left with this commit as the last durable
/// one, before the checkpoints that were written since the image.
extension StoreAssembly {
    /// Rolls the store forward to the newest commit whose LSN is at most `lsn`.
    ///
    /// `setManifest` returned true for the earlier image. Costs a replay of the log from the
    /// checkpoint of that image on, and copying the last segment.
    ///
    /// - Parameters:
    ///   - lsn: at least that of the image, and at most that of the later one.
    ///   - later: an image that has all that was made and is not of the earlier one.
    /// - Returns: the LSN of the commit.
    /// - Throws: `.misuse` without a manifest that can be read; `.wrongStore` where the images are
    ///   not of one store; `.damaged` where the log is not whole up to the LSN, or the checkpoint
    ///   can't be read; `.diskFull`, `.io`.
    public func rollForward(
        through lsn: UInt64, toward later: BackupImage
    ) throws(StoreError) -> UInt64 {
        guard let list else {
            throw StoreError(
                .misuse, "The log can't be read: the key of the store is not known.",
                file: directory)
        }
        precondition(lsn >= list.lsn.rawValue && lsn <= later.lsn, "no LSN between the images")
        let following = try manifest(of: later)
        guard following.identity == list.manifest.identity else {
            throw StoreError(
                .wrongStore, "The later files are those of another store.", file: directory)
        }
        var manifest = list.manifest
        (manifest.isClean, manifest.cleanEnd) = (false, nil)
        var rolled = try replayed(manifest, through: LSN(rawValue: lsn))
        // The log until the commit may have the first value of a kind that the manifest announces.
        rolled.manifest.mayBeCompressed = following.mayBeCompressed
        rolled.manifest.mayBePacked = following.mayBePacked
        try cut(rolled.files)
        try ManifestFile.replace(rolled.manifest, in: directory, fileSystem: fileSystem)
        setList(rolled)
        return rolled.lsn.rawValue
    }

    /// What an image of the store as of the newest commit up to an LSN would be.
    private func replayed(
        _ manifest: Manifest, through lsn: LSN
    ) throws(StoreError) -> BackupManifest {
        var options = StoreOptions()
        options.environment = verifyingEnvironment
        try options.environment.startExecutor()
        let followed = try FollowedStore(directory, options, manifest, through: lsn)
        if let reason = followed.store.openingReport.damagedCheckpoints.first {
            throw StoreError(.damaged, "The checkpoint is damaged: \(reason)", file: directory)
        }
        return try followed.backupImage()
    }

    /// Leaves the bytes of these files, and no others.
    private func cut(_ files: [BackupFile]) throws(StoreError) {
        try FileCarrier.withBuffer { (buffer) throws(StoreError) in
            var carrier = FileCarrier(
                verifyingEnvironment, BackupOptions(method: .copy), totalByteCount: 0,
                progress: nil, buffer: buffer)
            for file in files
            where try file.sized(in: directory, fileSystem: fileSystem).byteCount > file.byteCount {
                try carrier.carry(file, from: directory, to: directory, grows: true)
            }
            try carrier.finish()
        }
        let kept = Set(files.map(\.name))
        do throws(FileSystemError) {
            for name in try fileSystem.list(directory) where !kept.contains(name) {
                let isCarried =
                    StoreFiles.segmentNumber(of: name) != nil
                    || StoreFiles.pageFileNumber(of: name) != nil
                if isCarried { try fileSystem.remove(directory + "/" + name) }
            }
            try fileSystem.syncDirectory(directory)
        } catch {
            throw StoreError(error)
        }
    }
}
