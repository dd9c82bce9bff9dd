import SegmentLog

/// The root of a store on disk: its identity, its checkpoints and what is known to be durable.
///
/// One file of 512 bytes, `manifest`, replaced as a whole: written as `manifest.new`, synced,
/// renamed, and the directory synced. Layout, little-endian:
///
///     0    8  magic "TRVMANIF"
///     8    4  format version
///     12   4  flags: bit 0, closed cleanly
///     16   16 store UUID
///     32   8  lineage
///     40   8  sequence number of the manifest; each replacement adds one
///     48   8  durable LSN: nothing up to here may be missing
///     56   4  clean end: segment number (0 unless closed cleanly, or nothing was ever written)
///     60   4  number of the next page file
///     64   8  clean end: offset
///     72   56 two checkpoint entries of 28 bytes, newest first
///     128  8  location of the newest retirement table of the newest checkpoint, or 0 (version 2)
///     136  8  inode of the directory that the store was last opened in for writing, or 0
///     144  8  when that directory was made: nanoseconds since 1970, or 0
///     152  .. zero
///     508  4  CRC32C of bytes 0..<508
///
/// A checkpoint entry: state u32 (0 none, 1 the empty index before LSN 1, 2 a page file) · page
/// file number u32 · LSN u64 · seed u64 · CRC32C of the descriptor u32.
///
/// The fields of the directory have no version number: programs that don't know them write zeros,
/// which stand for a directory that is not known.
package struct Manifest: Equatable {
    /// The length of the file.
    package static let byteCount = 512
    /// Version 3: the log may hold compressed values; 4: also packed ones that are not compressed.
    /// A store that never had any keeps to version 2. Version 5 is an encrypted file, in which the
    /// manifest has one of these (`SealedFileHeader`).
    static let formatVersion: UInt32 = 4
    package static let magic: [UInt8] = Array("TRVMANIF".utf8)

    /// Where each field begins.
    private enum Offset {
        static let magic = 0
        static let version = magic + 8
        static let flags = version + 4
        static let uuid = flags + 4
        static let lineage = uuid + 16
        static let sequence = lineage + 8
        static let durableLSN = sequence + 8
        static let cleanSegment = durableLSN + 8
        static let nextPageFile = cleanSegment + 4
        static let cleanOffset = nextPageFile + 4
        static let checkpoints = cleanOffset + 8
        static let retirement = checkpoints + checkpointCountMax * CheckpointEntry.byteCount
        static let directoryInode = retirement + 8
        static let directoryBirth = directoryInode + 8
    }

    /// So many checkpoints are kept.
    static let checkpointCountMax = 2

    /// The store's UUID and lineage.
    package var identity: StoreIdentity
    /// Whether the store was closed and nothing written since.
    package var isClean: Bool
    /// Grows by one with each replacement.
    package var sequence: UInt64
    /// Nothing up to here may be missing.
    package var durableLSN: LSN
    /// Where the log ends; nil unless the store was closed cleanly.
    package var cleanEnd: LogPosition?
    var nextPageFile: UInt32
    /// The checkpoints that are kept, newest first: at most two.
    package var checkpoints: [CheckpointEntry]
    /// The newest retirement table as of the newest checkpoint; later ones are found by replay.
    var retirement: Location?
    /// The directory that the store was last opened in for writing; nil if that is not known.
    var directory: DirectoryMark?
    /// Whether a keyspace of the store was ever `.cold`.
    var mayBeCompressed = false
    /// Whether a keyspace of the store was ever `.packed`.
    var mayBePacked = false

    /// One kept checkpoint.
    package struct CheckpointEntry: Equatable {
        /// Its bytes in the manifest.
        static let byteCount = 4 + 4 + 8 + 8 + 4

        /// The page file, or nil for the empty index of a new store.
        package var file: UInt32?
        /// The LSN of the checkpoint.
        package var lsn: LSN
        var seed: UInt64
        var descriptorCRC: UInt32

        /// An entry for a page file, or for the empty index.
        package init(file: UInt32?, lsn: LSN, seed: UInt64, descriptorCRC: UInt32) {
            self.file = file
            self.lsn = lsn
            self.seed = seed
            self.descriptorCRC = descriptorCRC
        }

        /// The empty index of a new store.
        package static let empty = CheckpointEntry(file: nil, lsn: .zero, seed: 0, descriptorCRC: 0)
    }

    /// The bytes of the file.
    package var encoded: [UInt8] {
        precondition(checkpoints.count <= Self.checkpointCountMax, "a checkpoint would be lost")
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(contentsOf: Self.magic, at: Offset.magic)
        writer.append(
            mayBePacked ? Self.formatVersion : mayBeCompressed ? 3 : UInt32(2), at: Offset.version)
        writer.append(UInt32(isClean ? 1 : 0), at: Offset.flags)
        writer.append(identity.uuidHigh, at: Offset.uuid)
        writer.append(identity.uuidLow)
        writer.append(identity.lineage, at: Offset.lineage)
        writer.append(sequence, at: Offset.sequence)
        writer.append(durableLSN.rawValue, at: Offset.durableLSN)
        writer.append(cleanEnd?.segment.rawValue ?? 0, at: Offset.cleanSegment)
        writer.append(nextPageFile, at: Offset.nextPageFile)
        writer.append(cleanEnd?.offset ?? 0, at: Offset.cleanOffset)
        for place in 0..<Self.checkpointCountMax {
            let entry = place < checkpoints.count ? checkpoints[place] : nil
            writer.append(
                UInt32(entry == nil ? 0 : entry?.file == nil ? 1 : 2),
                at: Offset.checkpoints + place * CheckpointEntry.byteCount)
            writer.append(entry?.file ?? 0)
            writer.append(entry?.lsn.rawValue ?? 0)
            writer.append(entry?.seed ?? 0)
            writer.append(entry?.descriptorCRC ?? 0)
        }
        writer.append(retirement?.rawValue ?? 0, at: Offset.retirement)
        writer.append(directory?.inode ?? 0, at: Offset.directoryInode)
        writer.append(directory?.birth ?? 0, at: Offset.directoryBirth)
        writer.seal(to: Self.byteCount)
        return writer.bytes
    }

    init(
        identity: StoreIdentity, isClean: Bool, sequence: UInt64, durableLSN: LSN,
        cleanEnd: LogPosition?, nextPageFile: UInt32, checkpoints: [CheckpointEntry],
        retirement: Location? = nil, directory: DirectoryMark? = nil
    ) {
        self.identity = identity
        self.isClean = isClean
        self.sequence = sequence
        self.durableLSN = durableLSN
        self.cleanEnd = cleanEnd
        self.nextPageFile = nextPageFile
        self.checkpoints = checkpoints
        self.retirement = retirement
        self.directory = directory
    }

    /// Decodes a manifest; throws `.notAStore`, `.newerFormat` or `.damaged` with the reason.
    package init(decoding bytes: UnsafeRawBufferPointer, file: String) throws(StoreError) {
        func damaged(_ reason: String) -> StoreError {
            StoreError(
                .damaged,
                "The manifest is damaged: \(reason). Run `travertine fsck` on the store, and "
                    + "restore the manifest from a backup.", file: file)
        }
        guard bytes.count >= Self.magic.count,
            bytes.prefix(Self.magic.count).elementsEqual(Self.magic)
        else {
            if bytes.allSatisfy({ $0 == 0 }) {
                throw damaged("it is empty or all zeros (\(bytes.count) bytes)")
            }
            throw StoreError(
                .notAStore,
                "This is not a Travertine manifest: its first bytes are not TRVMANIF. If the directory "
                    + "is a store's, `travertine recover` gets back what can be read.", file: file)
        }
        var reader = ByteReader(bytes)
        _ = reader.read(byteCount: Self.magic.count)
        guard let version = reader.read(UInt32.self, at: Offset.version) else {
            throw damaged("it is cut short")
        }
        if version == SealedFileHeader.formatVersion {
            throw StoreError(
                .invalidEncryptionKey, "The store is encrypted. Open it with its key.", file: file)
        }
        guard bytes.count == Self.byteCount else {
            if version > SealedFileHeader.formatVersion { throw Self.newer(version, file) }
            throw damaged("it has \(bytes.count) bytes, not \(Self.byteCount)")
        }
        guard BlockChecksum.matches(bytes) else { throw damaged("its checksum does not match") }
        if version > SealedFileHeader.formatVersion { throw Self.newer(version, file) }
        guard version >= 1 else { throw damaged("format version \(version)") }
        guard let decoded = Manifest(fields: &reader) else {
            throw damaged("a field has a value that no version writes")
        }
        self = decoded
        mayBeCompressed = version >= 3
        mayBePacked = version >= 4
    }

    /// Whether the bytes that it would write are those of the same manifest: checked before each
    /// write.
    var canBeRead: Bool {
        let encoded = encoded
        return encoded.withUnsafeBytes { bytes in
            let decoded = capture { () throws(StoreError) in
                try Manifest(decoding: bytes, file: StoreFiles.manifest)
            }
            guard case .success(let manifest) = decoded else { return false }
            return manifest.encoded == encoded
        }
    }

    private static func newer(_ version: UInt32, _ file: String) -> StoreError {
        StoreError(
            .newerFormat,
            "The store has format version \(version); this version of Travertine reads up to "
                + "\(SealedFileHeader.formatVersion). Open it with a newer Travertine.", file: file)
    }

    private init?(fields reader: inout ByteReader) {
        guard let flags = reader.read(UInt32.self, at: Offset.flags), flags <= 1,
            let high = reader.read(UInt64.self, at: Offset.uuid),
            let low = reader.read(UInt64.self),
            let lineage = reader.read(UInt64.self, at: Offset.lineage),
            let sequence = reader.read(UInt64.self, at: Offset.sequence),
            let durable = reader.read(UInt64.self, at: Offset.durableLSN),
            let cleanSegment = reader.read(UInt32.self, at: Offset.cleanSegment),
            let nextPageFile = reader.read(UInt32.self, at: Offset.nextPageFile),
            let cleanOffset = reader.read(UInt64.self, at: Offset.cleanOffset)
        else { return nil }
        var entries: [CheckpointEntry] = []
        for place in 0..<Self.checkpointCountMax {
            let offset = Offset.checkpoints + place * CheckpointEntry.byteCount
            guard let state = reader.read(UInt32.self, at: offset),
                let file = reader.read(UInt32.self),
                let lsn = reader.read(UInt64.self), let seed = reader.read(UInt64.self),
                let crc = reader.read(UInt32.self), state <= 2
            else { return nil }
            if state == 0 { continue }
            entries.append(
                CheckpointEntry(
                    file: state == 1 ? nil : file, lsn: LSN(rawValue: lsn), seed: seed,
                    descriptorCRC: crc))
        }
        // Zero in version 1, which retired nothing.
        guard let retirement = reader.read(UInt64.self, at: Offset.retirement),
            let inode = reader.read(UInt64.self, at: Offset.directoryInode),
            let birth = reader.read(UInt64.self, at: Offset.directoryBirth)
        else { return nil }
        self.init(
            identity: StoreIdentity(uuidLow: low, uuidHigh: high, lineage: lineage),
            isClean: flags & 1 != 0, sequence: sequence, durableLSN: LSN(rawValue: durable),
            cleanEnd: cleanSegment == 0
                ? nil
                : LogPosition(
                    segment: SegmentNumber(rawValue: cleanSegment), offset: cleanOffset),
            nextPageFile: nextPageFile, checkpoints: entries,
            retirement: retirement == 0 ? nil : Location(rawValue: retirement),
            directory: DirectoryMark(inode: inode, birth: birth))
    }
}
