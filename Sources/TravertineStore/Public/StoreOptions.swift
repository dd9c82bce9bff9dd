import SegmentLog

/// When a commit counts as done.
public enum Durability: Sendable, Hashable {
    /// The commit is on the disk before `commit` returns, and visible to others only then.
    ///
    /// Concurrent commits share one sync (group commit).
    case commit
    /// Visible at once; a sync follows at most this much later. A power cut may lose the last
    /// commits, never a part of one, and never one before another that is kept.
    case interval(milliseconds: Int)
    /// Visible at once; synced with the next durable commit, checkpoint, `sync()` or `close()`.
    ///
    /// A crash of the process loses nothing; a power cut may lose the last commits as above.
    case unsynced

    /// The earlier name of `unsynced`; it reads as the `none` of an optional.
    @available(*, deprecated, renamed: "unsynced")
    public static var none: Durability { .unsynced }
}

/// How a store reads its files.
public enum ReadMode: Sendable, Hashable {
    /// Values are read in place from mapped files. A media error raises SIGBUS, as with LMDB.
    case mapped
    /// Every read goes through `pread` and every checksum is verified: for media that are not
    /// trusted. A media error is a thrown error.
    case verified
}

/// How to open a store; every option has a sensible default.
public struct StoreOptions: Sendable {
    /// The level of commits that name none of their own.
    public var durability: Durability = .commit
    /// Whether a missing directory, or an empty one, becomes a new store.
    public var createIfMissing = true
    /// How files are read.
    public var readMode: ReadMode = .mapped
    /// Bytes of memory that index nodes may take before leaves that a checkpoint has are read from
    /// its mapped file instead; nil is an eighth of the memory that the process can have (the
    /// machine's, or its control group's). Compaction holds segments of half as many in memory, at
    /// most 256 MiB in `compact()`, and 32 in the background.
    public var indexMemoryBudget: Int?
    /// Bytes of log between checkpoints; nil keeps the cost of checkpoints below half of the log's.
    public var checkpointInterval: Int?
    /// The size of new segments in bytes, at most 64 MiB; nil follows the live bytes (1 to 64 MiB).
    public var segmentByteCount: Int?
    /// Allocated segment bytes ÷ stored bytes of live records that the store keeps to by itself.
    ///
    /// While much is written, four segments and the log behind the older checkpoint are allowed beyond
    /// it. Ten seconds after the last commit, or when less than 1 MiB of log was written in ten seconds,
    /// only stores of up to 16 MiB (or four segments of `segmentByteCount`) are. Less space means that
    /// more is copied; below 1.1 counts as 1.1.
    public var spaceBound: Double = 1.5
    /// How sealed files are verified in the background while the store is open; nil for not at all.
    /// What is found is told by `.scrubFoundDamage` and `statistics`; nothing is changed.
    public var scrub: ScrubOptions? = ScrubOptions()
    /// Told what happens in the background and at opening.
    ///
    /// Called on any thread, also from background jobs and while the store holds locks: hand over to a
    /// queue of your own. From here reading works, and `Store.scrub()`; `close`, `compact`,
    /// `measureSpace` and `checkpoint` may wait for the very thing that is being told, and throw `.misuse`.
    public var eventHandler: (@Sendable (StoreEvent) -> Void)?
    /// Stores whose segments take no more are left alone while users are idle (`IdleSpace`).
    package var idleSpaceFloor = 16 << 20
    /// How much a transaction buffers before it writes a batch; nil is the log's own measure.
    package var bufferByteCount: Int?
    /// LSNs that readers outside of this store need: a segment that was retired at an LSN stays until
    /// all of these are at or behind it.
    package var externalPins: @Sendable () -> [UInt64] = { [] }
    /// The files, threads, clock and randomness of the store.
    package var environment: Environment = .system

    /// The default options.
    public init() {}

    /// The size of new segments as far as a segment can have it.
    var segmentByteCountInRange: Int? {
        segmentByteCount.map { min($0, SegmentHeader.segmentByteCountMax) }
    }

