import TravertineStore

/// Applying changes of derived keyspaces: the entries that a list has, and their effects on what a
/// transaction checks and deletes.
extension RealmSession {
    /// Calls `body` with an empty list of entries; applying one list may need another.
    @inline(__always)
    func withEntries(_ body: (DerivedEntries) throws -> Void) rethrows {
        // The session keeps the list.
        try Unmanaged.passUnretained(buffers.derivedEntries)._withUnsafeGuaranteedRef { entries in
            if entries.isInUse { return try body(DerivedEntries()) }
            entries.isInUse = true
            defer {
                entries.removeAll()
                entries.isInUse = false
            }
            try body(entries)
        }
    }

    /// Changes derived keyspaces as a list says, after the row of the object was stored or removed.
    @inline(__always)
    func apply(
        _ entries: DerivedEntries, of object: UInt64, in table: TableState,
        _ transaction: WriteTransaction
    ) throws {
        if entries.isEmpty { return }
        counts.changeCount &+= 1
        if entries.hasLinks { counts.linkChangeCount &+= 1 }
        for position in 0..<entries.count {
            let entry = entries[position]
            let key = entries.key(of: entry)
            if entry.isUnique {
                try applyUnique(entry, key, of: object, in: table)
                continue
            }
            switch entry.change {
            case .enter:
                try transaction.indexEnter(key, value: entry.value, in: entry.keyspace)
            case .remove:
                _ = try transaction.indexDelete(key, in: entry.keyspace)
            case .countUp:
                try transaction.indexAdd(1, toNumberOf: key, in: entry.keyspace)
            case .countDown:
                try transaction.indexAdd(-1, toNumberOf: key, in: entry.keyspace)
                noteOrphan(entry, key, in: table)
            case .enterPlace, .removePlace:
                try applyPlace(entry, PlaceLink(entryKey: key), of: object, in: table)
            case .addBits:
                try transaction.indexAddBits(entry.value, toNumberOf: key, in: entry.keyspace)
            case .setPosting: try addPosting(key, count: entry.value, in: entry.keyspace)
            }
        }
    }

    /// Notes an embedded object that lost an owner.
    @inline(__always)
    private func noteOrphan(
        _ entry: DerivedEntries.Entry, _ key: UnsafeRawBufferPointer, in table: TableState
    ) {
        guard case .slot(let slot) = entry.origin, table.traits(at: slot).isOwning else { return }
        unstored.orphans.append(
            Orphan(
                table.properties[slot].target, entry.target(in: key),
                type: entry.targetType(in: key)))
    }

    @inline(never)
    private func applyUnique(
        _ entry: DerivedEntries.Entry, _ key: UnsafeRawBufferPointer, of object: UInt64,
        in table: TableState
    ) throws {
        guard case .index(let position) = entry.origin else { return }
        let index = table.rules.indexes[position]
        switch entry.change {
        case .remove: try removeUnique(entry, Array(key), of: object)
        default: try enterUnique(entry, Array(key), of: object, index, in: table)
        }
    }
}
