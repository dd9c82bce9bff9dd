import TravertineStore

/// Which objects may differ between two states, by type: collected from the keys that changed.
///
/// Memory is bounded: if there are too many, a share of them is collected at a time, chosen by
/// their keys, and the keys are visited again for the next share. The first visit doubles the
/// number of shares, and keeps the first one, as often as it must.
struct TouchedObjects {
    /// About so many keys are collected at a time.
    let keyCountMax: Int
    /// The keys of objects by the number of their type, some of them more than once.
    private(set) var keys: [UInt32: [UInt64]] = [:]
    /// Whether the number of types or the schema version changed, as with a migration.
    private(set) var changesSchema = false
    /// The share that is collected, of so many.
    private var share = 0
    private(set) var shareCount = 1

    private let types: [KeyspaceID: UInt32]
    private let schemaKeyspace: KeyspaceID
    /// Whether no key of an object changed, of any share.
    private(set) var isEmpty = true
    private var collectedCount = 0
    /// So many are collected before room is made.
    private var limit: Int

    init(_ types: [FeedType], schemaKeyspace: KeyspaceID, keyCountMax: Int) {
        self.keyCountMax = keyCountMax
        limit = keyCountMax
        self.schemaKeyspace = schemaKeyspace
        var byKeyspace: [KeyspaceID: UInt32] = [:]
        for type in types {
            byKeyspace[type.rows] = type.number
            byKeyspace[type.pieces] = type.number
        }
        self.types = byKeyspace
    }

    /// Begins a share after the first one, 0, which the first visit collects.
    mutating func begin(share: Int) {
        self.share = share
        keys.removeAll(keepingCapacity: true)
        collectedCount = 0
        isEmpty = true
    }

    /// Takes a key that changed.
    mutating func note(_ keyspace: KeyspaceID, _ key: UnsafeRawBufferPointer) {
        guard let type = types[keyspace], key.count >= 8 else {
            if keyspace == schemaKeyspace, key.count == 1 { changesSchema = true }
            return
        }
        let object = objectKey(in: key, at: 0)
        isEmpty = false
        // The pieces of an object come one after another.
        guard isOfShare(object), keys[type]?.last != object else { return }
        keys[type, default: []].append(object)
        collectedCount += 1
        if collectedCount > limit { makeRoom() }
    }

    /// Removes repeated keys; if it is the first share, and more than half of the room is still
    /// taken, what is not of a share half as large.
    private mutating func makeRoom() {
        removeRepeated()
        while share == 0, collectedCount > max(1, keyCountMax / 2), shareCount < 1 << 20 {
            shareCount *= 2
            keys = keys.mapValues { keys in keys.filter { isOfShare($0) } }
            collectedCount = keys.values.reduce(0) { $0 + $1.count }
        }
        limit = max(keyCountMax, collectedCount * 2)
    }

    private mutating func removeRepeated() {
        for type in Array(keys.keys) {
            keys[type]?.sort()
            var last: UInt64?
            keys[type]?.removeAll { key in
                defer { last = key }
                return key == last
            }
        }
        collectedCount = keys.values.reduce(0) { $0 + $1.count }
    }

    private func isOfShare(_ object: UInt64) -> Bool {
        shareCount == 1
            || Int(truncatingIfNeeded: Self.mixed(object) % UInt64(shareCount)) == share
    }

    private static func mixed(_ key: UInt64) -> UInt64 {
        var key = key
        key = (key ^ (key >> 31)) &* 0x9e37_79b9_7f4a_7c15
        return key ^ (key >> 29)
    }
}
