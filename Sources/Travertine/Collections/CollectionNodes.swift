import TravertineStore

/// The nodes of large collections that a write transaction has changed and not written yet.
///
/// A node is a record in the type's keyspace of pieces: key = object key (8 bytes, big-endian) ·
/// property (4) · node number (4). Changed nodes are written once, at commit, or earlier when they
/// take more than `byteCountMax`.
struct CollectionNodes {
    fileprivate struct Name: Hashable {
        var keyspace: UInt32
        var object: UInt64
        var property: UInt32
        var node: UInt32
    }

    private static let byteCountMax = 16 << 20
    /// Nil marks a deleted node.
    private var changed: [Name: [UInt8]?] = [:]
    private var byteCount = 0

    mutating func removeAll() {
        if changed.isEmpty { return }
        changed.removeAll()
        byteCount = 0
    }

    /// Forgets the nodes of one type, all of whose objects were deleted.
    mutating func removeAll(in keyspace: UInt32) {
        changed = changed.filter { $0.key.keyspace != keyspace }
        byteCount = changed.values.reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// Calls `body` with a node's bytes; `verified` for those that are about to be changed.
    func withNode<Result>(
        _ node: UInt32, of owner: CollectionOwner, _ core: RealmCore,
        verified: Bool = false, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if !changed.isEmpty, let bytes = changed[owner.name(node)] {
            return try (bytes ?? []).withUnsafeBytes(body)
        }
        let key = owner.key(node)
        let access = try core.access
        let found = try key.withBytes { (key) throws(StoreError) in
            try access.valueOrThrow(key, owner.keyspace, verified: verified)
        }
        return try body(found)
    }

    /// Takes a node's bytes out, to be changed and put back.
    mutating func take(
        _ node: UInt32, of owner: CollectionOwner, _ core: RealmCore
    ) throws -> [UInt8] {
        let name = owner.name(node)
        if let bytes = changed[name] {
            changed[name] = [UInt8]?.some([])
            byteCount -= bytes?.count ?? 0
            return bytes ?? []
        }
        return try withNode(node, of: owner, core, verified: true) { Array($0) }
    }

    mutating func put(
        _ bytes: [UInt8], _ node: UInt32, of owner: CollectionOwner, _ core: RealmCore
    ) throws {
        byteCount += bytes.count
        changed[owner.name(node)] = bytes
        if byteCount > Self.byteCountMax { try flush(core) }
    }

    mutating func delete(_ node: UInt32, of owner: CollectionOwner) {
        changed[owner.name(node)] = [UInt8]?.none
    }

    /// Writes what was changed, in key order.
    mutating func flush(_ core: RealmCore) throws {
        if changed.isEmpty { return }
        let transaction = core.requireTransaction()
        let sorted = changed.sorted {
            ($0.key.keyspace, $0.key.object, $0.key.property, $0.key.node)
                < ($1.key.keyspace, $1.key.object, $1.key.property, $1.key.node)
        }
        for (name, bytes) in sorted {
            let owner = CollectionOwner(
                keyspace: name.keyspace, object: name.object, property: name.property)
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
        core.advance()
    }
}

/// Whose nodes they are.
struct CollectionOwner {
    var keyspace: UInt32
    var object: UInt64
    var property: UInt32

    fileprivate func name(_ node: UInt32) -> CollectionNodes.Name {
        CollectionNodes.Name(keyspace: keyspace, object: object, property: property, node: node)
    }

    func key(_ node: UInt32) -> [UInt8] {
        withUnsafeBytes(of: object.bigEndian, Array.init)
            + withUnsafeBytes(of: property.bigEndian, Array.init)
            + withUnsafeBytes(of: node.bigEndian, Array.init)
    }
}

extension ReadAccess {
    /// A value that must be there.
    fileprivate func valueOrThrow(
        _ key: UnsafeRawBufferPointer, _ keyspace: UInt32, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        guard let value = try value(forKey: key, in: keyspace, verified: verified) else {
            throw StoreError(
                .damaged, "A part of a large collection is missing. Run `travertine fsck`.")
        }
        return value
    }
}
