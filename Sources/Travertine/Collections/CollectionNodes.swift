import TravertineStore

/// The nodes of large collections that a write transaction has changed and not written yet.
///
/// A node is a record in the type's keyspace of pieces: key = object key (8 bytes, big-endian) ·
/// property (4) · node number (4); for a collection inside a value of any type, its number (4) is
/// before that of the node. Changed nodes are written once, at commit, or earlier when they
/// take more than `byteCountMax`.
struct CollectionNodes {
    struct Name: Hashable {
        var keyspace: KeyspaceID
        var object: UInt64
        var property: UInt32
        var nested: UInt32
        var node: UInt32

        var sortKey: (KeyspaceID, UInt64, UInt32, UInt32, UInt32) {
            (keyspace, object, property, nested, node)
        }
    }

    /// The number of no nested collection: under it is the number of the next one.
    static let numbering: UInt32 = .max
    private static let byteCountMax = 16 << 20
    /// Nil marks a deleted node.
    private var changed: [Name: [UInt8]?] = [:]
    private var byteCount = 0

    /// How many nodes wait to be written, and their bytes.
    var waiting: (count: Int, byteCount: Int) { (changed.count, byteCount) }

    mutating func removeAll() {
        if changed.isEmpty { return }
        changed.removeAll()
        byteCount = 0
    }

    /// Forgets the nodes of one type, all of whose objects were deleted.
    mutating func removeAll(in keyspace: KeyspaceID) {
        changed = changed.filter { $0.key.keyspace != keyspace }
        byteCount = changed.values.reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// Calls `body` with a node's bytes; `verified` for those that are about to be changed.
    func withNode<Result>(
        _ node: UInt32, of owner: CollectionOwner, _ session: RealmSession,
        verified: Bool = false, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        session.noteVisit(.node)
        if !changed.isEmpty, let bytes = changed[owner.name(node)] {
            return try (bytes ?? []).withUnsafeBytes(body)
        }
        let key = owner.key(node)
        let access = try session.access
        let found = try key.withBytes { (key) throws(StoreError) in
            try access.valueOrThrow(key, owner.keyspace, verified: verified)
        }
        return try body(found)
    }

    /// Whether there is a node.
    func contains(_ node: UInt32, of owner: CollectionOwner, _ session: RealmSession) throws -> Bool
    {
        if !changed.isEmpty, let bytes = changed[owner.name(node)] { return bytes != nil }
        let access = try session.access
        return try owner.key(node).withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: owner.keyspace) != nil
        }
    }

    /// A number for a collection inside a value of any type.
    mutating func takeNumber(for owner: CollectionOwner, _ session: RealmSession) throws -> UInt32 {
        let record = owner.numbering
        var next: UInt32 = 1
        if try contains(0, of: record, session) {
            next = try withNode(0, of: record, session, verified: true) {
                $0.count == 4 ? UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) : 0
            }
        }
        guard 1..<Self.numbering - 1 ~= next else {
            throw StoreError(
                .damaged, "The numbering of nested collections is damaged. Run `travertine fsck`.")
        }
        try put(withUnsafeBytes(of: (next + 1).littleEndian, Array.init), 0, of: record, session)
        return next
    }

    /// Deletes the numbering of a property whose object is about to be deleted.
    mutating func deleteNumbering(of owner: CollectionOwner) { delete(0, of: owner.numbering) }

    /// Takes a node's bytes out, to be changed and put back.
    mutating func take(
        _ node: UInt32, of owner: CollectionOwner, _ session: RealmSession
    ) throws -> [UInt8] {
        let name = owner.name(node)
        if let bytes = changed[name] {
            changed[name] = [UInt8]?.some([])
            byteCount -= bytes?.count ?? 0
            return bytes ?? []
        }
        return try withNode(node, of: owner, session, verified: true) { Array($0) }
    }

    mutating func put(
        _ bytes: [UInt8], _ node: UInt32, of owner: CollectionOwner, _ session: RealmSession
    ) throws {
        byteCount += bytes.count
        if let before = changed.updateValue(bytes, forKey: owner.name(node)) {
            byteCount -= before?.count ?? 0
        }
        if byteCount > Self.byteCountMax { try flush(session) }
    }

    mutating func delete(_ node: UInt32, of owner: CollectionOwner) {
        if let before = changed.updateValue(nil, forKey: owner.name(node)) {
            byteCount -= before?.count ?? 0
        }
    }

    /// Writes what was changed, in key order.
    mutating func flush(_ session: RealmSession) throws {
        if changed.isEmpty { return }
        let transaction = session.requireOpenTransaction().takeUnretainedValue()
        let sorted = changed.sorted {
            $0.key.sortKey < $1.key.sortKey
        }
        for (name, bytes) in sorted {
            let owner = CollectionOwner(
                keyspace: name.keyspace, object: name.object, property: name.property,
                nested: name.nested)
            try owner.key(name.node).withBytes { (key) throws(StoreError) in
                guard let bytes else {
                    _ = try transaction.delete(rawKey: key, in: name.keyspace)
                    return
                }
                try bytes.withBytes { (value) throws(StoreError) in
                    try transaction.put(rawKey: key, rawValue: value, in: name.keyspace)
                }
            }
        }
        removeAll()
        session.advance()
    }
}

extension ReadAccess {
    /// A value that must be there.
    fileprivate func valueOrThrow(
        _ key: UnsafeRawBufferPointer, _ keyspace: KeyspaceID, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        guard let value = try value(forKey: key, in: keyspace, verified: verified) else {
            throw StoreError(
                .damaged, "A part of a large collection is missing. Run `travertine fsck`.")
        }
        return value
    }
}
