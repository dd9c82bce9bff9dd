import TravertineStore

/// Indexes over several properties, unique ones, and those of words: entries follow the rows.
extension RealmSession {
    /// Enters a new object, or one whose old entries were taken out.
    func addIndexEntries(
        of key: UInt64, in table: ObjectTable, _ value: (Int) -> _RawValue
    ) throws {
        if table.indexes.isEmpty { return }
        try put(entries(of: key, in: table, slot: nil, value), of: key, in: table)
    }

    /// Takes an object's entries out.
    func removeIndexEntries(
        of key: UInt64, in table: ObjectTable, _ row: UnsafeRawBufferPointer
    ) throws {
        if table.indexes.isEmpty { return }
        let binding = try table.binding(of: row)
        let old = entries(of: key, in: table, slot: nil) { table.value(at: $0, in: row, binding) }
        for entry in old { try delete(entry, of: key) }
    }

    /// Moves an object's entries for another value of one property. The row is as it was before.
    func moveIndexEntries(
        of key: UInt64, in table: ObjectTable, _ row: UnsafeRawBufferPointer,
        _ binding: LayoutBinding, slot: Int, to raw: _RawValue
    ) throws {
        if table.value(at: slot, in: row, binding).isSame(as: raw) { return }
        let old = entries(of: key, in: table, slot: slot) {
            table.value(at: $0, in: row, binding)
        }
        let new = entries(of: key, in: table, slot: slot) {
            $0 == slot ? raw : table.value(at: $0, in: row, binding)
        }
        for entry in old where !new.contains(where: { $0.isSame(as: entry) }) {
            try delete(entry, of: key)
        }
        // A unique entry that stays as it is may stand for another value, of which it has a part.
        let changed = new.filter { entry in
            entry.uniqueness != .none || !old.contains { $0.isSame(as: entry) }
        }
        try put(changed, of: key, in: table)
    }

    /// The entries of an object, of the indexes with one property or of all.
    private func entries(
        of key: UInt64, in table: ObjectTable, slot: Int?, _ value: (Int) -> _RawValue
    ) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        for index in table.indexes {
            if let slot, !index.slots.contains(slot) { continue }
            index.addEntries(of: key, to: &entries, value)
        }
        return entries
    }

    private func put(_ entries: [IndexEntry], of key: UInt64, in table: ObjectTable) throws {
        let transaction = requireTransaction()
        for entry in entries {
            if entry.uniqueness != .none,
                let index = table.indexes.first(where: { $0.keyspace == entry.keyspace })
            {
                try putUnique(entry, of: key, index, in: table)
                continue
            }
            try entry.key.withBytes { (bytes) throws(StoreError) in
                try transaction.indexEnter(bytes, value: entry.value, in: entry.keyspace)
            }
        }
    }
}
