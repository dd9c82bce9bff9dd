/// Every file operation of the engine. `RealFileSystem` asks the system, the tests' simulated disk
/// fails, tears and forgets as a disk may.
///
/// Any thread may call any method. See `File` for why the class is `open`.
open class FileSystem: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// The algorithm that encrypts the batches of segments here, in which they need room for tags;
    /// nil if they are written as they are.
    open var segmentAlgorithm: UInt32? { nil }

    /// The file system below that shows the bytes as they are stored; the same where nothing is
    /// encrypted.
    open var stored: FileSystem { self }

    /// A file system over another one that stores files there as this one does over its own.
    open func over(_ base: FileSystem) -> FileSystem { base }

    /// 16 bytes that nobody can derive from some others without the key of the files; nil where
    /// nothing is encrypted.
    open func digest(of bytes: [UInt8]) -> [UInt8]? { nil }

    /// Opens, or creates, a file.
    open func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> File { missing() }

    /// True when something has that name.
    open func exists(_ path: String) -> Bool { missing() }

    /// The names in a directory, in no order, without `.` and `..`.
    open func list(_ directory: String) throws(FileSystemError) -> [String] { missing() }

    /// Creates one directory; its parent must exist.
    open func createDirectory(_ path: String) throws(FileSystemError) { missing() }

    /// Renames a file, replacing a file of the new name in one step.
    open func rename(from source: String, to target: String) throws(FileSystemError) { missing() }

    /// Who may read and write a file or directory; nil where that is not known.
    open func access(of path: String) throws(FileSystemError) -> FileAccess? { nil }

    /// Lets others, or fewer, read and write a file or directory.
    open func setAccess(_ access: FileAccess, of path: String) throws(FileSystemError) {}

    /// Opens a file for reading to find batches in it, whatever it is and wherever in it they are.
    /// Where files are encrypted, batches and headers of segments read in the clear, and all else
    /// of a file that is none of a store's by its name as nothing.
    open func openForSalvage(_ path: String) throws(FileSystemError) -> File {
        try open(path, .readOnly)
    }

    /// Exchanges the names of two files or directories in one step. Fails where the file system
    /// can't.
    open func exchange(_ first: String, _ second: String) throws(FileSystemError) { missing() }

    /// Removes a file.
    open func remove(_ path: String) throws(FileSystemError) { missing() }

    /// Removes an empty directory.
    open func removeDirectory(_ path: String) throws(FileSystemError) { missing() }

    /// Gives a file a second name. Fails where the file system can't, or the names lie apart.
    open func link(from source: String, to target: String) throws(FileSystemError) { missing() }

    /// Makes a new file that shares the blocks of another until one of them changes. Fails where
    /// the file system can't.
    open func clone(from source: String, to target: String) throws(FileSystemError) { missing() }

    /// Opens a directory, to make its entries durable now or later.
    open func openDirectory(_ path: String) throws(FileSystemError) -> OpenDirectory { missing() }

    /// Makes the directory's entries durable. A caller that must not take a lack of descriptors for
    /// a failed sync opens the directory before the work.
    public final func syncDirectory(_ path: String) throws(FileSystemError) {
        let directory = try openDirectory(path)
        defer { directory.close() }
        try directory.sync()
    }

    /// Takes the lock of the file at `path`, creating the file when it is missing.
    ///
    /// Throws an error with `isLocked` at once when another holds it; `lockHolder` is then the
    /// contents of the file.
    open func lock(_ path: String) throws(FileSystemError) -> FileLock { missing() }

    /// Takes a lock of the file at `path` that several may have, and that makes `lock` fail for
    /// others; creates and writes nothing. Throws as `lock` does.
    open func lockShared(_ path: String) throws(FileSystemError) -> FileLock { try lock(path) }

    /// The device and inode of a file or directory.
    open func identity(of path: String) throws(FileSystemError) -> FileIdentity { missing() }

    /// The path of something that exists, without links and detours; the path as it is where
    /// there are none, or the system can't resolve it.
    open func resolved(_ path: String) -> String { path }

    /// The bytes that can still be allocated where `path` lies; the greatest number where that is
    /// not counted.
    open func freeBytes(at path: String) throws(FileSystemError) -> UInt64 { missing() }

    /// Calls `body`, on any thread, when the file at a path is written or replaced; nil where the
    /// system can't: then the caller must look by itself now and then. What another machine
    /// writes to a shared disk is not reported.
    open func watch(_ path: String, _ body: @escaping @Sendable () -> Void) -> FileWatch? { nil }

    private func missing(_ name: String = #function) -> Never {
        preconditionFailure("\(type(of: self)) must override \(name)")
    }
}
