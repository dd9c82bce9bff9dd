import TravertineStore

/// What a salvage found, what it wrote, and what is lost.
public struct SalvageReport: Sendable, Codable, Equatable {
    /// A file that was scanned.
    public struct Source: Sendable, Codable, Equatable {
        /// Its path.
        public var path: String
        /// Its size.
        public var byteCount: Int
        /// Valid batches in it, of any store.
        public var batchCount: Int
        /// Records in those batches.
        public var recordCount: Int
        /// Intact records outside of valid batches.
        public var strayRecordCount: Int
        /// Bytes that nothing could be made of; unused space and index pages are not counted.
        public var skippedByteCount: Int
        /// Bytes that the device did not give.
        public var unreadableByteCount: Int
    }

    /// A keyspace of the new store.
    public struct SalvagedKeyspace: Sendable, Codable, Equatable {
        /// Its identifier, the same as before.
        public var id: UInt32
        /// Its name; made up if the definition is lost.
        public var name: String
        /// Whether its definition, and so its name, is lost.
        public var nameIsLost: Bool
        /// Whether it is derived: it is empty, and rebuilt from rows before its first use.
        public var isDerived: Bool
        /// Keys that were written.
        public var keyCount: Int
    }

    /// LSNs that are missing: nothing is known of what these batches changed, except what the
    /// records that were found outside of batches say.
    public struct Gap: Sendable, Codable, Equatable {
        /// The first missing LSN.
        public var firstLSN: UInt64
        /// The last missing LSN.
        public var lastLSN: UInt64
        /// The file with the batch before the gap, if there is one.
        public var file: String?
        /// Where that batch ends.
        public var offset: Int?
    }

    /// Bytes that nothing could be made of.
    public struct Skipped: Sendable, Codable, Equatable {
        /// The file.
        public var file: String
        /// The first byte.
        public var offset: Int
        /// How many.
        public var byteCount: Int
    }

    /// A key whose newest version is damaged, or gone.
    public struct LostVersion: Sendable, Codable, Equatable {
        /// The keyspace's identifier.
        public var keyspace: UInt32
        /// The key as the damaged record has it, so that it may itself be wrong; or as the
        /// checkpoint has it, for one that is gone.
        public var key: [UInt8]
        /// The file with the damaged record, or the one where the checkpoint says that it was.
        public var file: String
        /// The record's offset in the file.
        public var offset: Int
        /// The LSN that the damaged record had, as far as it is known; nil for one that is gone.
        public var lsn: UInt64?
        /// The LSN of the version that was kept instead; nil if none was found.
        public var keptLSN: UInt64?
    }

    /// Which versions were asked for.
    public var preference: StoreSalvage.Preference
    /// The UUID of the store whose records were taken; nil if no file says it.
    public var storeUUID: String?
    /// UUIDs of other stores that the sources hold, which were left out.
    public var otherStoreUUIDs: [String] = []
    /// What was scanned.
    public var sources: [Source] = []
    /// What was written.
    public var keyspaces: [SalvagedKeyspace] = []
    /// Records that were written.
    public var recordCount = 0
    /// Bytes of keys and values that were written.
    public var byteCount = 0
    /// The newest LSN that was found.
    public var lastLSN: UInt64 = 0
    /// The highest LSN that something found calls durable.
    public var durableLSN: UInt64 = 0
    /// With `consistent`: the new store holds every transaction before this LSN and nothing of it
    /// or of later ones. Nil if no LSN is missing.
    public var cutLSN: UInt64?
    /// Whether a manifest of the store was found that fits the log. If not, nothing shows whether
    /// commits followed the newest LSN that was found, or that something found calls durable.
    public var isEndKnown = true
    /// Missing LSNs that no retired segment explains.
    public var gaps: [Gap] = []
    /// Bytes that nothing could be made of, at most `listCountMax` stretches.
    public var skipped: [Skipped] = []
    /// Keys whose newest version is damaged or gone, at most `listCountMax`.
    public var lostVersions: [LostVersion] = []
    /// How many there are in all.
    public var lostVersionCount = 0
    /// The LSN of the checkpoint that names the keys whose newest version, as of then, is gone.
    /// Nil if none could be read, or with `consistent`: then such keys are not known.
    public var namedByCheckpointLSN: UInt64?
    /// Records whose checksum matches, but that could not be written: their LZ4 block is bad, or no
    /// store can have the keyspace that they name.
    public var undecodableRecordCount = 0
    /// Records found outside of valid batches that were taken. Their own checksum matches; of their
    /// transaction it is not known whether it was whole.
    public var strayRecordCount = 0
    /// Versions taken from segments that compaction had retired, for keys whose copies may be among
    /// what is missing. Some may have been deleted since.
    public var retiredVersionCount = 0
    /// Transactions of which a batch is missing and the others were taken.
    public var partialTransactionCount = 0
    /// Transactions without a last batch that never were committed; left out.
    public var deadTransactionCount = 0
    /// Batches that a later segment says don't count; left out.
    public var voidBatchCount = 0
    /// Batches of other stores; left out.
    public var foreignBatchCount = 0
    /// What else is to be known.
    public var notes: [String] = []

    /// How many entries a list of the report has at most.
    public static let listCountMax = 10_000

    /// Whether nothing is missing: no gap, no bytes left over, no transaction in part, and nothing
    /// that could have followed.
    public var isComplete: Bool { isEndKnown && isCompleteUpToEnd }

    /// Whether nothing is missing before the end of what was found.
    public var isCompleteUpToEnd: Bool {
        gaps.isEmpty && skipped.isEmpty && lostVersionCount == 0 && undecodableRecordCount == 0
            && partialTransactionCount == 0 && sources.allSatisfy { $0.unreadableByteCount == 0 }
    }

    /// An empty report.
    init(preference: StoreSalvage.Preference) { self.preference = preference }
}
