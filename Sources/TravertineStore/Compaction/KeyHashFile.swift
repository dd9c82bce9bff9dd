import SegmentLog

/// The file beside a sealed segment that keeps its key hashes: `NNNNNNNNNN.keys` (M5).
///
/// A separate file and not a footer, so that sealing a segment, which happens in the path of a
/// commit, writes nothing, and segments that no tombstone ever asks about cost nothing. It is a
/// cache: never synced, made when it is needed, and made anew from the segment when it is missing,
/// torn, damaged, or another segment's. Layout, little-endian:
///
///      0  8  magic "TRVKEYHS"
///      8  4  format version, 1
///     12  4  segment number
///     16  16 store UUID, as in the segment
///     32  8  salt of the segment
///     40  8  first LSN of the segment
///     48  8  end offset of the segment
///     56  4  number of hashes
///     60  4  zero
///     64  .. hashes, u32 each, ascending
///     ..  4  CRC32C of everything before
struct KeyHashFile {
    static let magic: [UInt8] = Array("TRVKEYHS".utf8)
    static let formatVersion: UInt32 = 1
    private static let hashByteCount = 4

    /// Where each field begins.
    private enum Offset {
        static let magic = 0
        static let version = magic + 8
        static let segment = version + 4
        static let uuid = segment + 4
        static let salt = uuid + 16
        static let firstLSN = salt + 8
        static let endOffset = firstLSN + 8
        static let hashCount = endOffset + 8
        static let zero = hashCount + 4
        static let hashes = zero + 4
    }

    let segment: SegmentSummary
    let identity: StoreIdentity
    let path: String
    let fileSystem: FileSystem

    init(
        of segment: SegmentSummary, identity: StoreIdentity, directory: String,
        fileSystem: FileSystem
    ) {
        self.segment = segment
        self.identity = identity
        self.fileSystem = fileSystem
        path = directory + "/" + StoreFiles.keyHashFile(segment.number.rawValue)
    }

    /// The hashes; nil when the file is not there, or is not to be believed.
    func read() -> KeyHashes? {
        guard let bytes = contents,
            bytes.count >= Offset.hashes + BlockChecksum.byteCount,
            bytes.withUnsafeBytes({ BlockChecksum.matches($0) })
        else { return nil }
        return bytes.withUnsafeBytes { buffer in
            let count =
                (buffer.count - Offset.hashes - BlockChecksum.byteCount) / Self.hashByteCount
            guard buffer.prefix(Offset.hashes).elementsEqual(header(count: count).bytes) else {
                return nil
            }
            return KeyHashes(
                hashes: (0..<count).map {
                    UInt32(
                        littleEndian: buffer.loadUnaligned(
                            fromByteOffset: Offset.hashes + Self.hashByteCount * $0,
                            as: UInt32.self))
                })
        }
    }

    /// Writes the file; what can't be written is made again when it is needed again.
    func write(_ hashes: KeyHashes) {
        var writer = header(count: hashes.hashes.count)
        for hash in hashes.hashes { writer.append(hash) }
        writer.appendChecksum()
        let bytes = writer.bytes
        _ = capture { () throws(FileSystemError) in
            if fileSystem.exists(path) { try fileSystem.remove(path) }
            let file = try fileSystem.open(path, .createNew)
            defer { file.close() }
            try bytes.withBytes { (buffer) throws(FileSystemError) in
                try file.write(buffer, at: 0)
            }
        }
    }

    private var contents: [UInt8]? {
        let read = capture { () throws(FileSystemError) -> [UInt8]? in
            guard fileSystem.exists(path) else { return nil }
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            let count = Int(clamping: try file.byteCount())
            // No segment has more keys than this.
            guard count <= SegmentHeader.segmentByteCountMax else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            let done = bytes.withUnsafeMutableBytes { buffer in
                capture { () throws(FileSystemError) in try file.read(into: buffer, at: 0) }
            }
            return try done.get() == count ? bytes : nil
        }
        return (try? read.get()) ?? nil
    }

    /// The header, with room for the hashes after it.
    private func header(count: Int) -> ByteWriter {
        var writer = ByteWriter(
            reservingByteCount: Offset.hashes + Self.hashByteCount * count
                + BlockChecksum.byteCount)
        writer.append(contentsOf: Self.magic, at: Offset.magic)
        writer.append(Self.formatVersion, at: Offset.version)
        writer.append(segment.number.rawValue, at: Offset.segment)
        writer.append(identity.uuidLow, at: Offset.uuid)
        writer.append(identity.uuidHigh)
        writer.append(segment.salt, at: Offset.salt)
        writer.append(segment.firstLSN.rawValue, at: Offset.firstLSN)
        writer.append(segment.endOffset, at: Offset.endOffset)
        writer.append(UInt32(truncatingIfNeeded: count), at: Offset.hashCount)
        writer.append(UInt32(0), at: Offset.zero)
        assert(writer.bytes.count == Offset.hashes)
        return writer
    }
}

extension Store {
    /// The hashes of a segment's keys, from its file or from the segment; nil, which stands for
    /// every key, when neither can be read.
    func keyHashes(of segment: SegmentSummary) -> KeyHashes? {
        let file = KeyHashFile(
            of: segment, identity: log.identity, directory: path,
            fileSystem: options.environment.fileSystem)
        if let hashes = file.read() { return hashes }
        do {
            let hashes = try KeyHashes(of: log.image(of: segment))
            file.write(hashes)
            return hashes
        } catch {
            noteCompactionFailure(StoreError(anyError: error))
            return nil
        }
    }

    /// Removes the hash files of segments that are gone; what can't be removed is tried again at
    /// the next opening.
    func removeOrphanedKeyHashes() {
        let fileSystem = options.environment.fileSystem
        let numbers = Set(log.segments.map(\.number.rawValue))
        guard let names = try? fileSystem.list(path) else { return }
        for name in names {
            guard let number = StoreFiles.keyHashFileNumber(of: name), !numbers.contains(number)
            else { continue }
            _ = capture { () throws(FileSystemError) in try fileSystem.remove(path + "/" + name) }
        }
    }
}
