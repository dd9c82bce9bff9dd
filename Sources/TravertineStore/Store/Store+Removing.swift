import SegmentLog

/// Removing a store from the disk, in steps that may be interrupted.
extension Store {
    /// Removes the store in a directory: its files, and the directory if nothing else is in it.
    ///
    /// The manifest is renamed first, so that what an interruption leaves is no store; calling it
    /// again removes the rest, whatever that is, and so does opening, which then begins a new
    /// store. From then on no reader opens; one that is just opening finds no store.
    ///
    /// - Parameter path: the directory.
    /// - Returns: whether there was anything of a store; an empty directory is nothing, and stays.
    /// - Throws: `.locked` with the holder when this or another process has it open, for writing or
    ///   reading; `.notAStore` for a directory with other files and without a store's,
    ///   `.notADirectory`, `.permissionDenied`, `.io`.
    @discardableResult
    public static func remove(at path: String) throws(StoreError) -> Bool {
        try remove(at: path, fileSystem: Environment.system.fileSystem)
    }

    package static func remove(
        at path: String, fileSystem: FileSystem
    ) throws(StoreError) -> Bool {
        guard fileSystem.exists(path) else { return false }
        do {
            try checkHoldsNoBackup(path, fileSystem)
            guard try isStore(path, fileSystem) else {
                if try fileSystem.list(path).isEmpty { return false }
                throw StoreError(
                    .notAStore,
                    "The directory holds no store. Nothing was removed.", file: path)
            }
            let lock = try StoreLock(directory: path, fileSystem: fileSystem)
            defer { lock.release() }
            try removeLocked(path, fileSystem)
            return true
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Removes the store in a directory if its contents, which nobody else can change in the
    /// meantime, are as the caller wants them.
    ///
    /// No store is made for it: where there is none any more, there is nothing to remove.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - options: those to open the store with; `createIfMissing` is ignored.
    ///   - condition: looks at the store, which it must not close, keep or change.
    /// - Returns: whether it was removed; otherwise it is as opening and closing leave it.
    /// - Throws: what `open` and `remove` throw, `.notFound` apart, and what `condition` throws.
    public static func remove(
        at path: String, options: StoreOptions = StoreOptions(),
        if condition: (Store) throws -> Bool
    ) throws -> Bool {
        let fileSystem = options.environment.fileSystem
        let manifest = path + "/" + StoreFiles.manifest
        guard fileSystem.exists(manifest) else { return false }
        do {
            guard try FileStart(ofManifest: manifest, fileSystem) != .other else {
                throw StoreError(.notAStore, "The directory holds no store.", file: path)
            }
        } catch {
            throw StoreError(anyError: error)
        }
        let lock: StoreLock
        do throws(StoreError) {
            lock = try StoreLock(directory: path, fileSystem: fileSystem)
        } catch {
            // The process that has just removed the store removed the directory too.
            if error.code == .notFound { return false }
            throw error
        }
        defer { lock.release() }
        guard fileSystem.exists(manifest) else { return false }
        do {
            try checkHoldsNoBackup(path, fileSystem)
        } catch {
            throw StoreError(anyError: error)
        }
        var options = options
        options.createIfMissing = false
        let store = try open(at: path, options: options, isLocked: true)
        let isWanted: Bool
        do {
            isWanted = try condition(store)
        } catch {
            try store.close()
            throw error
        }
        try store.close()
        guard isWanted else { return false }
        do {
            try removeLocked(path, fileSystem)
        } catch {
            throw StoreError(anyError: error)
        }
        return true
    }

    /// Removes the store whose lock the caller holds, if nobody reads it.
    private static func removeLocked(_ path: String, _ fileSystem: FileSystem) throws {
        let exclusion = try ReaderExclusion(of: path, fileSystem)
        defer { withExtendedLifetime(exclusion) {} }
        if fileSystem.exists(path + "/" + StoreFiles.manifest) {
            // In one step, so that what is left of a store that has no manifest any more is never
            // taken for a damaged store, nor one that has it for a removed one.
            try fileSystem.rename(
                from: path + "/" + StoreFiles.manifest,
                to: path + "/" + StoreFiles.removedManifest)
        }
        try finishRemoval(at: path, fileSystem)
        // The lock last: others may wait for it. It is gone only where nothing else is left, also
        // after a crash: by it alone the rest of a store is known beside files of others.
        try fileSystem.syncDirectory(path)
        try fileSystem.remove(path + "/" + StoreFiles.lock)
        let isGone = try fileSystem.list(path).isEmpty && removeDirectory(path, fileSystem)
        try fileSystem.syncDirectory(isGone ? StoreFiles.parent(of: path) : path)
    }

    /// Ends the removal of a store that was interrupted, if one was; else changes nothing.
    ///
    /// - Throws: what `remove` throws.
    package static func finishRemoval(at path: String) throws(StoreError) {
        try finishRemoval(at: path, fileSystem: Environment.system.fileSystem)
    }

    static func finishRemoval(at path: String, fileSystem: FileSystem) throws(StoreError) {
        guard isLeftOver(path, fileSystem) else { return }
        do {
            // A file of that name alone may be anybody's.
            guard try DirectoryContents(of: path, fileSystem) == .removedStore else { return }
            let lock = try StoreLock(directory: path, fileSystem: fileSystem)
            defer { lock.release() }
            // The process that had the lock until now may have made a store here, or have ended
            // the removal.
            guard isLeftOver(path, fileSystem) else { return }
            try checkHoldsNoBackup(path, fileSystem)
            try removeLocked(path, fileSystem)
        } catch let error as StoreError where error.code == .notFound {
            // Another process ended it, and took the directory along.
            return
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Whether a directory holds what an interrupted removal left, and no store.
    private static func isLeftOver(_ path: String, _ fileSystem: FileSystem) -> Bool {
        fileSystem.exists(path + "/" + StoreFiles.removedManifest)
            && !fileSystem.exists(path + "/" + StoreFiles.manifest)
    }

    /// Throws for a directory with a file of a backup, finished or not: nothing in it is removed.
    static func checkHoldsNoBackup(_ path: String, _ fileSystem: FileSystem) throws {
        let names = try fileSystem.list(path)
        guard names.contains(where: { $0 == "backup" || $0.hasPrefix("backup.") }) else { return }
        throw StoreError(
            .notAStore, "The directory holds a backup. Nothing was removed.", file: path)
    }

    /// Removes the files of a store that has no manifest any more, but for the lock, which the
    /// caller holds. Can be interrupted and begun again.
    ///
    /// - Parameter keepsMark: whether `manifest.removed` stays, for the process that makes a store
    ///   here next.
    static func finishRemoval(
        at path: String, _ fileSystem: FileSystem, keepsMark: Bool = false
    ) throws(FileSystemError) {
        // Before anything goes the manifest is durably gone, whichever process renamed it.
        try fileSystem.syncDirectory(path)
        for name in try fileSystem.list(path).sorted()
        where StoreFiles.isOfStore(name) && name != StoreFiles.lock
            && name != StoreFiles.removedManifest
        {
            try fileSystem.remove(path + "/" + name)
        }
        // After all that it describes, also after a crash: the mark goes, or a new manifest comes.
        try fileSystem.syncDirectory(path)
        let mark = path + "/" + StoreFiles.removedManifest
        guard !keepsMark, fileSystem.exists(mark) else { return }
        try fileSystem.remove(mark)
    }

    /// Removes an empty directory. False if it is not empty any more: a process that was about to
    /// open the store may have left a lock file.
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

    /// Whether a directory without files of a backup holds a store, or what is left of one.
    private static func isStore(_ path: String, _ fileSystem: FileSystem) throws -> Bool {
        let names = try fileSystem.list(path)
        for name in names where StoreFiles.isSegmentOrPages(name) {
            if try FileStart.isSegmentOrPages(path + "/" + name, fileSystem) { return true }
        }
        // A new store has no more than this; whatever else has the name is not read as one.
        do throws(StoreError) {
            if try ManifestFile.read(in: path, fileSystem: fileSystem) != nil { return true }
        } catch {
            // Removing needs no key.
            if error.code == .invalidEncryptionKey { return true }
            throw error
        }
        // What a creation or a removal leaves that was interrupted has a lock to its end.
        switch try FileStart(ofLock: path + "/" + StoreFiles.lock, fileSystem) {
        case .absent, .other: return false
        case .ours: return true
        case .blank: return names.allSatisfy { StoreFiles.isOfStore($0) }
        }
    }
}

extension StoreFiles {
    /// Whether a file of this name in a store's directory is the store's.
    package static func isOfStore(_ name: String) -> Bool {
        [manifest, newManifest, removedManifest, lock, scrub].contains(name) || isNumbered(name)
            || feedName(of: name) != nil
    }

    /// Whether a file of this name is a segment, its key hashes, or pages.
    fileprivate static func isNumbered(_ name: String) -> Bool {
        segmentNumber(of: name) != nil || pageFileNumber(of: name) != nil
            || keyHashFileNumber(of: name) != nil
    }
}
