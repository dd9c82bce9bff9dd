import Locks
import OrderedIndex
import SegmentLog
import Synchronization

/// A store opened for reading only, beside the process that writes it, or alone.
///
/// It shows the newest commit that was durable when it was opened, or at the last `refresh()`, and
/// never one that a power cut could take away. Any number of readers may be open, in any number of
/// processes; the writer keeps what they need. There is nothing here that could write.
///
/// ```swift
/// let reader = try StoreReader.open(at: "places")
/// let capital = try reader.snapshot().get("PT")
/// try reader.refresh()
/// ```
///
/// One that was opened as of an earlier commit shows that one, as long as it is open.
///
/// States: *open* → *closed*. Snapshots stay readable, and keep their part of the store, until they
/// go; but the writer no longer keeps segments for those that outlive the reader.
public final class StoreReader: Sendable {
    /// The directory.
    public let path: String
    let options: StoreOptions
    /// Of a reader of an earlier commit: the LSN that was asked for.
    let asOf: LSN?
    let table: ReaderTable
    /// The files that were opened.
    let identity: StoreIdentity
    /// Calls who waits for commits when the reader is closed.
    let closing = CommitSignal()
    /// At a fork another thread may be holding it, which a child does not have: so a child takes it
    /// never.
    let state: Locked<State>
    /// The address of the store of `state.current`, which keeps it, for a child of `fork`.
    private let storeAddress = Atomic<UInt>(0)
    private let forkCount = ForkDetector.count

    struct State {
        var current: FollowedStore?
        /// Stores that another one took over from, and that snapshots are still open of.
        var older: [FollowedStore] = []
        /// The pin in the slot, which says what the writer must keep; nil before the first refresh.
        var pin: ReaderPin?
        /// The most that a writer has published, as far as that is certain, under one lineage.
        var published = (lineage: UInt64(0), lsn: LSN.zero)
        /// Whether other files were found in the place of those that were opened: permanently.
        var isReplaced = false
    }

    private init(
        path: String, options: StoreOptions, asOf: LSN?, table: ReaderTable, first: FollowedStore
    ) {
        self.path = path
        self.options = options
        self.asOf = asOf
        self.table = table
        identity = first.store.log.identity
        state = Locked(State(current: first))
        noteStore(first.store)
    }

    /// Notes the store that is read, before the one before it is let go of.
    private func noteStore(_ store: Store?) {
        let address = store.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        storeAddress.store(address ?? 0, ordering: .sequentiallyConsistent)
    }

    deinit { table.close() }

    /// Opens a store for reading; takes no lock that others would wait for.
    ///
    /// Of the options only `readMode` counts.
    ///
    /// As of an LSN it shows the newest commit that has this or an earlier one, if the log still
    /// has all that the store held then: it has as long as compaction removes no segment. That
    /// reads the log from the checkpoint before, or as a whole.
    ///
    /// Where the file `lock` can't be written, in which readers say what they need, as on a
    /// read-only file system, the reader keeps writers from opening the store as long as it is
    /// open; beside a writer that has it open already, it does not open.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.notADirectory`, `.permissionDenied`, `.newerFormat`,
    ///   `.damaged`, `.outOfMemory`, `.io`; `.commitNotKept` where the log does not have the commit
    ///   that was asked for, any more or yet.
    public static func open(
        at path: String, options: StoreOptions = StoreOptions(), asOf lsn: UInt64? = nil
    ) throws(StoreError) -> StoreReader {
        ForkDetector.start()
        try options.environment.startExecutor()
        let fileSystem = options.environment.fileSystem
        guard fileSystem.exists(path) else {
            throw StoreError(.notFound, "There is no store at this path.", file: path)
        }
        guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
            try DirectoryContents(of: path, fileSystem).check(path, mayCreate: false)
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        let table = try ReaderTable(
            readerOf: path, lineage: manifest.identity.lineage, fileSystem: fileSystem)
        do {
            let asOf = lsn.map { LSN(rawValue: $0) }
            let first = try openNewest(path, options, table, asOf: asOf)
            try table.pin(pin(of: [first]))
            let reader = StoreReader(
                path: path, options: options, asOf: asOf, table: table, first: first)
            try reader.checkIsNotReplaced()
            return reader
        } catch {
            table.close()
            throw error
        }
    }

    /// What a reader of these stores needs; 0 would stand for a reader that opens, also where the
    /// store is empty.
    private static func pin(of stores: [FollowedStore]) -> ReaderPin {
        ReaderPin(
            lsn: max(1, stores.map { $0.oldestLSN.rawValue }.min() ?? 1),
            reach: stores.map(\.readLSN).max())
    }

