import TravertineStore

/// Elements that were appended to a large list one at a time, and are stored together.
///
/// Each append would otherwise store a leaf, the nodes above it and the row again. Invariant: while
/// there are such elements, nothing of the transaction is read or changed but by other appends to
/// the same list and by its count: the transaction, its read path and the collection store them
/// first (`RealmSession.flushAppends`). Backlinks of the elements are stored at once.
final class AppendBuffer {
    /// The bytes that are stored together.
    static let byteCountMax = 64 << 10

    let owner: CollectionOwner
    // Without the realm, which has the elements itself.
    private let table: TableState
    private let slot: Int
    private let nesting: Nesting?
    private let storedCount: Int
    @exclusivity(unchecked) fileprivate(set) var batch = ElementBatch()

    init(_ storage: CollectionStorage, storedCount: Int) {
        owner = storage.owner
        table = storage.table
        slot = storage.slot
        nesting = storage.nesting
        self.storedCount = storedCount
    }

    /// The number of elements with those in the buffer.
    var endCount: Int { storedCount + batch.count }

    fileprivate func store(_ session: RealmSession) throws {
        var storage = CollectionStorage(session, table, owner.object, slot)
        storage.nesting = nesting
        try storage.replace(storedCount..<storedCount, with: batch, isMove: true)
    }
}

extension RealmSession {
    /// Stores the elements in the buffer, if there are any.
    @inline(never)
    func flushAppends() throws {
        guard let buffer = unstored.appends else { return }
        unstored.appends = nil
        try buffer.store(self)
    }

    /// As above, for a caller that can't throw: the transaction fails.
    @inline(never)
    func flushAppendsRecordingFailure() {
        do {
            try flushAppends()
        } catch {
            fail(error)
        }
    }

    /// The key of a stored object that is appended, found without storing the elements in the
    /// buffer.
    func keyDuringAppends(_ object: ObjectBase, _ table: TableState) -> UInt64? {
        let hasKey =
            object.rowGeneration == generation.pointee.number || isLocated(object)
            || object.rowGeneration == ObjectBase.beingAdded
        if hasKey { return object.key }
        do {
            let isStored = try requireOpenTransaction()._withUnsafeGuaranteedRef {
                try $0.access.contains(object.key, in: table.stored.rows)
            }
            if !isStored { stopForDeleted(object) }
            return object.key
        } catch {
            fail(error)
            return nil
        }
    }
}

extension CollectionAnchor {
    /// Adds elements at the end of a list; a failure is thrown by the commit.
    func append(_ encode: (CollectionStorage) -> ElementBatch) {
        guard session.mayAppend() else { return }
        do {
            let storage = storage
            let batch = encode(storage)
            if let failure = session.failure { throw failure }
            try storage.append(batch)
            try session.deleteOrphans()
        } catch {
            session.fail(error)
        }
    }
}

extension CollectionStorage {
    /// Adds elements at the end.
    fileprivate func append(_ batch: ElementBatch) throws {
        if batch.count == 0 { return }
        if let buffer = session.unstored.appends, buffer.owner == owner {
            buffer.batch.bytes += batch.bytes
            buffer.batch.count += batch.count
            session.counts.changeCount &+= 1
            try addBacklinks(batch)
            if buffer.batch.bytes.count >= AppendBuffer.byteCountMax {
                try session.flushAppends()
            }
            return
        }
        let piece = try withPiece { try checkedPiece($0) }
        // What is in a value of any type may be a link or collection, which reads and stores
        // while it is encoded.
        guard case .tree = piece, run.type != .any else {
            return try replace(piece.count..<piece.count, with: batch)
        }
        session.unstored.appends = AppendBuffer(self, storedCount: piece.count)
        try append(batch)
    }
}
