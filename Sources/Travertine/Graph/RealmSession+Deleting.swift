import TravertineStore

/// Deleting objects, and what is derived from them.
extension RealmSession {
    /// Deletes an object; links to it become nil, and it leaves the lists it is in.
    func delete(_ object: ObjectBase) {
        guard mayChange() else { return }
        if object.session !== self { requireThawed(object) }
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

    /// Asks for the leaves of all entries that are removed with an object.
    private func askForEntries(of object: ObjectBase) {
        guard object.rowGeneration == generation.pointee.number, object._row != nil else { return }
        let (key, table) = (object.key, object.table)
        let row = UnsafeRawBufferPointer(start: object._row, count: object._rowByteCount)
        let transaction = requireTransaction()
        for source in linkSources(to: table) where !source.isAny {
            withObjectKey(key) { transaction.ask(forKey: $0, in: source.backlinks) }
        }
        rowWriter(table, transaction).askForEntries(of: key, row)
    }

    /// Deletes an object, those that it cascades to, and the embedded ones that lose their owner.
    func delete(key: UInt64, in table: TableState) throws {
        try deletePending([(table, key)])
    }

    /// Deletes objects and whatever goes with them, however long the chain is; embedded objects
    /// that lost their owner come first.
    func deletePending(_ first: [(table: TableState, key: UInt64)]) throws {
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
        _ key: UInt64, in table: TableState
    ) throws -> [(table: TableState, key: UInt64)] {
        let transaction = requireTransaction()
        let cascade = try cascade(of: key, in: table)
        try keepNextKey(of: table)
        try removeLinks(to: key, in: table, transaction)
        try rowWriter(table, transaction).remove(key: key)
        try forgetUnresolvedLinks(from: table.stored.name, key: key)
        counts.membershipCount &+= 1
        advance()
        return cascade.reversed()
    }

    /// Lets the commit write down which key is next, so that no deleted object's key comes again.
    func keepNextKey(of table: TableState) throws {
        guard table.stored.keyKind == .assigned else { return }
        if shared.nextKeys[table.stored.number] == nil {
            let next = try nextKey(table)
            shared.nextKeys[table.stored.number] = next
        }
        if !scope.typesWithDeletions.contains(table.stored.number) {
            scope.typesWithDeletions.append(table.stored.number)
        }
    }

    /// Takes an object out of every property that links to it.
    private func removeLinks(
        to target: UInt64, in table: TableState, _ transaction: WriteTransaction
    ) throws {
        for source in linkSources(to: table) {
            var links: [(source: UInt64, count: Int)] = []
            swap(&links, &buffers.links)
            try appendBacklinks(to: target, in: table, source, to: &links)
            if !links.isEmpty {
                try remove(links, to: target, in: table, from: source, transaction)
                links.removeAll(keepingCapacity: true)
            }
            swap(&links, &buffers.links)
        }
    }

    /// Takes an object out of one property of the objects that link to it.
    func remove(
        _ links: [(source: UInt64, count: Int)], to target: UInt64, in table: TableState,
        from source: LinkSource, _ transaction: WriteTransaction
    ) throws {
        let (from, slot) = (source.table, source.slot)
        let property = from.properties[slot]
        for (sourceKey, _) in links {
            if source.isPlain {
                try rowWriter(from, transaction).patch(.null, at: slot, ofKey: sourceKey)
                continue
            }
            noteNil(property, ofKey: sourceKey, in: from)
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
        to target: UInt64, in table: TableState, at place: CollectionStorage
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
        try rowWriter(source, requireTransaction()).patch(
            .bytes(UnsafeRawBufferPointer(start: nil, count: 0)), at: place.slot, ofKey: place.key)
    }

    /// Deletes every object of every table whose class the realm has, except asymmetric ones.
    /// Embedded objects go with their owners, so that those of asymmetric objects stay. Links to
    /// what is deleted as well deny nothing.
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
        scope.emptiedTypes = Set(tables.map(\.stored.number))
        defer { scope.emptiedTypes = [] }
        do {
            try deleteAll(in: tables)
        } catch {
            fail(error)
        }
    }
}
