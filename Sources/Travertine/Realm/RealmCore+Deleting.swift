import TravertineStore

/// Deleting objects, and what is derived from them.
extension RealmCore {
    /// Deletes an object; links to it become nil, and it leaves the lists it is in.
    func delete(_ object: ObjectBase) {
        _ = requireTransaction()
        if failure != nil { return }
        precondition(
            object.core === self,
            "Can only delete an object from the Realm it belongs to: look it up in this Realm.")
        do {
            guard lookUp(object) != .missing else { stopForDeleted(object) }
            let rest = try deleteOne(object.key, in: object.table)
            if !rest.isEmpty || !orphans.isEmpty { try deletePending(rest) }
        } catch {
            fail(error)
        }
    }

    /// Deletes an object, those that it cascades to, and the embedded ones that lose their owner.
    func delete(key: UInt64, in table: ObjectTable) throws {
        try deletePending([(table, key)])
    }

    /// Deletes objects and whatever goes with them, however long the chain is; embedded objects that
    /// lost their owner come first.
    func deletePending(_ first: [(table: ObjectTable, key: UInt64)]) throws {
        var pending = first
        while true {
            if let orphan = orphans.popLast() {
                guard let table = orphan.table(self),
                    try hasRow(orphan.key, in: table), try !hasOwner(orphan.key, in: table)
                else { continue }
                pending += try deleteOne(orphan.key, in: table)
            } else if let next = pending.popLast() {
                if try hasRow(next.key, in: next.table) {
                    pending += try deleteOne(next.key, in: next.table)
                }
            } else {
                return
            }
        }
    }

    private func hasRow(_ key: UInt64, in table: ObjectTable) throws -> Bool {
        try access.value(forKey: key, in: table.stored.rows) != nil
    }

