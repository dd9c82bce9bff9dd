import SegmentLog

/// What distinguishes a store's directory from a copy of it.
///
/// A directory keeps its inode and the time it was made when it is renamed or when the system
/// starts again; the number of its device may change. A copy has other ones, whatever made it, so
/// that opening it begins a new lineage (4.7).
struct DirectoryMark: Equatable {
    let inode: UInt64
    /// Nanoseconds since 1970; 0 where the file system does not record it.
    let birth: UInt64

    init(_ identity: FileIdentity) {
        inode = identity.inode
        birth = identity.birth
    }

    /// Nil for zeros.
    init?(inode: UInt64, birth: UInt64) {
        if inode == 0 { return nil }
        self.inode = inode
        self.birth = birth
    }

    /// Whether both can be the same directory: a time that is not known says nothing.
    func canBe(_ other: DirectoryMark) -> Bool {
        inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }
}

extension StoreOpening {
    /// Gives a store that was copied a new lineage, and notes where it is.
    ///
    /// On disk before anything else of the store changes: with the old lineage, segments that the
    /// original may have too, by a hard link, would be appended to, and an incremental backup could
    /// take files of both for one history.
    func noteDirectory(in manifest: inout Manifest) throws(StoreError) {
        let current = try directoryMark()
        let known = manifest.directory
        if let known, known.canBe(current) { return }
        manifest.directory = current
        if known != nil {
            manifest.identity.lineage = manifest.identity.anotherLineage(environment.random)
        }
        manifest.sequence += 1
        var isSyncing = false
        do {
            try ManifestFile.replace(
                manifest, in: path, fileSystem: fileSystem, willSync: { isSyncing = true })
        } catch {
            // A store of an older program opens on a full disk too: the next replacement notes it.
            guard known == nil, error.code == .diskFull, !isSyncing else { throw error }
        }
    }

    /// Gives a store a new lineage whose files are an older copy that was put back under a newer
    /// `lock`, as of a clean close: the LSNs after it will be used again, for other commits than
    /// those that readers, and incremental backups, may have seen.
    ///
    /// A copy of a store in use is refused (`LockEvidence`).
    func noteOlderCopy(in manifest: inout Manifest) throws(StoreError) {
        let lock = path + "/" + StoreFiles.lock
        guard manifest.isClean, fileSystem.exists(lock) else { return }
        let opened = capture { () throws(FileSystemError) in try fileSystem.open(lock, .readOnly) }
        // What can't be read says nothing.
        guard case .success(let file) = opened else { return }
        defer { file.close() }
        let lineage = manifest.identity.lineage
        guard DurableLSNBlocks.highestLSN(in: file, lineage: lineage) > manifest.durableLSN
        else { return }
        manifest.identity.lineage = manifest.identity.anotherLineage(environment.random)
        manifest.sequence += 1
        try ManifestFile.replace(manifest, in: path, fileSystem: fileSystem)
    }

    /// The mark of the directory as it is.
    func directoryMark() throws(StoreError) -> DirectoryMark {
        do throws(FileSystemError) {
            return DirectoryMark(try fileSystem.identity(of: path))
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoreIdentity {
    /// A lineage that is not this one.
    func anotherLineage(_ random: () -> UInt64) -> UInt64 {
        while true {
            let drawn = random()
            if drawn != lineage { return drawn }
        }
    }
}
