import SegmentLog

extension Store {
    /// Removes the store in a directory: its files, and the directory if nothing else is in it.
    ///
    /// The manifest goes first, so that what an interruption leaves is no store; calling it again
    /// removes the rest, whatever that is. From then on no reader opens; one that is just opening finds
    /// no store.
    ///
    /// - Returns: whether there was anything of a store; an empty directory is nothing, and stays.
    /// - Throws: `.locked` when this or another process has it open for writing, `.notAStore` for a
    ///   directory with other files and without a store's, `.notADirectory`, `.permissionDenied`,
    ///   `.io`.
    @discardableResult
    public static func remove(at path: String) throws(StoreError) -> Bool {
        try remove(at: path, fileSystem: Environment.system.fileSystem)
    }

    package static func remove(
        at path: String, fileSystem: FileSystem
    ) throws(StoreError) -> Bool {
        guard fileSystem.exists(path) else { return false }
        do {
            guard try isStore(path, fileSystem) else {
                if try fileSystem.list(path).isEmpty { return false }
                throw StoreError(
                    .notAStore,
                    "The directory holds no store, or a backup. Nothing was removed.", file: path)
            }
            let lock = try StoreLock(directory: path, fileSystem: fileSystem)
            defer { lock.release() }
            let readers = try ReaderTable(directory: path, lineage: 0, fileSystem: fileSystem)
            defer { readers.close() }
            guard try readers.excludeReaders() else {
                throw StoreError(
                    .locked, "The store is open for reading. Close it there first.", file: path)
            }
            let names = try fileSystem.list(path).filter { StoreFiles.isOfStore($0) }
            let order = names.sorted { left, right in
                // The lock last: others may wait for it.
                (StoreFiles.removalRank(of: left), left) < (
                    StoreFiles.removalRank(of: right), right
                )
            }
            for name in order {
                // The lock is gone only where nothing else is left, also after a crash: by it alone the
                // rest of a store is known beside files of others.
                if name == StoreFiles.lock { try fileSystem.syncDirectory(path) }
                try fileSystem.remove(path + "/" + name)
                if name == StoreFiles.manifest { try fileSystem.syncDirectory(path) }
            }
            let isGone = try fileSystem.list(path).isEmpty && removeDirectory(path, fileSystem)
            try fileSystem.syncDirectory(isGone ? StoreFiles.parent(of: path) : path)
            return true
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Removes an empty directory. False if it is not empty any more: whoever was about to open the
    /// store may have left a lock file.
    private static func removeDirectory(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        do throws(FileSystemError) {
            try fileSystem.removeDirectory(path)
            return true
        } catch {
            guard try !fileSystem.list(path).isEmpty else { throw error }
            return false
        }
    }

    /// Whether a directory holds a store, or what is left of one; a backup is none.
    private static func isStore(_ path: String, _ fileSystem: FileSystem) throws -> Bool {
        let names = try fileSystem.list(path)
        // Finished or not.
        if names.contains(where: { $0 == "backup" || $0.hasPrefix("backup.") }) { return false }
        if names.contains(where: { StoreFiles.isNumbered($0) }) { return true }
        // A new store has no more than this; whatever else has the name is not read as one.
        if try ManifestFile.read(in: path, fileSystem: fileSystem) != nil { return true }
        // What a creation or a removal leaves that was interrupted has a lock to its end.
        guard names.contains(StoreFiles.lock) else { return false }
        if names.allSatisfy({ StoreFiles.isOfStore($0) }) { return true }
        return try StoreLock.hasHolder(path + "/" + StoreFiles.lock, fileSystem)
    }
}

extension StoreFiles {
    /// Whether a file of this name in a store's directory is the store's.
    static func isOfStore(_ name: String) -> Bool {
        [manifest, newManifest, lock, scrub].contains(name) || isNumbered(name)
    }

    /// Whether a file of this name is a segment, its key hashes, or pages.
    fileprivate static func isNumbered(_ name: String) -> Bool {
        segmentNumber(of: name) != nil || pageFileNumber(of: name) != nil
            || keyHashFileNumber(of: name) != nil
    }

    fileprivate static func removalRank(of name: String) -> Int {
        name == manifest ? 0 : name == lock ? 2 : 1
    }
}
