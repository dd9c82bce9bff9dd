import Locks
import OrderedIndex
import SegmentLog

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
/// States: *open* → *closed*. Snapshots stay readable, and keep their part of the store, until they
/// go; but the writer no longer keeps segments for those that outlive the reader.
public final class StoreReader: Sendable {
    /// The directory.
    public let path: String
    let options: StoreOptions
    private let table: ReaderTable
    /// The file `lock` that `table` has open; nil where files have no identity.
    private let lockIdentity: FileIdentity?
    /// At a fork another thread may be holding it, which a child does not have: so a child takes it
    /// never.
    private let state: Locked<State>
    private let forkCount = ForkDetector.count

    private struct State {
        var current: FollowedStore?
        /// Stores that another one took over from, and that snapshots are still open of.
        var older: [FollowedStore] = []
    }

    private init(path: String, options: StoreOptions, table: ReaderTable, first: FollowedStore) {
        self.path = path
        self.options = options
        self.table = table
        lockIdentity = Self.lockIdentity(of: path, options)
        state = Locked(State(current: first))
    }

    deinit { table.close() }

    /// Opens a store for reading; takes no lock that others would wait for.
    ///
    /// Of the options only `readMode` counts.
    ///
    /// Where the file `lock` can't be written, in which readers say what they need, as on a
    /// read-only file system, the reader keeps writers from opening the store as long as it is
    /// open; beside a writer that has it open already, it does not open.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.notADirectory`, `.permissionDenied`, `.newerFormat`,
    ///   `.damaged`, `.outOfMemory`, `.io`.
    public static func open(
        at path: String, options: StoreOptions = StoreOptions()
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
            let first = try openNewest(path, options, table)
            try table.pin(pin(of: [first]))
            return StoreReader(path: path, options: options, table: table, first: first)
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

    /// Opens from the newest checkpoint. The writer may replace it at that moment: then once more.
    static func openNewest(
        _ path: String, _ options: StoreOptions, _ table: ReaderTable
    ) throws(StoreError) -> FollowedStore {
        let fileSystem = options.environment.fileSystem
        var sequence: UInt64?
        while true {
            guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
                throw StoreError(.notAStore, "The directory holds no store.", file: path)
            }
            table.durable.follow(lineage: manifest.identity.lineage)
            do {
                let limit = max(manifest.durableLSN, try table.durable.publishedLSN())
                let store = try FollowedStore(path, options, manifest, through: limit)
                if !store.hasPassedOver || sequence == manifest.sequence { return store }
                sequence = manifest.sequence
            } catch {
                if sequence == manifest.sequence { throw error }
                sequence = manifest.sequence
            }
        }
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

    /// The LSN of the newest commit as of the last refresh; 0 when closed, and in a child of
    /// `fork`.
    public var lsn: UInt64 {
        isInChild ? 0 : state.withLock { $0.current?.lsn.rawValue ?? 0 }
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

    /// Moves to the newest durable commit; true if there was a newer one.
    ///
    /// Reads the log that was written since. Where that is not possible, opens the newest
    /// checkpoint.
    ///
    /// - Throws: `.closed`, `.damaged`, `.io`; `.wrongStore` when the directory was replaced;
    ///   `.forked` in a child of `fork`, as the parent's snapshots are its own. The reader stays where it
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
            try checkIsNotReplaced()
            if try publishedLSN() <= current.readLSN { return false }
            // While it reads on it may come to need what is new: that is written for the writer
            // first, and then its LSN is read, for what it removed before it saw that, it had
            // published before (R3).
            var reading = Self.pin(of: state.older + [current])
            reading.reach = nil
            try table.pin(reading)
            let limit = try publishedLSN()
            let before = current.lsn
            let followed = capture { () throws(StoreError) in
                if isFollowing { try current.follow(through: limit) }
            }
            var mustOpen = !isFollowing
            if case .failure = followed { mustOpen = true }
            if mustOpen {
                let next = try Self.openNewest(path, options, table)
                state.older.append(current)
                state.current = next
            }
            state.older.removeAll { !$0.hasSnapshots }
            let stores = state.older + [state.current].compactMap(\.self)
            try table.pin(Self.pin(of: stores))
            return state.current.map { $0.lsn > before } ?? false
        }
    }

    /// Whether this is a child of the process that opened the reader.
    private var isInChild: Bool { forkCount != ForkDetector.count }

    private func checkProcess() throws(StoreError) {
        if isInChild { throw .forked(file: path) }
    }

    private static func lockIdentity(of path: String, _ options: StoreOptions) -> FileIdentity? {
        ReaderTable.identity(of: path + "/" + StoreFiles.lock, options.environment.fileSystem)
    }

    /// Throws when another file is where the file `lock` was: what the writer publishes now is not
    /// seen here.
    private func checkIsNotReplaced() throws(StoreError) {
        guard let lockIdentity, let now = Self.lockIdentity(of: path, options) else { return }
        if now != lockIdentity { throw .replacedStore(path) }
    }

    /// Whether `refresh` may show a commit after one, or the reader shows it already.
    func mayShowCommit(after lsn: UInt64) throws(StoreError) -> Bool {
        try checkProcess()
        return try state.withLock { (state) throws(StoreError) in
            guard let current = state.current else { throw StoreError.closedStore }
            if current.lsn.rawValue > lsn { return true }
            try checkIsNotReplaced()
            // What was read already showed nothing: it was a part of a transaction, or no change.
            let published = try publishedLSN()
            return published.rawValue > lsn && published > current.readLSN
        }
    }

    /// What the writer has published, also if it is the first one of its lineage.
    private func publishedLSN() throws(StoreError) -> LSN {
        let lsn = try table.durable.publishedLSN()
        if lsn != .zero { return lsn }
        let manifest = try ManifestFile.read(
            in: path, fileSystem: options.environment.fileSystem)
        guard let manifest else { return .zero }
        table.durable.follow(lineage: manifest.identity.lineage)
        return try table.durable.publishedLSN()
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
        state.withLock { $0 = State(current: nil) }
        table.close()
    }
}

extension StoreError {
    /// The directory that is read has been removed and made again.
    package static func replacedStore(_ path: String) -> StoreError {
        StoreError(
            .wrongStore,
            "The store was replaced by another one while it was open for reading. Let go of what reads "
                + "it, and open it again.", file: path)
    }
}
