import SegmentLog

/// How to open a store; every option has a sensible default.
public struct StoreOptions: Sendable {
    /// The level of commits that name none.
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
    /// Bytes of an encrypted store's records that are kept decrypted in memory; nil is a quarter of
    /// the memory that the process can have. What open snapshots have read stays beyond it, until
    /// they are let go of.
    public var decryptedMemoryBudget: Int?
    /// Bytes of log between checkpoints; nil keeps the cost of checkpoints below half of the log's.
    public var checkpointInterval: Int?
    /// The size of new segments in bytes, at most 64 MiB; nil follows the live bytes (1 to 64 MiB).
    public var segmentByteCount: Int?
    /// Allocated segment bytes ÷ stored bytes of live records that the store keeps to by itself.
    ///
    /// While much is written, four segments and the log after the older checkpoint are allowed
    /// beyond it. Ten seconds after the last commit, or when less than 1 MiB of log was written in
    /// ten seconds, only stores of up to 16 MiB (or four segments of `segmentByteCount`) are. Less
    /// space means that more is copied; below 1.1 counts as 1.1.
    public var spaceBound: Double = 1.5
    /// How sealed files are verified in the background while the store is open; nil for not at all.
    /// What is found is reported by `.scrubFoundDamage` and `statistics`; nothing is changed.
    public var scrub: ScrubOptions? = ScrubOptions()
    /// Called with what happens in the background and at opening.
    ///
    /// Called on any thread, also from background jobs and while the store holds locks: hand over
    /// to a queue of your own. From here reading works, and `Store.scrub()`; `close`, `compact`,
    /// `measureSpace` and `checkpoint` may wait for the very thing that is being reported, and
    /// throw `.misuse`.
    public var eventHandler: (@Sendable (StoreEvent) -> Void)?
    /// Stores whose segments take no more are left alone while users are idle (`IdleSpace`).
    package var idleSpaceFloor = 16 << 20
    /// How much a transaction buffers before it writes a batch; nil is the log's own measure.
    package var bufferByteCount: Int?
    /// LSNs that readers outside of this store need: a segment that was retired at an LSN stays
    /// until all of these are at or after it.
    package var externalPins: @Sendable () -> [UInt64] = { [] }
    /// The key of the store, which is encrypted with it; nil for a store that is not encrypted.
    ///
    /// It decides what a new store is; opening one with another key, without its key, or with a key
    /// that it does not have throws `.invalidEncryptionKey` and changes nothing.
    public var encryptionKey: EncryptionKey? {
        didSet { encryptingEnvironment.fileSystem = encryptingEnvironment.fileSystem.stored }
    }
    /// The files, threads, clock and randomness of the store; it encrypts if there is a key.
    package var environment: Environment {
        get { encryptingEnvironment }
        set { encryptingEnvironment = newValue }
    }
    private var encryptingEnvironment: Environment = .system {
        didSet {
            guard let encryptionKey else { return }
            encryptingEnvironment = encryptingEnvironment.encrypted(with: encryptionKey.cipher)
        }
    }

    /// The default options.
    public init() {}

    /// The size of new segments as far as a segment can have it.
    var segmentByteCountInRange: Int? {
        segmentByteCount.map { min($0, SegmentHeader.segmentByteCountMax) }
    }

    /// Throws `.misuse` for an invalid number.
    func validate() throws(StoreError) {
        func check(_ name: String, _ value: Int?, atLeast least: Int) throws(StoreError) {
            guard let value, value < least else { return }
            throw StoreError(
                .misuse, "`StoreOptions.\(name)` is \(value); it is at least \(least), or nil.")
        }
        try check("checkpointInterval", checkpointInterval, atLeast: 0)
        try check("indexMemoryBudget", indexMemoryBudget, atLeast: 0)
        try check("decryptedMemoryBudget", decryptedMemoryBudget, atLeast: 0)
        try check("segmentByteCount", segmentByteCount, atLeast: 1)
        try check("bufferByteCount", bufferByteCount, atLeast: 1)
        if spaceBound.isNaN {
            throw StoreError(.misuse, "`StoreOptions.spaceBound` is not a number.")
        }
    }
}