    /// Throws `.misuse` for a number that can't be meant.
    func validate() throws(StoreError) {
        func check(_ name: String, _ value: Int?, atLeast least: Int) throws(StoreError) {
            guard let value, value < least else { return }
            throw StoreError(
                .misuse, "`StoreOptions.\(name)` is \(value); it is at least \(least), or nil.")
        }
        try check("checkpointInterval", checkpointInterval, atLeast: 0)
        try check("indexMemoryBudget", indexMemoryBudget, atLeast: 0)
        try check("segmentByteCount", segmentByteCount, atLeast: 1)
        try check("bufferByteCount", bufferByteCount, atLeast: 1)
        if spaceBound.isNaN {
            throw StoreError(.misuse, "`StoreOptions.spaceBound` is not a number.")
        }
    }
}

/// How a read treats checksums.
public struct ReadOptions: Sendable, Hashable {
    /// Whether the record's checksum is verified before its value is shown.
    public var verifyChecksums: Bool

    /// Options with or without verification.
    @inlinable
    public init(verifyChecksums: Bool) { self.verifyChecksums = verifyChecksums }

    /// Verified: what copying reads do.
    @inlinable
    public static var verified: ReadOptions { ReadOptions(verifyChecksums: true) }
    /// Not verified: what zero-copy reads do unless told.
    @inlinable
    public static var unverified: ReadOptions { ReadOptions(verifyChecksums: false) }
}

/// Something that a store tells its event handler.
public enum StoreEvent: Sendable {
    /// Opening has finished; the report says what it found.
    case opened(OpeningReport)
    /// A checkpoint was written.
    case checkpointWritten(lsn: UInt64, byteCount: Int)
    /// A checkpoint could not be written; commits go on, and it is tried again later.
    case checkpointFailed(StoreError)
    /// A damaged index page was met, and these keyspaces were rebuilt from the log.
    case rebuilt(keyspaces: [UInt32])
    /// A damaged index page was met, and its keyspace could not be rebuilt: reads that need the
    /// page throw until the store is opened again.
    case rebuildingFailed(StoreError)
    /// A pass of compaction is complete.
    case compacted(CompactionReport)
    /// A pass of compaction ended early, or left out a segment; commits go on, and it is tried again.
    case compactionFailed(StoreError)
    /// A full pass of verification in the background, or by `Store.scrub()`, is complete.
    case scrubbed(ScrubReport)
    /// Verification found a file damaged, or could not read it. Nothing was changed: run
    /// `travertine fsck`, and get the disk looked at.
    case scrubFoundDamage(StoreError)
    /// The sync of a checkpoint, a manifest or what readers are told failed. Commits go on, but no
    /// file is removed, and nothing is compacted, until the store is closed and opened again.
    case spaceReclaimStopped(StoreError)
    /// A sync failed: writes are refused until the store is opened again.
    case poisoned(StoreError)
    /// Closing the store left something undone, which the next opening makes good.
    case closedWithError(StoreError)
}

/// What opening a store found and did.
public struct OpeningReport: Sendable, Codable, Equatable {
    /// Where the index came from.
    public enum Source: String, Sendable, Codable {
        /// The directory held no store before.
        case created
        /// The newest checkpoint.
        case newestCheckpoint
        /// The checkpoint before, because the newest is damaged.
        case previousCheckpoint
        /// A replay of the whole log, because no checkpoint is whole.
        case fullReplay
    }

    /// Where the index came from.
    public var source: Source
    /// The LSN of the checkpoint used, 0 for the empty index.
    public var checkpointLSN: UInt64 = 0
    /// The newest LSN of the store.
    public var lastLSN: UInt64 = 0
    /// Transactions replayed behind the checkpoint.
    public var replayedTransactions = 0
    /// Bytes of log replayed behind the checkpoint.
    public var replayedByteCount = 0
    /// What stood behind the end of the log and was ignored: never acknowledged as durable.
    public var ignoredTail: String?
    /// Damaged checkpoints that were passed over, with the reason.
    public var damagedCheckpoints: [String] = []
    /// Identifiers of derived keyspaces that have to be rebuilt.
    public var invalidDerivedKeyspaces: [UInt32] = []
    /// How long opening took, in nanoseconds.
    public var durationNanoseconds: UInt64 = 0

    package init(source: Source) { self.source = source }
}
