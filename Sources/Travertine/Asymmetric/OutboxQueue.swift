import TravertineStore

/// The records of the outbox: the asymmetric objects that are not acknowledged, in the order in
/// which they were made (O24).
///
/// Invariants: the queue's greatest number is below the next one; a number is given to one object
/// only, also after it was acknowledged, because acknowledging stores the next number.
struct OutboxQueue {
    /// The name of the keyspace.
    static let keyspaceName = "travertine.ingest"
    /// The key under which the next number is stored; no object has the number 0.
    static let floorKey: UInt64 = 0

    let session: RealmSession
    let keyspace: KeyspaceID

    /// The queue as the realm shows it; nil if its store never had an asymmetric type.
    init?(_ session: RealmSession) throws {
        let keyspace =
            if let transaction = session.transaction {
                transaction.knownKeyspace(named: Self.keyspaceName)
            } else {
                try session.shared.store.keyspace(named: Self.keyspaceName)
            }
        guard let keyspace else { return nil }
        self.session = session
        self.keyspace = keyspace.identifier
    }

    /// What is stored under a number: the object's type and key.
    struct Item {
        var sequence: UInt64
        var type: UInt32
        var key: UInt64
    }

    /// The items with greater numbers than `start`, at most `limit`, in order.
    ///
    /// - Throws: `Realm.Error` with `.invalidDatabase` for a record of another size.
    func items(after start: UInt64, through end: UInt64 = .max, limit: Int) throws -> [Item] {
        var found: [Item] = []
        guard limit > 0, start < end else { return [] }
        var cursor = try session.access.cursor(in: keyspace)
        var isValid = try withObjectKey(start + 1) { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid, found.count < limit {
            let sequence = cursor.withKey { $0.count == 8 ? objectKey(in: $0) : 0 }
            if sequence > end { break }
            let value = try cursor.value(verified: true)
            guard sequence > 0, value.count == 12 else { throw Self.damage(session) }
            found.append(
                Item(
                    sequence: sequence,
                    type: UInt32(littleEndian: value.loadUnaligned(as: UInt32.self)),
                    key: UInt64(
                        littleEndian: value.loadUnaligned(fromByteOffset: 4, as: UInt64.self))))
            isValid = try cursor.next()
        }
        return found
    }

    /// The LSN of the transaction that added an object; nil where it is not known.
    func lsn(of sequence: UInt64) throws -> UInt64? {
        let access = try session.access
        return try withObjectKey(sequence) { (key) throws(StoreError) in
            try access.originalLSN(forKey: key, in: keyspace)
        }
    }

    /// The number that the next object gets.
    func nextSequence() throws -> UInt64 {
        let access = try session.access
        var next: UInt64 = 1
        let floor = try withObjectKey(Self.floorKey) { (key) throws(StoreError) in
            try access.value(forKey: key, in: keyspace, verified: true)
        }
        if let floor {
            guard floor.count == 8 else { throw Self.damage(session) }
            next = max(1, UInt64(littleEndian: floor.loadUnaligned(as: UInt64.self)))
        }
        var cursor = access.cursor(in: keyspace)
        if try cursor.seekToLast() {
            let last = cursor.withKey { objectKey(in: $0) }
            guard last < .max else { throw Self.damage(session) }
            next = max(next, last + 1)
        }
        return next
    }

    /// Adds an object after all others.
    func append(_ key: UInt64, of type: UInt32, _ sequence: UInt64) throws {
        let value =
            withUnsafeBytes(of: type.littleEndian, Array.init)
            + withUnsafeBytes(of: key.littleEndian, Array.init)
        try put(value, sequence)
    }

    /// Stores the next number, for when the greatest one is removed.
    func storeNextNumber(_ next: UInt64) throws {
        try put(withUnsafeBytes(of: next.littleEndian, Array.init), Self.floorKey)
    }

    private func put(_ value: [UInt8], _ number: UInt64) throws {
        let transaction = session.requireTransaction()
        session.noteAnything()
        try withObjectKey(number) { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: keyspace)
            }
        }
    }

    /// Removes an object.
    func remove(_ sequence: UInt64) throws {
        let transaction = session.requireTransaction()
        session.noteAnything()
        _ = try withObjectKey(sequence) { (key) throws(StoreError) in
            try transaction.delete(rawKey: key, in: keyspace)
        }
    }

    private static func damage(_ session: RealmSession) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The queue of asymmetric objects contradicts its format. Run `travertine fsck` on the "
                + "directory.", fileURL: session.shared.fileURL)
    }
}

extension RealmSession {
    /// Gives an asymmetric object that was just stored its number.
    func enqueue(_ key: UInt64, in table: TableState) throws {
        guard let queue = try OutboxQueue(self) else { throw Realm.Error.damagedSchema }
        let sequence = try scope.nextOutboxNumber ?? queue.nextSequence()
        if scope.firstOutboxNumber == nil { scope.firstOutboxNumber = sequence }
        let (next, overflows) = sequence.addingReportingOverflow(1)
        guard !overflows else { throw Realm.Error.damagedSchema }
        try queue.append(key, of: table.stored.number, sequence)
        scope.nextOutboxNumber = next
    }

    /// Deletes the asymmetric objects up to a number, with what belongs to them.
    ///
    /// - Returns: how many there were.
    func acknowledge(upTo sequence: UInt64) throws -> Int {
        guard let queue = try OutboxQueue(self) else { return 0 }
        return try remove(try queue.items(after: 0, through: sequence, limit: .max), from: queue)
    }

    /// Deletes those that the consumer of a feed has acknowledged, up to the first one that it has
    /// not; of the types that it follows.
    func acknowledge(shownBy name: String, _ types: [String]?) throws -> Int {
        guard try shared.store.hasFeed(named: name) else {
            throw Realm.Error(
                .invalidInput,
                "There is no feed \(name), so nobody has acknowledged anything by it. Its consumer "
                    + "makes it; `Realm.feed(named:)` does.",
                fileURL: shared.fileURL)
        }
        guard let queue = try OutboxQueue(self),
            let (lsn, scope) = try shared.store.acknowledged(ofFeed: name)
        else { return 0 }
        guard scope == ObjectFeed.scope(of: types) else {
            throw Realm.Error(
                .invalidInput,
                "The feed \(name) does not follow these types. Name the ones that it was made with; "
                    + "none stands for all.",
                fileURL: shared.fileURL)
        }
        let names = types.map { Set($0) }
        var items: [OutboxQueue.Item] = []
        // Of each type, when the last one was added.
        var newest: [UInt32: UInt64] = [:]
        var last: UInt64 = 0
        reading: while case let found = try queue.items(after: last, limit: 1000), !found.isEmpty {
            for item in found {
                guard let written = try queue.lsn(of: item.sequence), written <= lsn else {
                    break reading
                }
                last = item.sequence
                let type = table(number: item.type)?.stored.name
                guard names.map({ $0.contains(type ?? "") }) ?? true else { continue }
                items.append(item)
                newest[item.type] = max(newest[item.type] ?? 0, written)
            }
        }
        for (type, lsn) in newest { try DeliveredObjects.note(lsn, ofType: type, self) }
        return try remove(items, from: queue)
    }

    private func remove(_ items: [OutboxQueue.Item], from queue: OutboxQueue) throws -> Int {
        if items.isEmpty { return 0 }
        try queue.storeNextNumber(try scope.nextOutboxNumber ?? queue.nextSequence())
        for item in items {
            try queue.remove(item.sequence)
            if let table = table(number: item.type) { try delete(key: item.key, in: table) }
        }
        return items.count
    }
}
