import SegmentLog
import TravertineStore

/// The lock of a directory that is verified or repaired, from the first step to the last.
///
/// On a file system that is read-only nobody can write through this mount; perhaps through another
/// one. So the lock is taken even there if its file exists, without a name in it.
package struct VerificationHold: ~Copyable {
    let path: String
    let environment: Environment
    private let lock: StoreLock

    /// Whether nothing can be written here.
    package var isReadOnly: Bool { lock.isReadOnly }

    /// Takes the lock of a directory that holds something of a store; creates nothing elsewhere.
    ///
    /// - Throws: `.notFound`, `.notADirectory`, `.notAStore`, `.locked`, `.permissionDenied`.
    package init(of path: String, environment: Environment = .system) throws(StoreError) {
        try environment.startExecutor()
        let lock = try Self.lock(path, environment.fileSystem)
        self.path = path
        self.environment = environment
        self.lock = lock
    }

    private static func lock(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> StoreLock {
        let names: [String]
        do {
            names = try fileSystem.list(path)
        } catch {
            throw StoreError(error)
        }
        if names.contains(BackupTarget.listName), !names.contains(StoreFiles.manifest) {
            throw StoreError(
                .notAStore,
                "The directory holds a backup, not a store. Verify it with `travertine verify`; make "
                    + "a store of it with `travertine restore`.", file: path)
        }
        do {
            guard try isOfStore(path, names, fileSystem) else {
                throw StoreError(.notAStore, "The directory holds no store.", file: path)
            }
        } catch {
            throw StoreError(anyError: error)
        }
        return try StoreLock(directory: path, fileSystem: fileSystem, mayBeReadOnly: true)
    }

    /// Whether anything here is a store's by its contents: a lock is taken, and made, in no other
    /// directory.
    private static func isOfStore(
        _ path: String, _ names: [String], _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        let hasManifest = names.contains(StoreFiles.manifest)
        let numbered = names.filter { StoreFiles.isSegmentOrPages($0) }
        guard hasManifest || !numbered.isEmpty else { return false }
        if hasManifest,
            try FileStart(ofManifest: path + "/" + StoreFiles.manifest, fileSystem) == .ours
        {
            return true
        }
        for name in numbered
        where try FileStart.isSegmentOrPages(path + "/" + name, fileSystem) { return true }
        return try FileStart(ofLock: path + "/" + StoreFiles.lock, fileSystem) == .ours
    }

    deinit { lock.release() }

    /// Refuses a file system on which nothing can be repaired.
    package func checkIsWritable() throws(StoreError) {
        guard isReadOnly else { return }
        throw StoreError(
            .permissionDenied,
            "The file system is read-only. Make it writable, or repair a copy of the store.",
            file: path)
    }
}
