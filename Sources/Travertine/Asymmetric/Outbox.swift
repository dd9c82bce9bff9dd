import TravertineStore

/// The asymmetric objects of a realm that no consumer has acknowledged yet, in the order in which
/// they were made: a transactional outbox.
///
/// ```swift
/// var last: UInt64 = 0
/// while case let entries = try realm.outbox.read(after: last, limit: 500), !entries.isEmpty {
///     try upload(entries.map(\.document))
///     last = entries.last?.sequence ?? last
///     try realm.outbox.acknowledge(upTo: last)
/// }
/// ```
/// What was read and not acknowledged comes again, also after a crash: every object arrives at
/// least once. Sequence numbers ascend and are never given out twice, so that a consumer can see
/// what it has processed.
public struct Outbox {
    /// An asymmetric object as a consumer gets it.
    public struct Entry: Sendable, Hashable, Identifiable {
        /// Its place in the order of all asymmetric objects of the realm, from 1 on.
        public var sequence: UInt64
        /// The stored name of its type.
        public var type: String
        /// Its values under their stored names, embedded objects among them.
        ///
        /// A link to another object is that object's primary key as it is now, with its type if
        /// the property does not say it, or null if it was deleted. To one without primary key
        /// it is its type with the number that it has there.
        public var document: StoredDocument

        /// The sequence number.
        public var id: UInt64 { sequence }
    }

    let session: RealmSession

    /// The objects after a sequence number, the oldest first, at most `limit`.
    ///
    /// Refreshes the realm. Waits until what it returns is durable: nothing that a consumer saw is
    /// taken back by a power cut. Within a write transaction it shows what was there when that
    /// began. Costs a look-up for each object and each embedded one.
    ///
    /// - Throws: `Realm.Error`, `.invalidDatabase` for damaged rows.
    public func read(after sequence: UInt64 = 0, limit: Int = 100) throws -> [Entry] {
        session.checkThread()
        do {
            _ = try session.refresh()
            guard let queue = try OutboxQueue(session) else { return [] }
            let end = session.scope.firstOutboxNumber.map { $0 - 1 } ?? .max
            let items = try queue.items(after: sequence, through: end, limit: limit)
            if items.isEmpty { return [] }
            if let snapshot = session.snapshot {
                try session.shared.store.waitUntilDurable(snapshot.lsn)
            } else {
                try session.shared.store.sync()
            }
            let reader = DocumentReader(session: session)
            return try items.map { item in
                guard let table = session.table(number: item.type),
                    let document = try reader.document(item.key, in: table)
                else { throw Realm.Error.damagedSchema }
                return Entry(
                    sequence: item.sequence, type: table.stored.name, document: document)
            }
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: session.shared.fileURL)
        }
    }

    /// Deletes the objects up to a sequence number, with their embedded objects.
    ///
    /// Within a write transaction it is a part of that, so that what a consumer stores in the same
    /// realm and the acknowledgement become durable together; otherwise it has its own transaction.
    ///
    /// - Returns: the number of objects deleted.
    @discardableResult
    public func acknowledge(upTo sequence: UInt64) throws -> Int {
        let realm = Realm(session)
        if session.isWriting {
            return try realm.savepoint { try session.acknowledge(upTo: sequence) }
        }
        return try realm.write { try session.acknowledge(upTo: sequence) }
    }

    /// Deletes the objects that the consumer of a feed has acknowledged, with their embedded
    /// objects: those that `travertine sync` has copied to a server, for instance.
    ///
    /// Call it now and then in the process that writes; what is not acknowledged stays. Costs a
    /// look at each object of the queue up to the first one that stays, and a transaction.
    ///
    /// - Parameters:
    ///   - name: the feed, of objects.
    ///   - types: the stored names that the feed was made with; nil for all types.
    /// - Returns: the number of objects deleted; 0 where nothing of the feed is acknowledged yet.
    /// - Throws: `Realm.Error`, `.invalidInput` where there is no such feed, and where it has other
    ///   types.
    @discardableResult
    public func acknowledge(shownBy name: String, types: [String]? = nil) throws -> Int {
        let realm = Realm(session)
        if session.isWriting {
            return try realm.savepoint { try session.acknowledge(shownBy: name, types) }
        }
        return try realm.write { try session.acknowledge(shownBy: name, types) }
    }
}

extension Realm {
    /// The asymmetric objects that wait for their consumer.
    public var outbox: Outbox { Outbox(session: session) }

    /// Makes an asymmetric object from a dictionary by name, an array in declared order or another
    /// object, and puts it after all others; needs a write transaction.
    ///
    /// There is no handle of it: the application can't read, change or delete it. A second one with
    /// the primary key of one that is not acknowledged fails the transaction with
    /// `.duplicatePrimaryKey`.
    public func create<Model: AsymmetricObject>(
        _ type: Model.Type, value: Any = [String: Any]()
    ) {
        session.create(type, value)
    }

    /// Puts a copy of an asymmetric object after all others, throwing at once what `create` keeps
    /// for the commit; the transaction stays as it was before.
    public func insert(_ object: AsymmetricObject) throws {
        try checkedSavepoint { session.create(type(of: object), object) }
    }

    /// Makes an asymmetric object of a type by its name, from values by name, and puts it after
    /// all others; throws at once for values that don't fit.
    public func insert(asymmetric typeName: String, value: [String: Any]) throws {
        try checkedSavepoint {
            let table = session.requiredTable(typeName)
            guard table.stored.isAsymmetric else {
                throw Error(
                    .invalidInput,
                    "'\(typeName)' is not asymmetric: make its objects "
                        + (table.stored.isEmbedded
                            ? "as values of their owners."
                            : "with `realm.dynamicCreate(_:value:update:)`."),
                    fileURL: session.shared.fileURL)
            }
            try session.enqueue(try session.create(value, in: table, update: .error), in: table)
        }
    }
}

extension RealmSession {
    fileprivate func create(_ type: AsymmetricObject.Type, _ value: Any) {
        guard mayChange() else { return }
        let object = make(
            type.newInstance(), of: localized(value, for: ClassInfo.of(type)), .error)
        if failure != nil { return }
        do {
            try enqueue(object.key, in: object.table)
        } catch {
            fail(error)
        }
    }

    /// Stops when an asymmetric type is asked for its objects.
    func checkIsReadable(_ table: TableState) {
        require(
            !table.stored.isAsymmetric,
            "Asymmetric objects of type '\(table.className)' can't be queried: a consumer gets them "
                + "by `realm.outbox.read(after:limit:)`.")
    }
}
