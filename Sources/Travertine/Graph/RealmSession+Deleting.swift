import TravertineStore

/// Deleting objects, and what is derived from them.
extension RealmSession {
    /// Deletes an object; links to it become nil, and it leaves the lists it is in.
    func delete(_ object: ObjectBase) {
        guard mayChange() else { return }
        require(
            object.session === self,
            "Can only delete an object from the Realm it belongs to: look it up in this Realm.")
        do {
            let isKnown = object.rowGeneration == generation.pointee.number
            guard isKnown || lookUp(object) != .missing else { stopForDeleted(object) }
            askForEntries(of: object)
            let rest = try deleteOne(object.key, in: object.table)
            if !rest.isEmpty || !unstored.orphans.isEmpty { try deletePending(rest) }
        } catch {
            fail(error)
        }
    }

    /// Asks for the leaves of all entries that go with an object, so that the waits for them, each in a
    /// tree and at a place of its own, overlap.
    private func askForEntries(of object: ObjectBase) {
        guard object.rowGeneration == generation.pointee.number, object._row != nil else { return }
        let (key, table) = (object.key, object.table)
        let row = UnsafeRawBufferPointer(start: object._row, count: object._rowByteCount)
        let transaction = requireTransactionReference()
        // Damage is met, and told, by what follows.
        guard let binding = try? table.binding(of: row) else { return }
        for source in linkSources(to: table) where !source.isAny {
            withObjectKey(key) { entry in
                transaction._withUnsafeGuaranteedRef { $0.ask(forKey: entry, in: source.backlinks) }
            }
        }
        for slot in table.followedSlots {
            let traits = table.traits[slot]
            guard !traits.isCollection, traits.index != 0 || traits.backlinks != 0 else { continue }
            let value = table.value(at: slot, in: row, binding)
            if traits.index != 0 {
                scratchKey.set(value, type: traits.type)
                scratchKey.append(key)
                scratchKey.withBytes { entry in
                    transaction._withUnsafeGuaranteedRef { $0.ask(forKey: entry, in: traits.index) }
                }
            }
            if traits.backlinks != 0, case .word(let target) = value {
                withBacklinkKey(UInt64(bitPattern: target), key) { entry in
                    transaction._withUnsafeGuaranteedRef {
                        $0.ask(forKey: entry, in: traits.backlinks)
                    }
                }
            }
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
            if let orphan = unstored.orphans.popLast() {
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
        membershipCount &+= 1
        advance()
        return cascade.reversed()
    }

    /// Lets the commit write down which key is next, so that no deleted object's key comes again.
    func keepFloor(of table: ObjectTable) throws {
        guard table.stored.keyKind == .assigned else { return }
        if shared.nextKeys[table.stored.number] == nil {
            let next = try nextKey(table)
            shared.nextKeys[table.stored.number] = next
        }
        table.mustStoreNextKey = true
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
        try withCopyOfRow(key, in: table, transaction) { row in
            for slot in table.followedSlots {
                // What the class leaves out keeps its values when an object is replaced.
                if keepingPrimaryKey, slot >= table.visibleCount, !hiddenSlots.contains(slot) {
                    continue
                }
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
        let traits = table.traits[slot]
        if traits.type == .any, !keepingPrimaryKey {
            unstored.nodes.deleteNumbering(of: CollectionStorage(self, table, key, slot).owner)
        }
        if traits.isCollection {
            try CollectionStorage(self, table, key, slot).removeAll(updatingRow: false)
            return
        }
        let value = table.value(at: slot, in: row, try table.binding(of: row))
        if traits.isPrimaryKey, !keepingPrimaryKey {
            try enterPrimaryKey(
                value, traits.type, key: key, table, transaction, deleting: true)
        }
        if traits.type == .any || traits.isOwning {
            return try moveDerived(
                of: key, table.properties[slot], from: value, to: nil, transaction, in: table)
        }
        try removeEntries(of: key, traits, value, transaction)
    }

    /// Takes out what `addDerived` entered for a value.
    private func removeEntries(
        of key: UInt64, _ traits: SlotTraits, _ value: _RawValue, _ transaction: WriteTransaction
    ) throws {
        if traits.index != 0 {
            scratchKey.set(value, type: traits.type)
            scratchKey.append(key)
            _ = try scratchKey.withBytes { (entry) throws(StoreError) in
                try transaction.indexDelete(entry, in: traits.index)
            }
        }
        if traits.backlinks != 0, case .word(let target) = value {
            linkChangeCount &+= 1
            try withBacklinkKey(UInt64(bitPattern: target), key) { (entry) throws(StoreError) in
                try transaction.indexAdd(-1, toNumberOf: entry, in: traits.backlinks)
            }
        }
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
        for source in linkSources(to: table) {
            var links: [(source: UInt64, count: Int)] = []
            swap(&links, &spareLinks)
            try appendBacklinks(to: target, in: table, source, to: &links)
            if !links.isEmpty {
                try remove(links, to: target, in: table, from: source, transaction)
                links.removeAll(keepingCapacity: true)
            }
            swap(&links, &spareLinks)
        }
    }

    /// Takes an object out of one property of the objects that link to it.
    func remove(
        _ links: [(source: UInt64, count: Int)], to target: UInt64, in table: ObjectTable,
        from source: LinkSource, _ transaction: WriteTransaction
    ) throws {
        let (from, slot) = (source.table, source.slot)
        let property = from.properties[slot]
        for (sourceKey, _) in links {
            noteNil(property, ofKey: sourceKey, in: from)
            if source.isPlain {
                try changeBacklink(property, target, sourceKey, by: -1, transaction)
                try replace(.null, at: slot, ofKey: sourceKey, in: from)
                continue
            }
            let place = CollectionStorage(self, from, sourceKey, slot)
            if property.collection == .none {
                try removeMixedLink(to: target, in: table, at: place)
            } else {
                try place.removeAll(linksTo: LinkTargets(target, of: table))
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

    /// Deletes every object of every table whose class the realm has, except asymmetric ones.
    /// Embedded objects go with their owners, so that those of asymmetric objects stay. Links to what
    /// is deleted as well deny nothing.
    func deleteAll() {
        guard mayChange() else { return }
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
            try deleteAll(in: tables)
        } catch {
            fail(error)
        }
    }
}
