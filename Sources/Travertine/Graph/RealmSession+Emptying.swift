import TravertineStore

/// Deleting all objects of types at once.
///
/// Where nothing outside decides what becomes of an object, its row, its collections and everything
/// derived from them are in keyspaces that go as a whole: no link is looked up, and no object is
/// read. Only links from the objects of other types are removed one by one.
extension RealmSession {
    /// Deletes every object of some tables, with the embedded ones that belong to them.
    func deleteAll(in tables: [TableState]) throws {
        if let emptied = tablesEmptied(with: tables) { return try empty(emptied) }
        for table in tables {
            if let emptied = tablesEmptied(with: [table]) {
                try empty(emptied)
            } else {
                try deleteOneByOne(in: table)
            }
        }
    }

    /// Deletes objects of a table at once if they are all that it has; false if they are not, or if
    /// what becomes of them depends on the order in which they are deleted.
    func deletedAll(_ keys: [UInt64], in table: TableState) throws -> Bool {
        guard keys.count > 1, keys.count >= count(of: table), Set(keys).count == count(of: table),
            let tables = tablesEmptied(with: [table])
        else { return false }
        func denies(_ table: TableState, _ slot: Int) -> Bool {
            table.properties[slot].deleteRule == .deny
        }
        let areDenied = tables.contains { table in
            table.ruledSlots.contains { denies(table, $0) }
                || linkSources(to: table).contains { denies($0.table, $0.slot) }
        }
        if !areDenied { try empty(tables) }
        return !areDenied
    }

    /// The tables that are empty once all objects of some tables are deleted: these, and the
    /// embedded types that only they own. Nil where that depends on single objects: an embedded
    /// type has owners elsewhere, or a delete rule leads to a type that stays.
    private func tablesEmptied(with first: [TableState]) -> [TableState]? {
        var tables = first
        var numbers = Set(first.map(\.stored.number))
        var next = 0
        while next < tables.count {
            for property in tables[next].properties where property.isOwning {
                guard let target = table(named: property.target) else { return nil }
                if numbers.insert(target.stored.number).inserted { tables.append(target) }
            }
            next += 1
        }
        func stays(_ type: UInt32) -> Bool { !numbers.contains(type) }
        for table in tables {
            if table.stored.isEmbedded,
                linkSources(to: table).contains(where: { stays($0.table.stored.number) })
            {
                return nil
            }
            for slot in table.ruledSlots {
                let property = table.properties[slot]
                guard !property.isVarying, let target = self.table(named: property.target),
                    !stays(target.stored.number)
                else { return nil }
            }
        }
        return tables
    }

    /// Deletes every object of tables that nothing of is left by that.
    private func empty(_ tables: [TableState]) throws {
        let transaction = requireTransaction()
        noteAnything()
        try flushPostings()
        let numbers = Set(tables.map(\.stored.number))
        for table in tables {
            for source in linkSources(to: table) where !numbers.contains(source.table.stored.number)
            {
                try removeAllLinks(to: table, from: source, transaction)
            }
        }
        for table in tables {
            try keepNextKey(of: table)
            try forgetUnresolvedLinks(from: table.stored.name)
            unstored.nodes.removeAll(in: table.stored.pieces)
            for keyspace in [table.rows, table.stored.pieces] where keyspace != .absent {
                _ = try transaction.deleteAll(in: Keyspace(id: keyspace, name: "", kind: .records))
            }
            for keyspace in table.stored.derivedKeyspaces { try transaction.indexReset(keyspace) }
        }
        counts.membershipCount &+= 1
        advance()
        try deleteOrphans()
    }

    /// Takes all objects of a table out of one property of the objects of another.
    private func removeAllLinks(
        to table: TableState, from source: LinkSource, _ transaction: WriteTransaction
    ) throws {
        let links = try allLinks(to: table, from: source)
        if source.table.properties[source.slot].collection == .none {
            for (target, owner) in links {
                try remove([(owner, 1)], to: target, in: table, from: source, transaction)
            }
            return
        }
        var targets: [UInt64: Set<UInt64>] = [:]
        for (target, owner) in links { targets[owner, default: []].insert(target) }
        for (owner, found) in targets.sorted(by: { $0.key < $1.key }) {
            try CollectionStorage(self, source.table, owner, source.slot)
                .removeAll(linksTo: LinkTargets(found, of: table))
        }
    }

    /// The links to objects of a table by one property.
    private func allLinks(
        to table: TableState, from source: LinkSource
    ) throws -> [(target: UInt64, owner: UInt64)] {
        if source.backlinks == .absent { return [] }
        let prefix =
            source.isAny ? withUnsafeBytes(of: table.stored.number.bigEndian, Array.init) : []
        var links: [(target: UInt64, owner: UInt64)] = []
        var cursor = try access.cursor(in: source.backlinks)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid, cursor.withKey({ $0.starts(with: prefix) }) {
            links.append(
                cursor.withKey {
                    (objectKey(in: $0, at: prefix.count), objectKey(in: $0, at: prefix.count + 8))
                })
            isValid = try cursor.next()
        }
        return links
    }

    /// Deletes every object of a table, each as if it were the only one.
    private func deleteOneByOne(in table: TableState) throws {
        var keys: [UInt64] = []
        try scan(table) { key, _ in
            keys.append(key)
            return true
        }
        try unlinkFromCollections(keys, of: table)
        for key in keys where try hasRow(key, in: table) { try delete(key: key, in: table) }
    }
}
