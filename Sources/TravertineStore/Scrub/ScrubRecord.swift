import SegmentLog

/// What is remembered of verification beyond the process: the file `scrub`.
///
///     0   8  magic "TRVSCRUB"
///     8   4  format version, 1
///     12  4  the segment up to which the pass in progress has come, 0 for none
///     16  16 store UUID: two u64, low half first
///     32  8  when a full pass last ended, in seconds since 1970; 0 for never
///     40  8  bytes that it verified
///     48  4  files in which it found damage
///     52  2  files in which the pass in progress found damage; 65,535 for that or more
///     54  6  bytes that it verified
///     60  4  CRC32C of bytes 0..<60
///
/// Never synced, and believed only if it is whole: what is lost is the knowledge of a pass, and the
/// next one begins anew.
struct ScrubRecord: Equatable {
    static let byteCount = 64
    static let magic: [UInt8] = Array("TRVSCRUB".utf8)

    static let formatVersion: UInt32 = 1

    /// Where each field begins.
    private enum Offset {
        static let magic = 0
        static let version = magic + 8
        static let position = version + 4
        static let uuid = position + 4
        static let lastPassEnd = uuid + 16
        static let lastPassByteCount = lastPassEnd + 8
        static let lastPassFindingCount = lastPassByteCount + 8
        /// Findings and bytes of the pass in progress: 16 and 48 bits.
        static let progress = lastPassFindingCount + 4
    }

    var position = SegmentNumber.none
    var lastPassEnd: UInt64 = 0
    var lastPassByteCount: UInt64 = 0
    var lastPassFindingCount: UInt32 = 0
    /// What the pass in progress found up to `position`.
    var findingCount: UInt16 = 0
    /// What the pass in progress verified up to `position`; below 2^48.
    var byteCount: UInt64 = 0

    func encoded(_ identity: StoreIdentity) -> [UInt8] {
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(contentsOf: Self.magic, at: Offset.magic)
        writer.append(Self.formatVersion, at: Offset.version)
        writer.append(position.rawValue, at: Offset.position)
        writer.append(identity.uuidLow, at: Offset.uuid)
        writer.append(identity.uuidHigh)
        writer.append(lastPassEnd, at: Offset.lastPassEnd)
        writer.append(lastPassByteCount, at: Offset.lastPassByteCount)
        writer.append(lastPassFindingCount, at: Offset.lastPassFindingCount)
        writer.append(
            UInt64(findingCount) | min(byteCount, 1 << 48 - 1) << 16, at: Offset.progress)
        writer.seal(to: Self.byteCount)
        return writer.bytes
    }

    /// Reads the bytes of the file; nil when they are not what this store wrote.
    init?(decoding bytes: [UInt8], identity: StoreIdentity) {
        guard bytes.count == Self.byteCount else { return nil }
        var record: ScrubRecord?
        bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer)
            guard BlockChecksum.matches(buffer),
                let magic = reader.read(byteCount: Self.magic.count),
                magic.elementsEqual(Self.magic),
                reader.read(UInt32.self, at: Offset.version) == Self.formatVersion,
                let position = reader.read(UInt32.self, at: Offset.position),
                reader.read(UInt64.self, at: Offset.uuid) == identity.uuidLow,
                reader.read(UInt64.self) == identity.uuidHigh,
                let end = reader.read(UInt64.self, at: Offset.lastPassEnd),
                let byteCount = reader.read(UInt64.self, at: Offset.lastPassByteCount),
                let count = reader.read(UInt32.self, at: Offset.lastPassFindingCount),
                let running = reader.read(UInt64.self, at: Offset.progress)
            else { return }
            record = ScrubRecord()
            record?.position = SegmentNumber(rawValue: position)
            record?.lastPassEnd = end
            record?.lastPassByteCount = byteCount
            record?.lastPassFindingCount = count
            record?.findingCount = UInt16(truncatingIfNeeded: running)
            record?.byteCount = running >> 16
        }
        guard let record else { return nil }
        self = record
    }

    init() {}
}

extension Store {
    private var scrubRecordPath: String { path + "/" + StoreFiles.scrub }

    /// What earlier passes left; empty when there is nothing to believe.
    func readScrubRecord() -> ScrubRecord {
        let fileSystem = options.environment.fileSystem
        let path = scrubRecordPath
        let read = capture { () throws(FileSystemError) -> [UInt8] in
            guard fileSystem.exists(path) else { return [] }
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            var bytes = [UInt8](repeating: 0, count: ScrubRecord.byteCount + 1)
            let done = bytes.withUnsafeMutableBytes { buffer in
                capture { () throws(FileSystemError) in try file.read(into: buffer, at: 0) }
            }
            return Array(bytes[..<(try done.get())])
        }
        let bytes = (try? read.get()) ?? []
        return ScrubRecord(decoding: bytes, identity: log.identity) ?? ScrubRecord()
    }

    /// The file to write to; made anew when it has another length, for a longer one is never whole.
    private func openScrubRecord() throws(FileSystemError) -> File {
        let fileSystem = options.environment.fileSystem
        if fileSystem.exists(scrubRecordPath) {
            let file = try fileSystem.open(scrubRecordPath, .readWrite)
            if (try? file.byteCount()) == UInt64(ScrubRecord.byteCount) { return file }
            file.close()
            try fileSystem.remove(scrubRecordPath)
        }
        return try fileSystem.open(scrubRecordPath, .createNew)
    }

    /// Replaces what is remembered. A failure is none of verification: the next file tries again.
    func write(_ record: ScrubRecord) {
        let bytes = record.encoded(log.identity)
        _ = capture { () throws(FileSystemError) in
            let file = try openScrubRecord()
            defer { file.close() }
            try bytes.withBytes { (buffer) throws(FileSystemError) in
                try file.write(buffer, at: 0)
            }
        }
    }
}
