import TravertineStore

/// Two versions of a store that are compared, with the stored types of each.
struct VersionComparison {
    let older: Snapshot
    let newer: Snapshot
    let oldTypes: StoredTypes
    let newTypes: StoredTypes
    let schemaKeyspace: KeyspaceID

    /// The changes of a type's objects, without those through embedded objects.
    func changes(ofType number: UInt32) throws -> ObjectChanges.OfType {
        guard let new = newTypes[number] ?? oldTypes[number] else { return .init() }
        let old = oldTypes[number] ?? new
        var changes = try rowChanges(of: old, new)
        let pieces = try pieceChanges(in: new.stored.pieces)
        if !pieces.isEmpty { changes.add(pieces) }
        return changes
    }

    private func rowChanges(
        of old: TypeDescription, _ new: TypeDescription
    ) throws -> ObjectChanges.OfType {
        var changes = ObjectChanges.OfType()
        let rows = new.stored.rows
        if newer.shares(rows, with: older) { return changes }
        var comparison = RowComparison(
            RowComparison.Side(type: old, access: older.access, schemaKeyspace: schemaKeyspace),
            RowComparison.Side(type: new, access: newer.access, schemaKeyspace: schemaKeyspace))
        let difference = try KeyspaceDifference(from: older, to: newer, in: rows)
        while try difference.next() {
            let key = try objectKey(of: difference, byteCount: 8, new)
            if difference.oldNumber == nil {
                changes.inserted.append(key)
            } else if difference.newNumber == nil {
                changes.deleted.append(key)
            } else {
                let changed = try difference.withOldValue { old in
                    try difference.withNewValue { new in
                        try comparison.changedProperties(from: old, to: new)
                    }
                }
                if case let changed?? = changed, !changed.isEmpty {
                    changes.modified.append(.init(key: key, properties: changed))
                }
            }
        }
        return changes
    }

    /// The objects and properties of which a node of a collection changed, in order.
    private func pieceChanges(in keyspace: KeyspaceID) throws -> [ObjectChanges.Modified] {
        if newer.shares(keyspace, with: older) { return [] }
        var found: [ObjectChanges.Modified] = []
        let difference = try KeyspaceDifference(from: older, to: newer, in: keyspace)
        while try difference.next() {
            let bytes = difference.key
            guard bytes.count == 16 || bytes.count == 20 else { continue }
            let words = (
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            )
            // The number of the next nested collection says nothing.
            if bytes.count == 20 && words.1 == .max { continue }
            let key = Travertine.objectKey(in: bytes)
            if found.last?.key != key { found.append(.init(key: key, properties: .init())) }
            found[found.count - 1].properties.insert(words.0)
        }
        return found
    }

    private func objectKey(
        of difference: KeyspaceDifference, byteCount: Int, _ type: TypeDescription
    ) throws -> UInt64 {
        guard difference.key.count == byteCount else {
            throw Realm.Error(
                .invalidDatabase,
                "A key of the rows of \(type.stored.name) is no object key. Run `travertine fsck` "
                    + "on the directory.")
        }
        return Travertine.objectKey(in: difference.key)
    }
}

extension ObjectChanges.OfType {
    /// Adds changes of objects that both versions have; those of others are part of their insertion
    /// or deletion. Both are in order.
    mutating func add(_ changes: [ObjectChanges.Modified]) {
        var merged: [ObjectChanges.Modified] = []
        merged.reserveCapacity(modified.count + changes.count)
        var place = 0
        for change in changes where !inserted.has(change.key) && !deleted.has(change.key) {
            while place < modified.count, modified[place].key < change.key {
                merged.append(modified[place])
                place += 1
            }
            var change = change
            if place < modified.count, modified[place].key == change.key {
                change.properties.formUnion(modified[place].properties)
                change.owned.formUnion(modified[place].owned)
                place += 1
            }
            merged.append(change)
        }
        modified = merged + modified[place...]
    }
}

extension [UInt64] {
    /// Whether the number is among these, which ascend.
    fileprivate func has(_ number: UInt64) -> Bool {
        var range = 0..<count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if self[middle] == number { return true }
            range =
                self[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }
}
