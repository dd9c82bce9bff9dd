#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file, seen through the seam between the engine and the world.
///
/// Subclasses give the primitives; the loops over interrupted and short calls are here, so that the
/// simulator tests the very same ones. The class is `open`, and not `package`, only because Swift
/// allows no subclass of a `package` class in another module; no product exports it.
/// Any thread may call any method, except `close`.
open class File: @unchecked Sendable {
    /// The path that the file was opened with.
    public final let path: String

    /// A file that was opened with this path.
    public init(path: String) {
        self.path = path
    }

    // MARK: Primitives

    /// One attempt to read: the bytes read (0 at the end of the file), or minus an `errno` value.
    open func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        missing()
    }

    /// One attempt to write: the bytes written, or minus an `errno` value.
    open func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int { missing() }

    /// Makes everything written to the file durable (fdatasync; F_FULLFSYNC on macOS).
    ///
    /// Never repeat it after an error: the system may have dropped what it could not write.
    open func sync() throws(FileSystemError) { missing() }

    /// The size of the file.
    open func byteCount() throws(FileSystemError) -> UInt64 { missing() }

    /// Reserves room for the first `byteCount` bytes and makes the file at least that large.
    open func allocate(byteCount: UInt64) throws(FileSystemError) { missing() }

    /// Gives a range back to the file system. The size stays, the range reads as zeros.
    /// Does nothing where the file system can't.
    open func punchHole(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        missing()
    }

    /// The bytes that the file occupies on the disk.
    open func allocatedByteCount() throws(FileSystemError) -> UInt64 { missing() }

    /// The number of names that the file has, in whatever directories.
    open func linkCount() throws(FileSystemError) -> Int { missing() }

    /// Locks a range against every other opening of the file, in this process or another; false if
    /// one has it. The lock ends with `unlock`, with `close`, or with the process.
    open func tryLock(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool { missing() }

    /// Whether another opening of the file has locked a part of a range; locks nothing.
    open func isLocked(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool { missing() }

    /// Gives a range that `tryLock` locked to others.
    open func unlock(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) { missing() }

    /// Drops clean cached pages, so that the next read asks the device.
    open func dropCache(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        missing()
    }

    /// Asks for a range to be read into the cache soon, without waiting: only a hint.
    open func readAhead(from offset: UInt64, byteCount: UInt64) {}

    /// Asks for a written range to go to the device soon, without waiting: only a hint, which makes
    /// nothing durable.
    open func beginWriteback(from offset: UInt64, byteCount: UInt64) {}

    /// One attempt to copy bytes to the same place of another file without bringing them here: the
    /// bytes copied (0 at the end of the file), or minus an `errno` value; `ENOSYS` where it can't.
    open func copyOnce(to target: File, at offset: UInt64, byteCount: Int) -> Int { -Int(ENOSYS) }

    /// The first offset at or after `offset` that may hold something other than zero; nil when
    /// there is none. May answer `offset` itself when it can't find out.
    open func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? { missing() }

    /// Maps the first `byteCount` bytes for reading. The mapping outlives `close`.
    open func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer { missing() }

    /// Whether `map` shows what reading does; not where reading decrypts.
    open var isMappable: Bool { true }

    /// Ends a mapping that `map` made.
    open func unmap(_ base: UnsafeRawPointer, byteCount: Int) { missing() }

    /// Closes the file. Further calls fail. Closing twice does nothing.
    open func close() { missing() }

    // MARK: Loops

    /// Reads until `target` is full or the file ends.
    ///
    /// - Returns: the bytes read; fewer than asked for only at the end of the file.
    public final func read(
        into target: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(FileSystemError) -> Int {
        var done = 0
        while done < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = readOnce(into: rest, at: offset + UInt64(done))
            if count == 0 { break }
            if count > 0 {
                done += count
            } else if count != -Int(EINTR) {
                throw FileSystemError(
                    operation: "read", path: path, offset: offset + UInt64(done),
                    code: Int32(-count))
            }
        }
        return done
    }

    /// Copies as many bytes as `buffer` has room for to the same place of another file, inside of
    /// the system if it can, else through `buffer`.
    ///
    /// - Returns: the bytes copied; fewer only at the end of the file.
    public final func copy(
        to target: File, at offset: UInt64, through buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = copyOnce(
                to: target, at: offset + UInt64(done), byteCount: buffer.count - done)
            if count > 0 {
                done += count
            } else if count != -Int(EINTR) {
                // Whatever failed, the usual calls report it too, or it does not concern them.
                break
            }
        }
        if done == buffer.count { return done }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        let count = try read(into: rest, at: offset + UInt64(done))
        try target.write(
            UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(rest)[..<count]),
            at: offset + UInt64(done))
        return done + count
    }

    /// Writes all of `source`. After an error, any part of it may have been written.
    public final func write(
        _ source: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(FileSystemError) {
        var done = 0
        while done < source.count {
            let rest = UnsafeRawBufferPointer(rebasing: source[done...])
            let count = writeOnce(rest, at: offset + UInt64(done))
            if count > 0 {
                done += count
            } else if count != -Int(EINTR) {
                throw FileSystemError(
                    operation: "write", path: path, offset: offset + UInt64(done),
                    code: count == 0 ? EIO : Int32(-count))
            }
        }
    }

    private func missing(_ name: String = #function) -> Never {
        preconditionFailure("\(type(of: self)) must override \(name)")
    }
}
