import SegmentLog

/// What the file `lock` says of LSNs that were durable, as evidence that nothing up to there is
/// missing from the log.
///
/// A writer writes there after each sync, before it reports the LSN as durable, so that it never
/// says too much of the log that it stands beside. It may say too little: it is not synced, and a
/// power cut may tear it or leave an older one. It counts for nothing
/// - where it can't be read, or its checksum does not match, or it names another lineage: that of
///   a copy's original, or of a store that was here before;
/// - beside a manifest of another directory: the files of a copy of a store in use are of
///   different times;
/// - beside a manifest that says that the store was closed cleanly: a writer that appends after
///   that end replaces the manifest first, so that an older copy of the files was put back under
///   the lock.
package struct LockEvidence {
    /// Nothing up to here may be missing; zero if nothing is known.
    package let lsn: LSN

    /// Reads the blocks of the lock file beside a manifest.
    ///
    /// - Throws: `.io`, `.permissionDenied`; a lock that is not there says nothing.
    package init(
        beside manifest: Manifest, in directory: String, fileSystem: FileSystem
    ) throws(StoreError) {
        if manifest.isClean {
            lsn = .zero
            return
        }
        do throws(FileSystemError) {
            let path = directory + "/" + StoreFiles.lock
            guard fileSystem.exists(path),
                try Self.isIn(directory, manifest, fileSystem)
            else {
                lsn = .zero
                return
            }
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            lsn = DurableLSNBlocks.highestLSN(in: file, lineage: manifest.identity.lineage)
        } catch {
            guard error.isNotFound || error.isNoFile else { throw StoreError(error) }
            lsn = .zero
        }
    }

    private static func isIn(
        _ directory: String, _ manifest: Manifest, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        guard let known = manifest.directory else { return true }
        return known.canBe(DirectoryMark(try fileSystem.identity(of: directory)))
    }

    /// An error of the log, which says what is gone if it is this alone that calls it durable.
    package func explained(_ failure: any Error) -> StoreError {
        let error = StoreError(anyError: failure)
        guard case .damaged(let damage) = failure as? LogError, damage.isByOtherEvidenceAlone,
            let missing = error.lsn
        else { return error }
        let range =
            missing == lsn.rawValue ? "LSN \(missing)" : "LSN \(missing) to \(lsn.rawValue)"
        return StoreError(
            .damaged,
            error.messageOfFinding
                + " The file `lock` says that all up to LSN \(lsn.rawValue) was durable: the changes "
                + "of \(range) are gone, unless an older copy of the files was put back under a "
                + "newer `lock`, or the files were copied while the store was in use. If so, and on "
                + "purpose, remove the file `lock` while no program has the store open, and open it "
                + "again; else `travertine recover` gets back what is there."
                + StoreError.verificationAdvice,
            file: error.file, offset: error.offset, lsn: error.lsn)
    }
}
