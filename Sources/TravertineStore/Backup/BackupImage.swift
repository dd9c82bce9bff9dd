import SegmentLog

/// The files that make up a store as of one durable commit, for a program that carries them
/// elsewhere.
///
/// A store that is assembled of the files, each as long as the image says, and of the manifest
/// opens without a finding, and holds what the store held at that commit (B1).
public struct BackupImage: Sendable, Equatable {
    /// One file of an image.
    public struct File: Sendable, Hashable {
        let entry: BackupFile
        /// The part of the log that a segment holds; nil for a page file, and where it is not
        /// known.
        public let log: LogRange?

        init(_ entry: BackupFile, log: LogRange? = nil) { (self.entry, self.log) = (entry, log) }

        /// A file of an earlier image, by its name, mark and length; nil for a name that no
        /// segment and no page file has.
        public init?(name: String, mark: UInt64, byteCount: UInt64) {
            let kind: BackupFile.Kind
            let number: UInt32
            if let found = StoreFiles.segmentNumber(of: name) {
                (kind, number) = (.segment, found)
            } else if let found = StoreFiles.pageFileNumber(of: name) {
                (kind, number) = (.pages, found)
            } else {
                return nil
            }
            guard number > 0 else { return nil }
            entry = BackupFile(kind: kind, number: number, mark: mark, byteCount: byteCount)
            log = nil
        }

        /// Its name in the store's directory.
        public var name: String { entry.name }
        /// The number in the name.
        public var number: UInt32 { entry.number }
        /// The salt of a segment, or the seed of a page file: no other file has it.
        public var mark: UInt64 { entry.mark }
        /// The bytes that count; a file may be longer. Those before never change.
        public var byteCount: UInt64 { entry.byteCount }
        /// Whether it is a segment of the log; else it is a page file.
        public var isSegment: Bool { entry.kind == .segment }
    }

    /// The part of the log that a segment of an image holds.
    public struct LogRange: Sendable, Hashable {
        /// The LSN of its first batch.
        public var firstLSN: UInt64
        /// The LSN of its last batch that counts; one less than `firstLSN` if it holds none.
        public var lastLSN: UInt64
        /// The number of the segment before it in the log; 0 for none.
        public var predecessor: UInt32
    }

    /// The UUID of the store in 36 characters.
    public var storeUUID: String
    /// What distinguishes the store from others that were copied of it, or it of them.
    public var lineage: UInt64
    /// The LSN of the commit.
    public var lsn: UInt64
    /// The file `manifest` of a store of these files, as it is stored: in an encrypted store,
    /// encrypted.
    public var manifest: [UInt8]
    /// Segments in the order of the log, then page files.
    public var files: [File]
    /// The name of the segment that a writer may append to, the last one; nil if there is none.
    public var growingFile: String?
    /// Whether the source opened the store for it; else it has read the log on from the image
    /// before.
    public var isOpenedAnew: Bool

    /// Whether the manifest is encrypted: without the key of the store it can't be read.
    public var isEncrypted: Bool {
        SealedFileHeader(decoding: manifest, magic: Manifest.magic) != nil
    }

    /// An image of these files, which an earlier one of a source had.
    public init(
        storeUUID: String, lineage: UInt64, lsn: UInt64, manifest: [UInt8], files: [File],
        growingFile: String? = nil, isOpenedAnew: Bool = true
    ) {
        self.storeUUID = storeUUID
        self.lineage = lineage
        self.lsn = lsn
        self.manifest = manifest
        self.files = files
        self.growingFile = growingFile
        self.isOpenedAnew = isOpenedAnew
    }
}

extension BackupImage.LogRange {
    init(_ segment: SegmentSummary) {
        self.init(
            firstLSN: segment.firstLSN.rawValue, lastLSN: segment.lastLSN.rawValue,
            predecessor: segment.predecessor.number.rawValue)
    }
}
