import TravertineStore

/// Elements that were appended to a large list one at a time, and wait to be stored together.
///
/// Each append would otherwise store a leaf, the nodes above it and the row again. Invariant: while
/// elements wait, nothing else was read or changed in the transaction but what other appends to the same
/// list do and the count: whatever asks for the transaction, for its read path or for the collection
/// stores them first (`RealmSession.flushAppends`). Links of the elements are counted at once.
final class AppendBuffer {
    /// The bytes that are stored together.
    static let byteCountMax = 64 << 10

    let owner: CollectionOwner
    // Without the realm, which has the elements itself.
    private let table: ObjectTable
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

    /// The number of elements with those that wait.
    var endCount: Int { storedCount + batch.count }

    fileprivate func store(_ session: RealmSession) throws {
        var storage = CollectionStorage(session, table, owner.object, slot)
        storage.nesting = nesting
        try storage.replace(storedCount..<storedCount, with: batch, isMove: true)
    }
}

extension RealmSession {
    /// Stores the elements that wait, if there are any.
    @inline(never)
    func flushAppends() throws {
        guard let waiting = unstored.elements else { return }
        unstored.elements = nil
        try waiting.store(self)
    }

    /// As above, for a caller that can't throw: a failure is the transaction's.
    @inline(never)
    func flushAppendsRecordingFailure() {
        do {
            try flushAppends()
        } catch {
            fail(error)
        }
    }

    /// The key of a stored object that is appended where elements wait; these go on waiting.
    func keyDuringAppends(_ object: ObjectBase, _ table: ObjectTable) -> UInt64? {
        let isKnown =
            object.rowGeneration == generation.pointee.number || isLocated(object)
            || object.rowGeneration == ObjectBase.beingAdded
        if isKnown { return object.key }
        do {
            let isHere = try requireOpenTransaction()._withUnsafeGuaranteedRef {
                try $0.access.contains(object.key, in: table.stored.rows)
            }
            if !isHere { stopForDeleted(object) }
            return object.key
        } catch {
            fail(error)
            return nil
        }
    }
}

extension CollectionAnchor {
    /// Adds elements at the end of a list; a failure is kept for the end of the transaction.
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
        if let waiting = session.unstored.elements, waiting.owner == owner {
            waiting.batch.bytes += batch.bytes
            waiting.batch.count += batch.count
            session.changeCount &+= 1
            try addBacklinks(batch)
            if waiting.batch.bytes.count >= AppendBuffer.byteCountMax {
                try session.flushAppends()
            }
            return
        }
        let piece = try withPiece { try checkedPiece($0) }
        // What stands in a value of any type may be a link or collection, which reads and stores
        // while it is encoded.
        guard case .tree = piece, run.type != .any else {
            return try replace(piece.count..<piece.count, with: batch)
        }
        session.unstored.elements = AppendBuffer(self, storedCount: piece.count)
        try append(batch)
    }
}
