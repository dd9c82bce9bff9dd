import Locks
import SegmentLog

/// A file in memory, to find out how a file system stores what is written, or to read what it
/// stored.
final class MemoryFile: File, @unchecked Sendable {
    private let content: Locked<[UInt8]>

    /// A file that has these bytes.
    init(path: String, bytes: [UInt8] = []) {
        content = Locked(bytes)
        super.init(path: path)
    }

    /// All bytes that were written.
    var bytes: [UInt8] { content.withLock { $0 } }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        content.withLock { content in
            let rest = content.dropFirst(Int(clamping: offset)).prefix(target.count)
            target.copyBytes(from: rest)
            return rest.count
        }
    }

    override func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        content.withLock { content in
            let end = Int(offset) + source.count
            if content.count < end {
                content.append(contentsOf: [UInt8](repeating: 0, count: end - content.count))
            }
            content.replaceSubrange(Int(offset)..<end, with: source)
            return source.count
        }
    }

    override func byteCount() throws(FileSystemError) -> UInt64 { UInt64(bytes.count) }

    override func sync() throws(FileSystemError) {}

    override func close() {}
}

/// A file system with one file, which is in memory.
final class MemoryFileSystem: FileSystem, @unchecked Sendable {
    private let file: MemoryFile

    init(_ file: MemoryFile) { self.file = file }

    override func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> File { file }

    override func exists(_ path: String) -> Bool { true }
}
