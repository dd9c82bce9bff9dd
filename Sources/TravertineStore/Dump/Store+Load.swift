import SegmentLog

extension Store {
    /// Makes a store of a dump, at a path where nothing is, or an empty directory.
    ///
    /// The store is built under the path with `.loading` behind it, and renamed when all of the dump
    /// is there, checked and durable: an interrupted load is never mistaken for a store. After an
    /// error nothing is left. Memory is bounded, except for the index.
    ///
    /// - Parameters:
    ///   - options: how to open the store while it is filled.
    ///   - progress: told now and then how far it is.
    ///   - source: fills the buffer with the next bytes of the dump, and returns how many; 0 at the end.
    /// - Throws: `DumpError` with the line of a dump that can't be used; `.misuse` when something is
    ///   at the path, or was left by a load that was interrupted; `.diskFull`, `.io`; what `source`
    ///   throws.
    @discardableResult
    public static func load(
        at path: String, options: StoreOptions = StoreOptions(),
        progress: ((DumpProgress) -> Void)? = nil,
        from source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> DumpSummary {
        let place = try DumpPlace(path: path, fileSystem: options.environment.fileSystem)
        do {
            let summary = try withoutActuallyEscaping(source) { source in
                try fill(place.workPath, options: options, progress: progress, from: source)
            }
            try place.finish()
            return summary
        } catch {
            place.abandon()
            throw error
        }
    }

    private static func fill(
        _ path: String, options: StoreOptions, progress: ((DumpProgress) -> Void)?,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> DumpSummary {
        var options = options
        options.createIfMissing = true
        let store = try Store.open(at: path, options: options)
        do {
            var loader = DumpLoader(store, progress: progress, from: source)
            let summary = try loader.load()
            // Two, so that no opening ever has to begin before them: what is flagged invalid is so
            // in checkpoints only.
            try store.checkpoint()
            try store.checkpoint()
            try store.close()
            return summary
        } catch {
            // What closing finds does not matter: the files go.
            _ = capture { () throws(StoreError) in try store.close() }
            throw error
        }
    }
}

/// Where a load builds its store, and where the store will be.
private struct DumpPlace {
    let path: String
    let workPath: String
    private let fileSystem: FileSystem

    init(path: String, fileSystem: FileSystem) throws(StoreError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.fileSystem = fileSystem
        workPath = path + ".loading"
        do {
            if fileSystem.exists(path), try !fileSystem.list(path).isEmpty {
                throw StoreError(
                    .misuse,
                    "A dump is loaded into a new store, and this directory is not empty. Choose "
                        + "another path.", file: path)
            }
            if fileSystem.exists(workPath) {
                throw StoreError(
                    .misuse,
                    "A load of this store was interrupted, or is still running. Remove this "
                        + "directory if it is not.", file: workPath)
            }
            try fileSystem.createDirectory(workPath)
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Gives the store its name.
    func finish() throws(StoreError) {
        do throws(FileSystemError) {
            try fileSystem.rename(from: workPath, to: path)
            try fileSystem.syncDirectory(StoreFiles.parent(of: path))
        } catch {
            throw StoreError(error)
        }
    }

    /// Removes what was built; what can't be removed is found by the next load.
    func abandon() {
        _ = capture { () throws(FileSystemError) in
            for name in try fileSystem.list(workPath) {
                try fileSystem.remove(workPath + "/" + name)
            }
            try fileSystem.removeDirectory(workPath)
        }
    }
}
