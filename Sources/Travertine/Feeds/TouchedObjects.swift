import TravertineStore

/// Which objects may differ between two states, by type: collected from the keys that changed.
///
/// Memory is bounded: if there are more, a share of them is collected at a time, chosen by their
/// keys, and the keys are visited again for the next share.
struct TouchedObjects {
    /// So many keys are collected at a time.
    let keyCountMax: Int
    /// The keys of objects by the number of their type, in the order in which they came.
    private(set) var keys: [UInt32: [UInt64]] = [:]
    /// Whether the number of types or the schema version changed, as with a migration.
    private(set) var changesSchema = false
    /// The share that is collected, of so many.
    private var share = 0
    private(set) var shareCount = 1

    private let types: [KeyspaceID: UInt32]
    private let schemaKeyspace: KeyspaceID
    private var count = 0
    private var collectedCount = 0

    init(_ types: [FeedType], schemaKeyspace: KeyspaceID, keyCountMax: Int) {
        self.keyCountMax = keyCountMax
        self.schemaKeyspace = schemaKeyspace
        var byKeyspace: [KeyspaceID: UInt32] = [:]
        for type in types {
            byKeyspace[type.rows] = type.number
            byKeyspace[type.pieces] = type.number
        }
        self.types = byKeyspace
    }

    /// Begins a share, from 0 on.
    mutating func begin(share: Int) {
        self.share = share
        keys.removeAll(keepingCapacity: true)
        (count, collectedCount) = (0, 0)
    }

    /// Takes a key that changed.
    mutating func note(_ keyspace: KeyspaceID, _ key: UnsafeRawBufferPointer) {
        guard let type = types[keyspace], key.count >= 8 else {
            if keyspace == schemaKeyspace, key.count == 1 { changesSchema = true }
            return
        }
        let object = objectKey(in: key, at: 0)
        count += 1
        if shareCount > 1, Int(truncatingIfNeeded: Self.mixed(object) % UInt64(shareCount)) != share
        {
            return
        }
        if collectedCount >= keyCountMax, shareCount == 1 {
            // Too many: they are only counted from here on.
            keys.removeAll()
            return
        }
        collectedCount += 1
        // The pieces of an object come one after another.
        if keys[type]?.last != object { keys[type, default: []].append(object) }
    }

    /// Whether no key of an object changed.
    var isEmpty: Bool { count == 0 }

    /// Ends the first share: true if all were collected; if not, they come in shares.
    mutating func endFirst() -> Bool {
        guard count > keyCountMax else { return true }
        shareCount = count / keyCountMax + 1
        return false
    }

    private static func mixed(_ key: UInt64) -> UInt64 {
        var key = key
        key = (key ^ (key >> 31)) &* 0x9e37_79b9_7f4a_7c15
        return key ^ (key >> 29)
    }
}
