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

    var lsn: LSN
    package var manifest: Manifest
    package var files: [BackupFile]

    /// The bytes of the file.
    var encoded: [UInt8] {
        var writer = ByteWriter(reservingByteCount: 540 + files.count * 32)
        writer.append(contentsOf: Self.magic)
        writer.append(Self.formatVersion)
        writer.append(UInt32(files.count))
        writer.append(lsn.rawValue)
        writer.append(contentsOf: manifest.encoded)
        for file in files {
            writer.append(file.kind.rawValue)
            writer.append(file.number)
            writer.append(file.mark)
            writer.append(file.byteCount)
            writer.append(UInt64(0))
        }
        writer.append(checksum(of: writer.bytes))
        return writer.bytes
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
        guard bytes.starts(with: Self.magic) else {
            throw StoreError(.notAStore, "This file does not begin a backup.", file: file)
        }
        var reader = ByteReader(bytes)
        _ = reader.read(byteCount: Self.magic.count)
        guard let version = reader.read(UInt32.self), let count = reader.read(UInt32.self),
            let lsn = reader.read(UInt64.self),
            let manifestBytes = reader.read(byteCount: Manifest.byteCount)
        else { throw damaged("it is cut short") }
        guard version <= Self.formatVersion else {
            throw StoreError(
                .newerFormat,
                "The backup has format version \(version); this version of Travertine reads up to "
                    + "\(Self.formatVersion). Use a newer Travertine.", file: file)
        }
        guard count <= Self.fileCountMax, reader.remaining == Int(count) * 32 + 4 else {
            throw damaged("its length is not that of \(count) files")
        }
        let body = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count - 4))
        let stored = bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)
        guard UInt32(littleEndian: stored) == checksum(of: body) else {
            throw damaged("its checksum does not match")
        }
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