    /// Deletes an object alone.
    ///
    /// - Returns: the objects that are to be deleted with it, the first one last.
    private func deleteOne(
        _ key: UInt64, in table: ObjectTable
    ) throws -> [(table: ObjectTable, key: UInt64)] {
        let transaction = requireTransaction()
        let cascade = try cascade(of: key, in: table)
        try keepFloor(of: table)
        try removeLinks(to: key, in: table, transaction)
        try removeDerived(of: key, table, transaction, keepingPrimaryKey: false)
        try forgetUnresolvedLinks(from: table.stored.name, key: key)
        _ = try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.delete(rawKey: rowKey, in: table.stored.rows)
        }
        advance()
        return cascade.reversed()
    }

    /// Lets the commit write down which key is next, so that no deleted object's key comes again.
    private func keepFloor(of table: ObjectTable) throws {
        guard table.stored.keyKind == .assigned else { return }
        if shared.nextKeys[table.stored.number] == nil {
            let next = try nextKey(table)
            shared.nextKeys[table.stored.number] = next
        }
        table.needsFloor = true
    }

    /// Removes what is derived from an object's row, and the pieces of its collections.
    ///
    /// - Parameter hiddenSlots: what is replaced of the properties that the class leaves out.
    func removeDerived(
        of key: UInt64, _ table: ObjectTable, _ transaction: WriteTransaction,
        keepingPrimaryKey: Bool, replacing hiddenSlots: [Int] = []
    ) throws {
        if !table.indexes.isEmpty,
            let row = try transaction.access.value(forKey: key, in: table.stored.rows)
        {
            try removeIndexEntries(of: key, in: table, row)
        }
        let slots = table.followedSlots.filter { slot in
            // What the class leaves out keeps its values when an object is replaced.
            !keepingPrimaryKey || slot < table.visibleCount || hiddenSlots.contains(slot)
        }
        try withCopyOfRow(key, in: table, transaction) { row in
            for slot in slots {
                try removeDerived(
                    of: key, table, slot, row, transaction, keepingPrimaryKey: keepingPrimaryKey)
            }
        }
    }

    /// Removes what is derived from one property, or the pieces of a collection.
    private func removeDerived(
        of key: UInt64, _ table: ObjectTable, _ slot: Int, _ row: UnsafeRawBufferPointer,
        _ transaction: WriteTransaction, keepingPrimaryKey: Bool
    ) throws {
        let property = table.properties[slot]
        if property.type == .any, !keepingPrimaryKey {
            nodes.deleteNumbering(of: CollectionStorage(self, table, key, slot).owner)
        }
        if property.collection != .none {
            try CollectionStorage(self, table, key, slot).removeAll(updatingRow: false)
            return
        }
        let value = table.value(at: slot, in: row, try table.binding(of: row))
        if property.isPrimaryKey, !keepingPrimaryKey {
            try enterPrimaryKey(
                value, property.type, key: key, table, transaction, deleting: true)
        }
        try moveDerived(of: key, property, from: value, to: nil, transaction, in: table)
    }

    /// Calls `body` with a copy of a row: the row itself is where it is until the next change only.
    /// Does nothing if there is none.
    private func withCopyOfRow(
        _ key: UInt64, in table: ObjectTable, _ transaction: WriteTransaction,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let row = try transaction.access.value(forKey: key, in: table.stored.rows) else {
            return
        }
        try withUnsafeTemporaryAllocation(byteCount: row.count, alignment: 8) { copy in
            copy.copyMemory(from: row)
            try body(UnsafeRawBufferPointer(copy))
        }
    }

    /// Takes an object out of every property that links to it.
    private func removeLinks(
        to target: UInt64, in table: ObjectTable, _ transaction: WriteTransaction
    ) throws {
        for (sourceType, number) in linkingProperties(to: table.stored.name) {
            guard let source = self.table(number: sourceType),
                let slot = source.slot(ofProperty: number)
            else { continue }
            let property = source.properties[slot]
            for (sourceKey, _) in try backlinks(to: target, in: table, property) {
                noteNil(property, ofKey: sourceKey, in: source)
                let place = CollectionStorage(self, source, sourceKey, slot)
                if property.collection == .none, property.type == .any {
                    try removeMixedLink(to: target, in: table, at: place)
                } else if property.collection == .none {
                    try changeBacklink(property, target, sourceKey, by: -1, transaction)
                    try replace(.null, at: slot, ofKey: sourceKey, in: source)
                } else {
                    try place.removeAll(linksTo: LinkTargets(target, of: table))
                }
            }
        }
    }

    /// Makes a value of any type forget an object that is about to be deleted.
    private func removeMixedLink(
        to target: UInt64, in table: ObjectTable, at place: CollectionStorage
    ) throws {
        let source = place.table
        guard let row = try access.value(forKey: place.key, in: source.stored.rows),
            case .bytes(let bytes) = source.value(
                at: place.slot, in: row, try source.binding(of: row))
        else { return }
        let value = Array(bytes)
        let isLink = try value.withUnsafeBytes {
            try place.forget(LinkTargets(target, of: table), in: $0)
        }
        guard isLink else { return }
        let none = _RawValue.bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        if source.isInIndexes[place.slot],
            let row = try access.value(forKey: place.key, in: source.stored.rows)
        {
            try moveIndexEntries(
                of: place.key, in: source, row, try source.binding(of: row), slot: place.slot,
                to: none)
        }
        try value.withUnsafeBytes {
            try moveDerived(
                of: place.key, place.property, from: .bytes($0), to: none, requireTransaction(),
                in: source)
        }
        try replace(none, at: place.slot, ofKey: place.key, in: source)
    }

    /// The keys of the objects that link to an object by one property, and how often each does.
    func backlinks(
        to target: UInt64, in table: ObjectTable, _ property: StoredProperty
    ) throws -> [(source: UInt64, count: Int)] {
        var keys: [(source: UInt64, count: Int)] = []
        if property.backlinks == 0 { return keys }
        var prefix = IndexKey()
        prefix.set(
            backlinkTo: target, ofType: property.type == .any ? table.stored.number : nil)
        var cursor = try access.cursor(in: property.backlinks)
        var isValid = try prefix.withBytes { (prefix) throws(StoreError) in
            try cursor.seek(atOrAfter: prefix)
        }
        while isValid {
            let source = cursor.withKey { key in
                prefix.withBytes { key.begins(with: $0) ? objectKey(in: key, at: $0.count) : nil }
            }
            guard let source else { break }
            keys.append((source, Int(clamping: cursor.indexValue)))
            isValid = try cursor.next()
        }
        return keys
    }

    /// Deletes every object of every table whose class the realm has, except asymmetric ones.
    /// Embedded objects go with their owners, so that those of asymmetric objects stay. Links to what
    /// is deleted as well deny nothing.
    func deleteAll() {
        _ = requireTransaction()
        if failure != nil { return }
        let classes = openedClasses.filter {
            !$0.isEmbedded && !$0.isAsymmetric
        }
        var tables = classes.map { table(of: $0.type) }
        for schema in configuration.objectSchemas
        where schema.isWithoutClass && !schema.isEmbedded && !schema.isAsymmetric {
            if let table = table(named: schema.objectTypeName) { tables.append(table) }
        }
        tables.sort { $0.stored.name < $1.stored.name }
        emptiedTypes = Set(tables.map(\.stored.number))
        defer { emptiedTypes = [] }
        do {
            for table in tables { try deleteAll(in: table) }
        } catch {
            fail(error)
        }
    }

    /// Deletes every object of a table.
    func deleteAll(in table: ObjectTable) throws {
        let transaction = requireTransaction()
        let isLinked = linkingProperties(to: table.stored.name).contains {
            $0.type != table.stored.number
        }
        let links = table.properties.contains { $0.backlinks != 0 }
        if isLinked || links {
            var keys: [UInt64] = []
            try scan(table) { key, _ in
                keys.append(key)
                return true
            }
            try unlinkFromCollections(keys, of: table)
            for key in keys where try access.value(forKey: key, in: table.stored.rows) != nil {
                try delete(key: key, in: table)
            }
            return
        }
        try keepFloor(of: table)
        try forgetUnresolvedLinks(from: table.stored.name)
        nodes.removeAll(in: table.stored.pieces)
        for keyspace in [table.stored.rows, table.stored.pieces] where keyspace != 0 {
            _ = try transaction.deleteAll(in: Keyspace(id: keyspace, name: "", kind: .records))
        }
        for keyspace in table.stored.derivedKeyspaces { try transaction.indexReset(keyspace) }
        advance()
    }
}
