import SegmentLog

/// What a file that has a name of the store's begins with.
package enum FileStart {
    case absent
    /// Nothing, or zeros: as a power cut leaves a file that was just made.
    case blank
    /// As the store writes it.
    case ours
    case other

    /// So many bytes are looked at: the lock's text and the first block after it.
    private static let byteCount = 512

    /// Reads the beginning of a file; whatever is no file is another's.
    init(
        of path: String, _ fileSystem: FileSystem, isOurs: ([UInt8]) -> Bool
    ) throws(FileSystemError) {
        // What the bytes of an encrypted file mean is asked elsewhere.
        let fileSystem = fileSystem.stored
        guard fileSystem.exists(path) else {
            self = .absent
            return
        }
        do throws(FileSystemError) {
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            var bytes = [UInt8](repeating: 0, count: Self.byteCount)
            let count = bytes.withUnsafeMutableBytes { buffer in
                capture { () throws(FileSystemError) in try file.read(into: buffer, at: 0) }
            }
            bytes.removeLast(bytes.count - (try count.get()))
            self = bytes.allSatisfy { $0 == 0 } ? .blank : isOurs(bytes) ? .ours : .other
        } catch {
            if error.isNotFound {
                self = .absent
            } else if error.isNoFile {
                self = .other
            } else {
                throw error
            }
        }
    }

    /// The same of a manifest, whatever its name.
    package init(ofManifest path: String, _ fileSystem: FileSystem) throws(FileSystemError) {
        try self.init(of: path, fileSystem) { $0.starts(with: Manifest.magic) }
    }

    /// The same of a manifest that is not finished yet: a write that found the disk full leaves a
    /// part of it, which may be a part of its magic number.
    init(ofUnfinishedManifest path: String, _ fileSystem: FileSystem) throws(FileSystemError) {
        try self.init(of: path, fileSystem) { bytes in
            // The header of an encrypted one is a separate write, which may be lost.
            if bytes.prefix(SealedFileHeader.byteCount).allSatisfy({ $0 == 0 }) { return true }
            let count = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            return Manifest.magic.starts(with: bytes.prefix(min(count, Manifest.magic.count)))
        }
    }

    /// The same of a lock: it names who held it, or a process, or has the blocks of readers.
    package init(ofLock path: String, _ fileSystem: FileSystem) throws(FileSystemError) {
        try self.init(of: path, fileSystem) { bytes in
            StoreLock.isHolderText(bytes) || DurableLSNBlocks.hasBlock(bytes)
        }
    }

    /// Whether a file is, by its first bytes, a segment or a page file.
    package static func isSegmentOrPages(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        let start = try FileStart(of: path, fileSystem) { bytes in
            bytes.starts(with: PageFileHeader.magic) || bytes.starts(with: SealedFileHeader.magic)
                || bytes.count >= 8
                    && bytes.withUnsafeBytes {
                        UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
                            == SegmentHeader.magic
                    }
        }
        return start == .ours
    }
}
