import SegmentLog

/// Opening the file `lock` for a reader, with a slot in it where that can be.
extension ReaderTable {
    /// The file with a slot taken in it; without one if there is none.
    ///
    /// Between the opening and the slot a removal may have taken the file away, and another store
    /// come in its place, whose writer looks into another file: then once more.
    private static func open(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> (file: File, slot: Int?, identity: FileIdentity?) {
        while true {
            let before = identity(of: path, fileSystem)
            let file = try openOrMake(path, fileSystem)
            do throws(FileSystemError) {
                guard let slot = try takeSlot(of: file) else { return (file, nil, before) }
                // An open file keeps its number: the path had this one all the time.
                if let before, identity(of: path, fileSystem) == before {
                    return (file, slot, before)
                }
                file.close()
            } catch {
                file.close()
                throw error
            }
        }
    }

    /// The file of a reader, and what it has there.
    struct Opened {
        var file: File
        /// The slot that was taken; nil if none was free, or nothing can be written.
        var slot: Int?
        /// The lock, where nothing can be written.
        var hold: FileLock?
        /// What the path named all the time; nil where there is no file.
        var identity: FileIdentity?
    }

    /// What a reader opens: the file with a slot taken in it, without one if there is none; or,
    /// where the file can't be written, with a lock, or an empty file in its place.
    ///
    /// - Parameter mustHaveSlot: whether the last is refused, with `.permissionDenied`.
    static func openForReader(
        _ path: String, _ fileSystem: FileSystem, mustHaveSlot: Bool
    ) throws(StoreError) -> Opened {
        switch capture({ () throws(FileSystemError) in try open(path, fileSystem) }) {
        case .success(let taken):
            return Opened(file: taken.file, slot: taken.slot, identity: taken.identity)
        case .failure(let error):
            guard error.isReadOnlyFileSystem || error.isPermissionDenied else {
                throw StoreError(error)
            }
            if mustHaveSlot { throw .unwritableLock(path) }
            let before = identity(of: path, fileSystem)
            let unwritable = try openUnwritable(path, fileSystem)
            return Opened(file: unwritable.file, hold: unwritable.hold, identity: before)
        }
    }

    /// The file for a reader that can't write there: it keeps writers away by a lock that readers
    /// share.
    ///
    /// Where the file is missing nobody has the store open; on a file system that is read-only
    /// nobody can make it through this mount.
    private static func openUnwritable(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> (file: File, hold: FileLock?) {
        guard fileSystem.exists(path) else { return (AbsentFile(path: path), nil) }
        switch capture({ () throws(FileSystemError) in try fileSystem.lockShared(path) }) {
        case .success(let hold):
            let file = capture { () throws(FileSystemError) in
                try fileSystem.open(path, .readOnly)
            }
            if case .success(let file) = file { return (file, hold) }
            hold.release()
            throw StoreError(
                .permissionDenied, "The file `lock` of the store can't be read.", file: path)
        case .failure(let error):
            guard let holder = error.lockHolder else { throw StoreError(error) }
            throw StoreError(
                .permissionDenied,
                "The store is open for writing (\(holder)), and this process may not show its writer "
                    + "what it reads: that takes leave to write the file `lock`.", file: path)
        }
    }

    /// The file at a path; nil if there is none.
    static func identity(of path: String, _ fileSystem: FileSystem) -> FileIdentity? {
        guard fileSystem.exists(path) else { return nil }
        let found = capture { () throws(FileSystemError) in try fileSystem.identity(of: path) }
        guard case .success(let identity) = found else { return nil }
        return identity
    }

    private static func openOrMake(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> File {
        while true {
            do throws(FileSystemError) {
                let isThere = fileSystem.exists(path)
                return try fileSystem.open(path, isThere ? .readWrite : .createNew)
            } catch {
                // Another process may have been faster.
                guard error.isExisting else { throw error }
            }
        }
    }

    private static func takeSlot(of file: File) throws(FileSystemError) -> Int? {
        for slot in 0..<slotCount
        where try file.tryLock(from: offset(of: slot), byteCount: UInt64(slotByteCount)) {
            return slot
        }
        return nil
    }
}

extension StoreError {
    /// A reader that needs a slot can't write the file `lock`, or make it.
    fileprivate static func unwritableLock(_ path: String) -> StoreError {
        StoreError(
            .permissionDenied,
            "This process may not write the file `lock` of the store, where it says what the store "
                + "must keep for it. Run it as the user that writes the store, or give it leave to "
                + "write this file, and mount the directory for writing; where the file is missing, "
                + "open the store for writing once.", file: path)
    }
}

/// A file that is not there, for who takes that as an empty one.
final class AbsentFile: File, @unchecked Sendable {
    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        0
    }

    override func close() {}
}
