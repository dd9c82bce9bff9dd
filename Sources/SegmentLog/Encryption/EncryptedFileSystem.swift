/// A file system whose files are encrypted below and read and written in the clear above: the seam
/// between the engine and a cipher (Format 9).
///
/// The engine knows of it only that batches of segments need room for tags (`segmentAlgorithm`),
/// and that files are carried as they are stored (`stored`). Names, sizes of segments, locks and
/// directories are those of the file system below.
package final class EncryptedFileSystem: FileSystem, @unchecked Sendable {
    /// How a file is stored, by its name.
    package enum Kind {
        /// A segment, encrypted batch by batch.
        case segment
        /// A file that is written once.
        case sealed
        /// The same, which says what the others are, and by which a key is recognised.
        case root(Root)
        /// A file that says nothing of the contents, as it is.
        case plain
        /// None of a store's.
        case other
    }

    /// The file that a store, or a backup, begins with.
    package struct Root: Sendable {
        /// What it begins with when it is encrypted, and when it is not. If both are the same, the
        /// version that follows distinguishes them.
        var magic: [UInt8]
        var plainMagic: [UInt8]
        /// What has the key, for messages.
        var name: String
        /// What to do about another key, after a blank.
        var advice: String

        /// A root, by what it begins with.
        package init(magic: [UInt8], plainMagic: [UInt8], name: String, advice: String = "") {
            self.magic = magic
            self.plainMagic = plainMagic
            self.name = name
            self.advice = advice
        }
    }

    private let base: FileSystem
    private let cipher: any StoreCipher
    private let random: @Sendable () -> UInt64
    private let kind: @Sendable (String) -> Kind

    /// - Parameters:
    ///   - base: The file system that has the files.
    ///   - random: 64 random bits, for salts.
    ///   - kind: How the file of a path is stored.
    package init(
        _ base: FileSystem, cipher: any StoreCipher, random: @escaping @Sendable () -> UInt64,
        kind: @escaping @Sendable (String) -> Kind
    ) {
        self.base = base
        self.cipher = cipher
        self.random = random
        self.kind = kind
        super.init()
    }

    package override var segmentAlgorithm: UInt32? { cipher.algorithm }

    package override var stored: FileSystem { base.stored }

    package override func over(_ base: FileSystem) -> FileSystem {
        EncryptedFileSystem(base, cipher: cipher, random: random, kind: kind)
    }

    package override func digest(of bytes: [UInt8]) -> [UInt8]? {
        cipher.check(for: Array("travertine commit".utf8) + bytes)
    }

    package override func open(
        _ path: String, _ mode: OpenMode
    ) throws(FileSystemError) -> File {
        let file = try base.open(path, mode)
        do throws(FileSystemError) {
            switch kind(path) {
            case .plain, .other: return file
            case .segment: return SealedSegmentFile(file, .segment, cipher: cipher)
            case .sealed: return try sealed(file, mode, magic: SealedFileHeader.magic)
            case .root(let root):
                if mode != .createNew { try checkKey(of: file, root) }
                return try sealed(file, mode, magic: root.magic)
            }
        } catch {
            file.close()
            throw error
        }
    }

    package override func openForSalvage(_ path: String) throws(FileSystemError) -> File {
        let file = try base.open(path, .readOnly)
        switch kind(path) {
        case .segment, .other: break
        case .plain, .sealed, .root:
            // Segments may have other names than they had.
            if Self.beginsAsSealedSegment(file) { break }
            file.close()
            return try open(path, .readOnly)
        }
        return SealedSegmentFile(file, .anything, cipher: cipher)
    }

    private static func beginsAsSealedSegment(_ file: File) -> Bool {
        do throws(FileSystemError) {
            guard case .header(let header) = try SegmentHeader.read(from: file) else {
                return false
            }
            return header.algorithm != nil
        } catch {
            return false
        }
    }

    private func sealed(
        _ file: File, _ mode: OpenMode, magic: [UInt8]
    ) throws(FileSystemError) -> File {
        guard mode == .createNew else { return try SealedFile.open(file, magic: magic, cipher) }
        let header = SealedFileHeader(magic: magic, cipher: cipher, random: random)
        return try SealedFile.begin(file, header, cipher)
    }

    /// Throws unless the key is the one of a root; not of a file that is none.
    private func checkKey(of file: File, _ root: Root) throws(FileSystemError) {
        let start = try SealedFile.start(of: file)
        if start.starts(with: root.plainMagic), start.count >= 12 {
            let version = start.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            }
            if root.magic != root.plainMagic || version < SealedFileHeader.formatVersion {
                throw .key(
                    "The \(root.name) is not encrypted, but a key was given.\(root.advice)",
                    file.path)
            }
        }
        guard let header = SealedFileHeader(decoding: start, magic: root.magic) else { return }
        if header.isOf(cipher), header.key(cipher) == nil {
            throw .key(
                "The \(root.name) is encrypted with algorithm \(header.algorithm), which this version of "
                    + "Travertine does not know. Open it with a newer one.", file.path)
        }
        if !header.isOf(cipher) {
            throw .key(
                "The key is not the one that the \(root.name) is encrypted with, or the first 64 bytes of "
                    + "the file \(file.path.split(separator: "/").last ?? "") are damaged.\(root.advice)",
                file.path)
        }
    }

    // MARK: As below

    package override func exists(_ path: String) -> Bool { base.exists(path) }

    package override func list(_ directory: String) throws(FileSystemError) -> [String] {
        try base.list(directory)
    }

    package override func createDirectory(_ path: String) throws(FileSystemError) {
        try base.createDirectory(path)
    }

    package override func rename(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try base.rename(from: source, to: target)
    }

    package override func access(of path: String) throws(FileSystemError) -> FileAccess? {
        try base.access(of: path)
    }

    package override func setAccess(
        _ access: FileAccess, of path: String
    ) throws(FileSystemError) { try base.setAccess(access, of: path) }

    package override func exchange(_ first: String, _ second: String) throws(FileSystemError) {
        try base.exchange(first, second)
    }

    package override func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }

    package override func removeDirectory(_ path: String) throws(FileSystemError) {
        try base.removeDirectory(path)
    }

    package override func link(from source: String, to target: String) throws(FileSystemError) {
        try base.link(from: source, to: target)
    }

    package override func clone(from source: String, to target: String) throws(FileSystemError) {
        try base.clone(from: source, to: target)
    }

    package override func openDirectory(
        _ path: String
    ) throws(FileSystemError) -> OpenDirectory { try base.openDirectory(path) }

    package override func lock(_ path: String) throws(FileSystemError) -> FileLock {
        try base.lock(path)
    }

    package override func lockShared(_ path: String) throws(FileSystemError) -> FileLock {
        try base.lockShared(path)
    }

    package override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        try base.identity(of: path)
    }

    package override func resolved(_ path: String) -> String { base.resolved(path) }

    package override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 {
        try base.freeBytes(at: path)
    }

    package override func watch(
        _ path: String, _ body: @escaping @Sendable () -> Void
    ) -> FileWatch? { base.watch(path, body) }
}

extension FileSystemError {
    private static let keyCode: Int32 = -1

    /// A key that is missing, or is not the one.
    package static func key(_ message: String, _ path: String) -> FileSystemError {
        FileSystemError(operation: "open", path: path, code: keyCode, message: message)
    }

    /// Whether the key is missing, or is not the one.
    package var isKey: Bool { code == Self.keyCode }
}
