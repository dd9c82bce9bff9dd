import SegmentLog

/// What makes a directory a backup: which store, as of which LSN, and which files belong to it.
///
/// One file, `backup`, written when all others are durable, and replaced as a whole like a
/// manifest; it holds the manifest that a restored store begins with. Layout, little-endian:
///
///     0    8  magic "TRVBACKP"
///     8    4  format version
///     12   4  number of files
///     16   8  LSN
///     24   512 the store's manifest as of that LSN, closed cleanly
///     536  .. files, 32 bytes each: kind u32 (0 segment, 1 page file) · number u32 ·
///             salt or seed u64 · byte count u64 · zero u64
///          4  CRC32C of all bytes before
package struct BackupManifest: Equatable {
    static let magic: [UInt8] = Array("TRVBACKP".utf8)
    static let formatVersion: UInt32 = 1
    static let fileCountMax: UInt32 = 1 << 24

    /// Where each field begins.
    package enum Offset {
        static let magic = 0
        static let version = magic + 8
        static let fileCount = version + 4
        static let lsn = fileCount + 4
        package static let manifest = lsn + 8
        package static let files = manifest + Manifest.byteCount
    }

    var lsn: LSN
    /// What a restored store begins with.
    package var manifest: Manifest
    /// The files of the backup.
    package var files: [BackupFile]

    /// The bytes of the file.
    var encoded: [UInt8] {
        let byteCount = Self.byteCount(fileCount: files.count)
        var writer = ByteWriter(reservingByteCount: byteCount)
        writer.append(contentsOf: Self.magic, at: Offset.magic)
        writer.append(Self.formatVersion, at: Offset.version)
        writer.append(UInt32(files.count), at: Offset.fileCount)
        writer.append(lsn.rawValue, at: Offset.lsn)
        writer.append(contentsOf: manifest.encoded, at: Offset.manifest)
        for (place, file) in files.enumerated() {
            writer.append(file.kind.rawValue, at: Offset.files + place * BackupFile.byteCount)
            writer.append(file.number)
            writer.append(file.mark)
            writer.append(file.byteCount)
            writer.append(UInt64(0))
        }
        writer.appendChecksum()
        assert(writer.bytes.count == byteCount)
        return writer.bytes
    }

    private static func byteCount(fileCount: Int) -> Int {
        Offset.files + fileCount * BackupFile.byteCount + BlockChecksum.byteCount
    }

    init(lsn: LSN, manifest: Manifest, files: [BackupFile]) {
        self.lsn = lsn
        self.manifest = manifest
        self.files = files
    }

    /// Decodes the file; throws `.notAStore`, `.newerFormat` or `.damaged`.
    init(decoding bytes: UnsafeRawBufferPointer, file: String) throws(StoreError) {
        func damaged(_ reason: String) -> StoreError {
            StoreError(
                .damaged, "The list of the backup's files is damaged: \(reason).", file: file)
        }
        if bytes.starts(with: SealedFileHeader.magic) {
            throw StoreError(
                .invalidEncryptionKey, "The backup is encrypted. Give the key of its store.",
                file: file)
        }
        guard bytes.starts(with: Self.magic) else {
            throw StoreError(.notAStore, "This file does not begin a backup.", file: file)
        }
        var reader = ByteReader(bytes)
        _ = reader.read(byteCount: Self.magic.count)
        guard let version = reader.read(UInt32.self, at: Offset.version),
            let count = reader.read(UInt32.self, at: Offset.fileCount),
            let lsn = reader.read(UInt64.self, at: Offset.lsn),
            let manifestBytes = reader.read(byteCount: Manifest.byteCount)
        else { throw damaged("it is cut short") }
        guard version <= Self.formatVersion else {
            throw StoreError(
                .newerFormat,
                "The backup has format version \(version); this version of Travertine reads up to "
                    + "\(Self.formatVersion). Use a newer Travertine.", file: file)
        }
        guard count <= Self.fileCountMax, bytes.count == Self.byteCount(fileCount: Int(count))
        else {
            throw damaged("its length is not that of \(count) files")
        }
        guard BlockChecksum.matches(bytes) else { throw damaged("its checksum does not match") }
        manifest = try Manifest(decoding: manifestBytes, file: file)
        self.lsn = LSN(rawValue: lsn)
        files = []
        var names: Set<String> = []
        var sum: UInt64 = 0
        for _ in 0..<count {
            guard let file = BackupFile(from: &reader) else {
                throw damaged("a field has a value that no version writes")
            }
            guard names.insert(file.name).inserted else {
                throw damaged("it names \(file.name) twice")
            }
            let (total, isTooLarge) = sum.addingReportingOverflow(file.byteCount)
            guard !isTooLarge else { throw damaged("its files are larger than any disk") }
            sum = total
            files.append(file)
        }
    }
}
