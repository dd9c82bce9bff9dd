import SegmentLog

/// Where a store is made that must not be seen before it is whole: by a load, a restore, a
/// recovery.
///
/// It is built beside its place, in a directory with another name, and gets its own by one rename:
///
///     missing or empty --init--> being built --finish--> a store
///                          ^         |
///                          |         +--abandon--> missing or empty
///                          +---------+  (an interruption; the next `init` clears it away, unless
///                                        it was whole and had only not got its name)
///
/// The process that builds holds the lock of the directory, so that two never build at one place.
/// The file `building` is in the directory from the beginning until the store is whole. So a
/// directory that has this file and is not locked was left by an interrupted process, and may be
/// removed.
package struct StorePlace {
    /// What the store is made by; the directory that it is built in has this after its name.
    package enum Work: String {
        case loading
        case restoring
        case recovering
        case copying
    }

    /// Where the store will be.
    let path: String
    /// Where it is built.
    package let workPath: String
    private let lock: StoreLock
    private let fileSystem: FileSystem

    /// Makes the directory to build in, and clears away what an interruption left there.
    ///
    /// - Parameter sources: files and directories that are read at the same time; none of them may
    ///   lie where the store is built, nor the store inside of one of them.
    /// - Throws: `.misuse` when something is at the path, or a source in the way; `.locked` while
    ///   another one builds there.
    package init(
        path: String, for work: Work, apartFrom sources: [String], fileSystem: FileSystem
    ) throws(StoreError) {
        let path = Self.resolved(path, fileSystem)
        self.path = path
        self.fileSystem = fileSystem
        workPath = Self.workPath(of: path, for: work)
        try Self.check(path, for: work, apartFrom: sources, fileSystem: fileSystem)
        do {
            if !fileSystem.exists(workPath) { try fileSystem.createDirectory(workPath) }
        } catch {
            throw StoreError(error)
        }
        do {
            lock = try StoreLock(directory: workPath, fileSystem: fileSystem)
        } catch {
            guard error.code == .locked else { throw error }
            throw StoreError(
                .locked, "Another program is making a store at this path.", file: workPath)
        }
        do {
            // Again, for what another one may have finished before the lock was taken.
            try Self.checkIsLeftOver(workPath, fileSystem)
            try mark()
            try clear(removing: false)
        } catch {
            lock.release()
            throw StoreError(anyError: error)
        }
    }

    /// Says that what is in the directory is not whole.
    private func mark() throws(FileSystemError) {
        let marker = workPath + "/" + StoreFiles.building
        if fileSystem.exists(marker) { return }
        try fileSystem.open(marker, .createNew).close()
        // Before anything else is there, also after a crash.
        try fileSystem.syncDirectory(workPath)
    }

    /// Checks that a store may be made at a path. Changes nothing.
    package static func check(
        _ path: String, for work: Work, apartFrom sources: [String], fileSystem: FileSystem
    ) throws(StoreError) {
        let path = resolved(path, fileSystem)
        let workPath = workPath(of: path, for: work)
        for source in sources {
            let source = resolved(source, fileSystem)
            for directory in [path, workPath] where overlaps(source, directory) {
                throw StoreError(
                    .misuse,
                    "The new store would lie where \(source) is, or the other way round. Choose "
                        + "a path apart from it.", file: directory)
            }
        }
        do {
            if fileSystem.exists(path) {
                guard try fileSystem.list(path).isEmpty else {
                    throw StoreError(
                        .misuse,
                        "A new store is made here, and the directory is not empty. Choose another "
                            + "path.", file: path)
                }
                try checkIsNoMountPoint(path, fileSystem)
            }
            if fileSystem.exists(workPath) { try checkIsLeftOver(workPath, fileSystem) }
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// The root of a file system can't be replaced by a rename.
    private static func checkIsNoMountPoint(_ path: String, _ fileSystem: FileSystem) throws {
        let parent = StoreFiles.parent(of: path)
        let own = try fileSystem.identity(of: path).device
        if try fileSystem.identity(of: parent).device == own { return }
        throw StoreError(
            .misuse, "Another file system begins here. Name a directory inside of it.", file: path)
    }

    /// What an interruption leaves is marked, and has only files of a store in it.
    private static func checkIsLeftOver(_ workPath: String, _ fileSystem: FileSystem) throws {
        let names = try fileSystem.list(workPath)
        // One that was finished and found its place taken may have been used since.
        let isWhole =
            !names.contains(StoreFiles.building) && names.contains { $0 != StoreFiles.lock }
        let hasForeignLock =
            try FileStart(ofLock: workPath + "/" + StoreFiles.lock, fileSystem) == .other
        let isForeign = hasForeignLock || names.contains { !isLeftOver($0) }
        guard isForeign || isWhole else { return }
        throw StoreError(
            .misuse,
            !isForeign
                ? "A whole store lies where this one is to be built. Give it another name, or "
                    + "remove it."
                : "There are other files where this store is to be built. Move them elsewhere.",
            file: workPath)
    }

    private static func isLeftOver(_ name: String) -> Bool {
        if name == StoreFiles.building { return true }
        let suffix = FileCarrier.partSuffix
        let whole = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        return StoreFiles.isOfStore(whole)
    }

    // MARK: The end

    /// Gives the store, which is closed and durable, its name.
    package func finish() throws(StoreError) {
        defer { lock.release() }
        do throws(FileSystemError) {
            try fileSystem.remove(workPath + "/" + StoreFiles.building)
            try fileSystem.syncDirectory(workPath)
        } catch {
            throw StoreError(error)
        }
        let isMoved = try StoreCopy.move(from: workPath, to: path, fileSystem: fileSystem)
        if isMoved { return }
        throw StoreError(
            .misuse,
            "Something came to lie at the store's path while it was made. The store is whole: it is "
                + "in \(workPath).", file: path)
    }

    /// Removes what was built; what can't be removed is cleared away by the next one.
    package func abandon() {
        _ = capture { () throws(StoreError) in try clear(removing: true) }
        lock.release()
    }

    private func clear(removing: Bool) throws(StoreError) {
        do throws(FileSystemError) {
            for name in try fileSystem.list(workPath)
            where name != StoreFiles.lock && name != StoreFiles.building {
                try fileSystem.remove(workPath + "/" + name)
            }
            guard removing else { return }
            // The mark after all that it describes, the lock last: others may wait for it.
            try fileSystem.syncDirectory(workPath)
            try fileSystem.remove(workPath + "/" + StoreFiles.building)
            try fileSystem.remove(workPath + "/" + StoreFiles.lock)
            try fileSystem.removeDirectory(workPath)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: Paths

    /// The longest name that file systems take, in bytes.
    private static let nameByteCountMax = 255

    /// A name that would be too long with its ending gives up its own end for a checksum of the
    /// whole.
    private static func workPath(of path: String, for work: Work) -> String {
        let ending = "." + work.rawValue
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard name.utf8.count + ending.utf8.count > nameByteCountMax else { return path + ending }
        let sum = "~" + String(checksum(of: Array(name.utf8)), radix: 16)
        var short = name
        while short.utf8.count + sum.utf8.count + ending.utf8.count > nameByteCountMax {
            short.removeLast()
        }
        return path.dropLast(name.count) + short + sum + ending
    }

    /// A path without links and detours, also of something that does not exist yet.
    private static func resolved(_ path: String, _ fileSystem: FileSystem) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if fileSystem.exists(path) { return fileSystem.resolved(path) }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let parent = fileSystem.resolved(StoreFiles.parent(of: path))
        return parent == "/" ? "/" + name : parent + "/" + name
    }

    /// Whether one of two different directories lies in the other.
    static func isNested(_ path: String, _ other: String, _ fileSystem: FileSystem) -> Bool {
        let (path, other) = (resolved(path, fileSystem), resolved(other, fileSystem))
        return path != other && overlaps(path, other)
    }

    private static func overlaps(_ path: String, _ other: String) -> Bool {
        isInside(path, other) || isInside(other, path)
    }

    private static func isInside(_ path: String, _ directory: String) -> Bool {
        path == directory || path.hasPrefix(directory == "/" ? "/" : directory + "/")
    }
}