    /// Opens from the newest checkpoint, or the newest one before an earlier commit. The writer may
    /// replace it at that moment: then once more.
    static func openNewest(
        _ path: String, _ options: StoreOptions, _ table: ReaderTable, asOf: LSN? = nil
    ) throws(StoreError) -> FollowedStore {
        let fileSystem = options.environment.fileSystem
        var sequence: UInt64?
        while true {
            guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
                throw StoreError(.notAStore, "The directory holds no store.", file: path)
            }
            table.durable.follow(lineage: manifest.identity.lineage)
            do throws(StoreError) {
                let durable = max(manifest.durableLSN, try table.durable.publishedLSN())
                if let asOf, asOf > durable {
                    throw StoreError.commitToCome(asOf, newest: durable, path)
                }
                let store = try FollowedStore(path, options, manifest, through: asOf ?? durable)
                if asOf != nil { try store.holdSegments() }
                if !store.hasPassedOver || sequence == manifest.sequence { return store }
                sequence = manifest.sequence
            } catch {
                if sequence == manifest.sequence {
                    guard let asOf, error.code == .damaged, hasRemovedSegments(path, fileSystem)
                    else { throw error }
                    throw .commitNotKept(asOf, path)
                }
                sequence = manifest.sequence
            }
        }
    }

    /// Whether compaction may have removed segments: the numbers that the others have begin at 1,
    /// and none is left out.
    private static func hasRemovedSegments(_ path: String, _ fileSystem: FileSystem) -> Bool {
        guard let names = try? fileSystem.list(path) else { return true }
        let numbers = names.compactMap { SegmentNumber(fileName: $0)?.rawValue }
        return numbers.count < numbers.max() ?? 0
    }

    /// An immutable view of the newest commit as of the last refresh.
    ///
    /// - Throws: `.closed`; `.forked` in a child of `fork`.
    public func snapshot() throws(StoreError) -> Snapshot {
        try snapshot(verification: .none)
    }

    /// As above; reads through `Snapshot.access` verify records as asked for.
    package func snapshot(
        verification: RecordVerification
    ) throws(StoreError) -> Snapshot {
        try checkProcess()
        // Inside: a refresh that looks for open snapshots sees this one, or comes before it.
        return try state.withLock { (state) throws(StoreError) in
            guard let current = state.current else { throw StoreError.closedStore }
            return try current.snapshot(verification: verification)
        }
    }

    /// The store that is read, as of the last refresh: one that refuses to be written. Nil when
    /// closed, and in a child of `fork`.
    package var currentStore: Store? {
        isInChild ? nil : state.withLock { $0.current?.store }
    }

    /// The same, in a child of `fork` that of its parent: each call of it throws `.forked` there.
    package var storeOfAnyProcess: Store? {
        if !isInChild { return currentStore }
        // The child has no other thread, which could release it.
        let address = storeAddress.load(ordering: .sequentiallyConsistent)
        return UnsafeRawPointer(bitPattern: address).map {
            Unmanaged<Store>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The LSN of the newest commit as of the last refresh; 0 when closed, and in a child of
    /// `fork`.
    public var lsn: UInt64 {
        isInChild ? 0 : state.withLock { $0.current?.lsn.rawValue ?? 0 }
    }

    /// The LSN of the newest commit as of the last refresh that put or deleted something; 0 when
    /// closed, and in a child of `fork`. After the newest checkpoint was opened anew it may be that
    /// of a commit which did neither.
    package var newestChange: UInt64 {
        isInChild ? 0 : state.withLock { $0.current?.newestChange.rawValue ?? 0 }
    }

    /// How many segments are in memory for reading, and how many of these the writer has retired,
    /// so that only older snapshots need them.
    package var mappedSegmentCounts: (all: Int, retired: Int) {
        if isInChild { return (0, 0) }
        return state.withLock { state in
            guard let log = state.current?.store.log else { return (0, 0) }
            return (log.mappedSegmentCount, log.mappedRetiredSegments.count)
        }
    }

    /// Whether a snapshot is of the files that were opened first, by UUID and lineage.
    package func isOfFirstFiles(_ snapshot: Snapshot) -> Bool {
        snapshot.store.log.identity == identity
    }

    /// All keyspaces that users named, as of the last refresh; none when closed, and in a child of
    /// `fork`.
    public var keyspaces: [Keyspace] {
        isInChild ? [] : state.withLock { $0.current?.store.keyspaces ?? [] }
    }

    /// The keyspace with a name, or nil if there is none.
    public func keyspace(named name: String) -> Keyspace? {
        keyspaces.first { $0.name == name }
    }

    /// Moves to the newest durable commit; true if there was a newer one. A reader of an earlier
    /// commit stays there.
    ///
    /// Reads the log that was written since. Where that is not possible, opens the newest
    /// checkpoint.
    ///
    /// - Throws: `.closed`, `.damaged`, `.io`; `.wrongStore` when the directory was replaced,
    ///   or its files by an older copy; `.forked` in a child of `fork`, as the parent's snapshots
    ///   are its own. The reader stays where it
    ///   was, or, if only its pin could not be written, keeps more than it needs until the next
    ///   refresh.
    @discardableResult
    public func refresh() throws(StoreError) -> Bool {
        try refresh(isFollowing: true)
    }

    /// - Parameter isFollowing: whether the log is read on where that is possible; else the newest
    ///   checkpoint is opened if there is anything new.
    package func refresh(isFollowing: Bool) throws(StoreError) -> Bool {
        try checkProcess()
        return try state.withLock { (state) throws(StoreError) in
            guard let current = state.current else { throw StoreError.closedStore }
            if asOf != nil { return false }
            try checkIsNotReplaced()
            let published = try published(&state)
            if published <= current.readLSN {
                if current.keepsOlder || !state.older.isEmpty { try release(&state) }
                return false
            }
            // While it reads on it may come to need what is new: that is written for the writer
            // first, and then its LSN is read, for what it removed before it saw that, it had
            // published before (R3).
            var reading = Self.pin(of: state.older + [current])
            reading.reach = nil
            try table.pin(reading)
            state.pin = reading
            let limit = try self.published(&state)
            let before = current.lsn
            let followed = capture { () throws(StoreError) in
                if isFollowing { try current.follow(through: limit) }
            }
            var mustOpen = !isFollowing
            if case .failure = followed { mustOpen = true }
            if mustOpen {
                // The first writer of a copied store goes on with the log that is there.
                let isOther = table.durable.followedLineage != identity.lineage
                if isFollowing, isOther, options.readMode == .mapped {
                    state.isReplaced = true
                    throw .replacedStore(path)
                }
                let next = try Self.openNewest(path, options, table)
                next.noteChange(since: current)
                state.older.append(current)
                noteStore(next.store)
                state.current = next
            }
            try release(&state)
            return state.current.map { $0.lsn > before } ?? false
        }
    }

    /// Lets go what no snapshot needs any more, here and, by the pin, in the writer.
    private func release(_ state: inout State) throws(StoreError) {
        state.older.removeAll { !$0.hasSnapshots }
        state.current?.release()
        let pin = Self.pin(of: state.older + [state.current].compactMap(\.self))
        if pin == state.pin { return }
        try table.pin(pin)
        state.pin = pin
    }

    /// Whether this is a child of the process that opened the reader.
    private var isInChild: Bool { forkCount != ForkDetector.count }

    func checkProcess() throws(StoreError) {
        if isInChild { throw .forked(file: path) }
    }

    /// What the store holds and costs as of the last refresh. What only its writer knows is zero:
    /// times of commits, what was written and compacted since it opened the store, snapshots of
    /// others.
    ///
    /// Reads the header of each segment.
    ///
    /// - Throws: `.closed`, `.damaged`, `.io`; `.forked` in a child of `fork`.
    public var statistics: StoreStatistics {
        get throws(StoreError) {
            try checkProcess()
            return try state.withLock { (state) throws(StoreError) in
                guard let current = state.current else { throw StoreError.closedStore }
                return try current.statistics()
            }
        }
    }

    /// Ends the reader, and what it keeps the writer from removing. Does nothing the second time,
    /// and in a child of `fork`.
    public func close() {
        if isInChild { return }
        noteStore(nil)
        state.withLock { $0 = State(current: nil) }
        closing.callAll()
        table.close()
    }
}

extension StoreError {
    /// The commit that a reader was asked for was not made yet, or is not durable.
    fileprivate static func commitToCome(_ lsn: LSN, newest: LSN, _ path: String) -> StoreError {
        StoreError(
            .commitNotKept,
            "There is no commit \(lsn.rawValue) yet: the newest durable one is \(newest.rawValue).",
            file: path)
    }

    /// Not all is in the log that the store held at a commit.
    fileprivate static func commitNotKept(_ lsn: LSN, _ path: String) -> StoreError {
        StoreError(
            .commitNotKept,
            "The store as of commit \(lsn.rawValue) can't be shown: the log no longer has all that it "
                + "held then. Compaction removes what newer commits have replaced; a backup keeps "
                + "it. If the files may be damaged, `travertine fsck` finds that.", file: path)
    }
}
