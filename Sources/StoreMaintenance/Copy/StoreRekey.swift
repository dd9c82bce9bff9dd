import SegmentLog
import TravertineStore

/// Gives a store another key, or its first one, or takes its key away (Format 9.6).
///
/// States of the directories, with the function at each arrow; `S` is the store's path, and `N` the
/// same with `.rekeyed` after it:
///
///     S old --copy--> S old, N new --exchange--> S new, N old --remove--> S new
///
/// At any moment a whole store is at `S`: the old one before the exchange, which is one step of the
/// file system, and the new one after it. An interruption leaves `N`, which nothing needs.
public enum StoreRekey {
    /// Writes everything in a store anew under another key, and puts that in the store's place.
    ///
    /// Needs room for the new store beside the old one. The new store has its own UUID, no earlier
    /// commits, and backups of the old one are not backups of it; they keep their key. The blocks
    /// that the old files had on the disk are free, and not overwritten.
    ///
    /// - Parameters:
    ///   - path: the directory of the store, which nobody has open.
    ///   - old: its key; nil if it is not encrypted.
    ///   - new: the key that it gets; nil for a store that is not encrypted.
    ///   - progress: called now and then with the records that were written, and how many there
    ///     are.
    ///   - isCancelled: asked now and then before the new store takes the place of the old one;
    ///     once it is true, what was written is removed, and the call throws `.cancelled`.
    /// - Throws: `.invalidEncryptionKey` if `old` is not its key, `.misuse` if `N` is there, or the
    ///   directory holds files of others, `.locked` when anybody has it open, for reading too,
    ///   `.damaged`, `.diskFull`, `.io`. The store is
    ///   as before then, unless the message says that only the old files could not be removed.
    public static func rekey(
        _ path: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: ((_ recordCount: Int, _ totalRecordCount: Int) -> Void)? = nil,
        isCancelled: (() -> Bool)? = nil
    ) throws(StoreError) {
        try rekey(
            path, from: .system(old), to: .system(new), progress: progress,
            isCancelled: isCancelled)
    }

    package static func rekey(
        _ path: String, from old: Environment, to new: Environment,
        progress: ((_ recordCount: Int, _ totalRecordCount: Int) -> Void)? = nil,
        isCancelled: (() -> Bool)? = nil
    ) throws(StoreError) {
        // Of a link, what it leads to is exchanged.
        let path = old.fileSystem.resolved(path)
        let other = path + ".rekeyed"
        let fileSystem = old.fileSystem.stored
        guard fileSystem.exists(path) else {
            throw StoreError(.notFound, "There is no store at this path.", file: path)
        }
        if fileSystem.exists(other) {
            throw StoreError(
                .misuse,
                "An earlier change of the key was interrupted and left this directory, or it is "
                    + "something else. The store at \(path) is whole: remove this directory, and "
                    + "try again.", file: other)
        }
        try exchange(path, old, other, new, progress, isCancelled)
        do {
            try fileSystem.syncDirectory(StoreFiles.parent(of: path))
        } catch {
            throw StoreError(
                .io,
                "The store has its new key, but a power cut may still bring back its old one "
                    + "(\(error.message)). The old files are kept in \(other): remove them once the "
                    + "disk is sound.", file: path)
        }
        do {
            _ = try Store.remove(at: other, fileSystem: old.fileSystem)
        } catch {
            throw StoreError(
                .io,
                "The store has its new key, but its old files could not be removed (\(error)). "
                    + "Remove this directory.", file: other)
        }
    }

    /// Copies the store and puts the copy in its place, while nobody can open it.
    private static func exchange(
        _ path: String, _ old: Environment, _ other: String, _ new: Environment,
        _ progress: ((Int, Int) -> Void)?, _ isCancelled: (() -> Bool)?
    ) throws(StoreError) {
        // Before the lock, which would make a file.
        guard try ManifestFile.read(in: path, fileSystem: old.fileSystem) != nil else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        try checkFiles(path, old.fileSystem)
        let lock = try StoreLock(directory: path, fileSystem: old.fileSystem)
        defer { lock.release() }
        // A reader would keep the old files, and show them.
        let exclusion = try ReaderExclusion(of: path, old.fileSystem)
        defer { withExtendedLifetime(exclusion) {} }
        // Before the store is opened, which replaces the manifest.
        let access = try Access(of: path, old.fileSystem.stored)
        try copy(path, old, to: other, new, progress, isCancelled)
        do throws(FileSystemError) {
            try access.give(to: other, old.fileSystem.stored)
            try old.fileSystem.stored.exchange(path, other)
        } catch {
            _ = capture { () throws(StoreError) in
                try Store.remove(at: other, fileSystem: new.fileSystem)
            }
            throw StoreError(
                .io,
                "The new files could not take the place of the old ones (\(error.message)). "
                    + "Nothing was changed.", file: path)
        }
    }

    /// Who may read and write a store: its directory, and its files as the manifest.
    private struct Access {
        let directory: FileAccess?
        let files: FileAccess?

        init(of path: String, _ fileSystem: FileSystem) throws(StoreError) {
            do throws(FileSystemError) {
                directory = try fileSystem.access(of: path)
                files = try fileSystem.access(of: path + "/" + StoreFiles.manifest)
            } catch {
                throw StoreError(error)
            }
        }

        /// Lets the same users read and write the files of another store.
        func give(to path: String, _ fileSystem: FileSystem) throws(FileSystemError) {
            guard let directory, let files else { return }
            for name in try fileSystem.list(path) {
                try fileSystem.setAccess(files, of: path + "/" + name)
            }
            try fileSystem.setAccess(directory, of: path)
        }
    }

    /// Refuses a directory with files of others, which would go with the old ones.
    private static func checkFiles(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) {
        let names: [String]
        do {
            names = try fileSystem.list(path)
        } catch {
            throw StoreError(error)
        }
        if let name = names.first(where: { !StoreFiles.isOfStore($0) }) {
            throw StoreError(
                .misuse,
                "There is a file \(name) beside those of the store. Move it elsewhere, and "
                    + "try again.", file: path)
        }
    }

    private static func copy(
        _ path: String, _ old: Environment, to other: String, _ new: Environment,
        _ progress: ((Int, Int) -> Void)?, _ isCancelled: (() -> Bool)?
    ) throws(StoreError) {
        var options = StoreOptions()
        options.createIfMissing = false
        options.scrub = nil
        options.environment = old
        let store = try Store.open(at: path, options: options, isLocked: true)
        var target = StoreOptions()
        target.scrub = nil
        target.environment = new
        do {
            store.pauseCompaction()
            try store.snapshot().copy(
                to: other, options: target, isPrivate: true, progress: progress,
                isCancelled: isCancelled)
        } catch {
            _ = capture { () throws(StoreError) in try store.close() }
            throw error
        }
        try store.close()
    }
}
