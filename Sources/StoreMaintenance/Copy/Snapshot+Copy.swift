import SegmentLog
import TravertineStore

/// Making a store of what a snapshot sees: with another key, without one, or to be compact (Format
/// 9.6).
extension Snapshot {
    /// Writes everything that the snapshot sees to a new store, at a path where nothing is, or an
    /// empty directory.
    ///
    /// The new store has its own UUID, and its log begins anew; keys, values, keyspaces and their
    /// identifiers are the same. It is encrypted with the key of the options, and not without one.
    /// It is built under the path with `.copying` after it, and gets its name when it is whole and
    /// durable: an interrupted copy is never mistaken for a store, and the next one clears it away.
    /// Memory is bounded, except for the index and for what is decrypted of an
    /// encrypted store; writing to the snapshot's store goes on.
    ///
    /// - Parameters:
    ///   - path: the directory of the new store.
    ///   - options: how to open the new store while it is filled.
    ///   - progress: called now and then with the records that were written, and how many there
    ///     are.
    ///   - isCancelled: asked now and then; once it is true, the call throws `.cancelled`.
    /// - Throws: `.misuse` when something is at the path; `.damaged` for a record that can't be
    ///   believed, `.locked` while another copy is built there, `.diskFull`, `.io`. Nothing is left
    ///   then.
    public func copy(
        to path: String, options: StoreOptions = StoreOptions(),
        progress: ((_ recordCount: Int, _ totalRecordCount: Int) -> Void)? = nil,
        isCancelled: (() -> Bool)? = nil
    ) throws(StoreError) {
        try copy(
            to: path, options: options, isPrivate: false, progress: progress,
            isCancelled: isCancelled)
    }

    /// As above.
    ///
    /// - Parameter isPrivate: whether nobody but this user may open the directory.
    func copy(
        to path: String, options: StoreOptions, isPrivate: Bool,
        progress: ((_ recordCount: Int, _ totalRecordCount: Int) -> Void)?,
        isCancelled: (() -> Bool)?
    ) throws(StoreError) {
        let fileSystem = options.environment.fileSystem
        let place = try StorePlace(
            path: path, for: .copying, apartFrom: [store.path], fileSystem: fileSystem)
        do {
            if isPrivate, var access = try fileSystem.access(of: place.workPath) {
                access.mode = 0o700
                try fileSystem.setAccess(access, of: place.workPath)
            }
            try fill(place.workPath, options, progress, isCancelled)
        } catch {
            place.abandon()
            throw StoreError(anyError: error)
        }
        try place.finish()
    }

    private func fill(
        _ path: String, _ options: StoreOptions, _ progress: ((Int, Int) -> Void)?,
        _ isCancelled: (() -> Bool)?
    ) throws {
        var options = options
        options.createIfMissing = true
        let target = try Store.open(at: path, options: options, isLocked: true)
        do {
            var copier = SnapshotCopier(self, to: target, progress, isCancelled)
            try copier.copy()
            // Two, so that no opening ever begins before them: what is flagged invalid is so
            // in checkpoints only.
            try target.checkpoint()
            try target.checkpoint()
            try target.close()
        } catch {
            // What closing finds does not matter: the files go.
            _ = capture { () throws(StoreError) in try target.close() }
            throw error
        }
    }
}

/// Brings the keyspaces and records of a snapshot into a new, empty store.
private struct SnapshotCopier {
    private let access: ReadAccess
    private let path: String
    private let target: Store
    private let progress: ((Int, Int) -> Void)?
    private let isCancelled: (() -> Bool)?
    private var transaction: WriteTransaction?
    private var pendingByteCount = 0
    private var (recordCount, totalRecordCount) = (0, 0)

    private static let transactionByteCount = 4 << 20

    init(
        _ snapshot: Snapshot, to target: Store, _ progress: ((Int, Int) -> Void)?,
        _ isCancelled: (() -> Bool)?
    ) {
        self.isCancelled = isCancelled
        access = snapshot.access
        path = snapshot.store.path
        self.target = target
        self.progress = progress
    }

    mutating func copy() throws {
        let definitions = try access.keyspaceDefinitions(file: path)
        var keyspaces = [Keyspace.default]
        for definition in definitions.sorted(by: { $0.id < $1.id }) {
            if let keyspace = try create(definition) { keyspaces.append(keyspace) }
        }
        totalRecordCount = keyspaces.reduce(0) { $0 + access.count(in: $1.identifier) }
        for keyspace in keyspaces { try copyRecords(of: keyspace) }
        try commit()
    }

    /// Makes a keyspace with its identifier; nil for one that was dropped, and for the default one,
    /// which is there.
    private mutating func create(_ definition: KeyspaceDefinition) throws -> Keyspace? {
        let transaction = try openTransaction()
        if definition.id == .default {
            try transaction.setCompression(definition.compression, of: .default)
            return nil
        }
        let keyspace = try transaction.keyspace(
            named: definition.name, kind: definition.kind == .derived ? .derived : .records)
        guard keyspace.identifier == definition.id else {
            throw StoreError(
                .damaged,
                "The definition of a keyspace before “\(definition.name)” is missing. Run `travertine "
                    + "fsck`.", file: path)
        }
        if definition.kind == .dropped {
            try transaction.dropKeyspace(keyspace)
            return nil
        }
        if definition.kind == .records, definition.compression != .off {
            try transaction.setCompression(definition.compression, of: keyspace)
        }
        if access.tree(of: definition.id).flags & TreeFlags.invalid != 0 {
            transaction.writer.trees[keyspace.identifier.treeNumber].flags |= TreeFlags.invalid
        }
        return keyspace
    }

    private mutating func copyRecords(of keyspace: Keyspace) throws {
        let id = keyspace.identifier
        var cursor = access.cursor(in: id)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let transaction = try openTransaction()
            if keyspace.kind == .derived {
                let number = cursor.indexValue
                _ = try cursor.withKey { key in
                    try transaction.indexPut(key, value: number, in: id)
                }
            } else {
                let value = try cursor.value(verified: true)
                try cursor.withKey { key in
                    try transaction.put(rawKey: key, rawValue: value, in: id)
                }
                pendingByteCount += value.count
            }
            pendingByteCount += 64
            recordCount += 1
            if pendingByteCount >= Self.transactionByteCount { try commit() }
            isValid = try cursor.nextWithPrefetch()
        }
    }

    private mutating func openTransaction() throws -> WriteTransaction {
        if let transaction { return transaction }
        let opened = try target.beginWrite()
        transaction = opened
        return opened
    }

    private mutating func commit() throws {
        try transaction?.commit(durability: Durability.unsynced)
        transaction = nil
        pendingByteCount = 0
        progress?(recordCount, totalRecordCount)
        if isCancelled?() == true {
            throw StoreError(
                .cancelled, "The copy was cancelled. What was written of it is removed.",
                file: path)
        }
    }
}
