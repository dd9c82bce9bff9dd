import SegmentLog

extension Store {
    /// Removes the store in a directory: its files, and the directory if nothing else is in it.
    ///
    /// The manifest goes first, so that what an interruption leaves is no store; calling it again
    /// removes the rest.
    ///
    /// - Returns: whether there was anything of a store.
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
            let names = try fileSystem.list(path).filter { StoreFiles.isOfStore($0) }
            if names.allSatisfy({ $0 == StoreFiles.lock }), try fileSystem.list(path) != names {
                throw StoreError(
                    .notAStore, "The directory holds something else than a store.", file: path)
            }
            let lock = try StoreLock(directory: path, fileSystem: fileSystem)
            defer { lock.release() }
            let order = names.sorted { left, right in
                // The lock last: others may wait for it.
                (StoreFiles.removalRank(of: left), left) < (
                    StoreFiles.removalRank(of: right), right
                )
            }
            for name in order {
                try fileSystem.remove(path + "/" + name)
                if name == StoreFiles.manifest { try fileSystem.syncDirectory(path) }
            }
            if !names.contains(StoreFiles.lock) {
                try fileSystem.remove(path + "/" + StoreFiles.lock)
            }
            if try fileSystem.list(path).isEmpty {
                try fileSystem.removeDirectory(path)
                try fileSystem.syncDirectory(StoreFiles.parent(of: path))
            } else {
                try fileSystem.syncDirectory(path)
            }
            return !names.isEmpty
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(anyError: error)
        }
    }
}

extension StoreFiles {
    /// Whether a file of this name in a store's directory is the store's.
    static func isOfStore(_ name: String) -> Bool {
        [manifest, newManifest, lock, scrub].contains(name) || segmentNumber(of: name) != nil
            || pageFileNumber(of: name) != nil || keyHashFileNumber(of: name) != nil
    }

    fileprivate static func removalRank(of name: String) -> Int {
        name == manifest ? 0 : name == lock ? 2 : 1
    }
}
