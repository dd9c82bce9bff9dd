import Locks

/// The log of a store: segments of batches of records, in one directory.
///
/// One thread at a time writes (`beginTransaction` to `commitTransaction` or `abortTransaction`,
/// `seal`, `close`; the caller sees to that). `waitUntilDurable` and `reader` are for any thread.
///
/// States, with the function of each arrow:
///
///     created --recover--> open --beginTransaction--> writing --commit/abortTransaction--> open
///     open --close--> closed
///     any --a failed sync--> poisoned: appends and commits throw, reads go on
@usableFromInline
package final class SegmentLog: @unchecked Sendable {
    package let directory: String
    package let identity: StoreIdentity
    package let options: Options
    package let environment: Environment

    /// The hot state of the writer, outside of the object so that no exclusivity check is made.
    @usableFromInline let batch: UnsafeMutablePointer<BatchBuilder>
    /// The buffer of `batch`: that of a log that can be written.
    var batchMemory: AnonymousMemory?
    let durability: GroupCommit
    let mappings: SegmentMappings
    /// Finished segments by number; the active one is in `writer`.
    let summaries = Locked<[SegmentNumber: SegmentSummary]>([:])
    let counters = LogCounters()
    /// The rest of the writer's state: only the writing thread touches it.
    @exclusivity(unchecked)
    var writer = WriterState()

    /// How a log behaves.
    package struct Options: Sendable {
        /// How readers see segments.
        package enum ReadMode: Sendable {
            /// Mapped files: fastest; a media error is a SIGBUS.
            case mapped
            /// Private copies, every record verified: a media error is a thrown error.
            case pread
        }

        package var readMode: ReadMode = .mapped
        /// The size of new segments; nil: 1/32 of the live bytes.
        package var segmentByteCount: Int?
        /// How far ahead of the tail to write zeros while durable commits are small; 0: never.
        package var zeroAheadByteCount = 256 << 10
        /// A transaction writes a batch when it has buffered so much; what fits the L2 cache is
        /// best.
        package var maximumBufferedByteCount = 1 << 20
        /// How many files may stay open because they are not synced yet.
        package var openFileBudget = 64
        /// Asked before each batch is written; false in a process that the files do not belong to.
        package var mayWrite: @Sendable () -> Bool = { true }

        package init() {}
    }

    /// Touches no file: `recover` comes first.
    package init(
        directory: String, identity: StoreIdentity, options: Options, environment: Environment
    ) {
        self.directory = directory
        self.identity = identity
        self.options = options
        self.environment = environment
        batch = .allocate(capacity: 1)
        batch.initialize(to: BatchBuilder())
        durability = GroupCommit(now: environment.now, mayWrite: options.mayWrite)
        mappings = SegmentMappings(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            isPrivate: options.readMode == .pread)
    }

    deinit {
        batch.deinitialize(count: 1)
        batch.deallocate()
    }

    /// Finds records by location; valid while this object lives.
    package var reader: SegmentReader { mappings.reader }

    /// The LSN that the next batch gets.
    package var nextLSN: LSN { writer.nextLSN }

    /// The LSN of the last batch that was handed to the system. Any thread.
    package var writtenLSN: LSN { durability.writtenLSN }

    /// The highest LSN known to be synced. Any thread.
    package var durableLSN: LSN { durability.durableLSN }

    /// The end of the last batch that was written: where replay may start.
    ///
    /// Not in a segment that holds no batch yet: its header may not have reached the disk, although
    /// everything before it has.
    package var tail: LogPosition {
        if let active = writer.active, active.tail > SegmentHeader.byteCount {
            return LogPosition(segment: active.header.number, offset: UInt64(active.tail))
        }
        return LogPosition(
            segment: writer.predecessor.number, offset: writer.predecessor.endOffset)
    }

    /// Unwritten bytes of the open transaction, batch header included.
    package var pendingByteCount: Int { batch.pointee.count }

    /// All bytes of the open transaction, written batches included.
    package var transactionByteCount: Int {
        writer.transactionWrittenByteCount + batch.pointee.count
    }

    /// The store's live bytes, which decide the size of new segments.
    package var liveByteCountHint: UInt64 {
        get { writer.liveByteCountHint }
        set { writer.liveByteCountHint = newValue }
    }

    /// The segments that hold a part of the log, by number, from the one on in which recovery
    /// began; `loadOlderSegments` adds those before it. Any thread.
    package var segments: [SegmentSummary] {
        summaries.withLock { Array($0.values) }.sorted { $0.number < $1.number }
    }

    /// Segments that recovery found unreachable, or superseded: nothing in them counts.
    /// See `removeUnreachableSegments`.
    package var unreachableSegments: [SegmentNumber] { writer.unreachable }

    func path(of number: SegmentNumber) -> String { number.path(in: directory) }
}
