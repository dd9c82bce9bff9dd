import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Directories of stores that are made beside their place and then put there.
package enum StoreCopy {
    /// Makes a separate store of the copied files of a store that was closed, and makes it durable.
    ///
    /// It gets a new lineage (4.7), and makes itself another lock.
    ///
    /// - Throws: `.notAStore` when there is no manifest, `.damaged`, `.newerFormat`,
    ///   `.permissionDenied`, `.diskFull`, `.io`. The copy is then of no use.
    package static func adopt(at directory: String) throws(StoreError) {
        try adopt(at: directory, environment: .system)
    }

    package static func adopt(
        at directory: String, environment: Environment
    ) throws(StoreError) {
        let fileSystem = environment.fileSystem
        guard var manifest = try ManifestFile.read(in: directory, fileSystem: fileSystem) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: directory)
        }
        let original = manifest.identity.lineage
        repeat {
            manifest.identity.lineage = environment.random()
        } while manifest.identity.lineage == original
        manifest.sequence += 1
        do {
            for name in try fileSystem.list(directory) where StoreFiles.isOfStore(name) {
                let path = directory + "/" + name
                // The consumers of feeds are those of the original.
                if name == StoreFiles.lock || StoreFiles.feedName(of: name) != nil {
                    try fileSystem.remove(path)
                    continue
                }
                let file = try fileSystem.open(path, .readOnly)
                defer { file.close() }
                try file.sync()
            }
            // The names of the files first: a store with a manifest is whole.
            try fileSystem.syncDirectory(directory)
        } catch {
            throw StoreError(anyError: error)
        }
        try ManifestFile.replace(manifest, in: directory, fileSystem: fileSystem)
    }

    /// Makes a directory and those above it that are missing, each of them durable.
    ///
    /// - Throws: `.permissionDenied`, `.notADirectory`, `.diskFull`, `.io`.
    package static func makeDirectories(
        at path: String, fileSystem: FileSystem = Environment.system.fileSystem
    ) throws(StoreError) {
        if fileSystem.exists(path) { return }
        let parent = StoreFiles.parent(of: path)
        try makeDirectories(at: parent, fileSystem: fileSystem)
        do throws(FileSystemError) {
            try fileSystem.createDirectory(path)
        } catch {
            // Another process may have been faster.
            guard error.isExisting else { throw StoreError(error) }
        }
        do throws(FileSystemError) {
            try fileSystem.syncDirectory(parent)
        } catch {
            throw StoreError(error)
        }
    }

    /// Gives a directory, whose contents are durable, its name, and makes the name durable.
    ///
    /// An empty directory of that name is replaced.
    ///
    /// - Returns: false, with nothing changed, when anything else has the name.
    /// - Throws: `.permissionDenied`, `.diskFull`, `.io`.
    package static func move(
        from directory: String, to target: String
    ) throws(StoreError) -> Bool {
        try move(from: directory, to: target, fileSystem: Environment.system.fileSystem)
    }

    package static func move(
        from directory: String, to target: String, fileSystem: FileSystem
    ) throws(StoreError) -> Bool {
        do throws(FileSystemError) {
            try fileSystem.rename(from: directory, to: target)
        } catch {
            if [ENOTEMPTY, EEXIST, ENOTDIR].contains(error.code) { return false }
            throw StoreError(error)
        }
        do throws(FileSystemError) {
            try fileSystem.syncDirectory(StoreFiles.parent(of: target))
        } catch {
            throw StoreError(error)
        }
        return true
    }
}
