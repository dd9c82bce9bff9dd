import TravertineStore

/// The keyspace of unresolved links.
extension RealmSession {
    /// The keyspace, if there ever was such a link.
    var unresolvedLinkKeyspace: KeyspaceID? {
        if let transaction {
            let changes = transaction.catalogChangeCount
            if let known = scope.unresolvedKeyspace, known.changes == changes { return known.id }
            let id = transaction.knownKeyspace(named: UnresolvedLinkCode.keyspaceName)?.identifier
            scope.unresolvedKeyspace = (changes, id)
            return id
        }
        return shared.store.allKeyspaces.first { $0.name == UnresolvedLinkCode.keyspaceName }?
            .identifier
    }

    /// The links whose keys begin so, in the order of the keys.
    func unresolvedLinks(beginningWith prefix: [UInt8]) throws -> [UnresolvedLink] {
        guard let keyspace = unresolvedLinkKeyspace else { return [] }
        var links: [UnresolvedLink] = []
        var cursor = try access.cursor(in: keyspace)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid, cursor.withKey({ $0.starts(with: prefix) }) {
            links.append(try UnresolvedLinkCode.link(try cursor.value(verified: true)))
            isValid = try cursor.next()
        }
        return links
    }

    /// Takes a link out, under both of its keys.
    func remove(_ link: UnresolvedLink) throws {
        guard let keyspace = unresolvedLinkKeyspace else { return }
        let transaction = requireTransaction()
        caches.unresolvedListPositions.remove(link)
        let keys = UnresolvedLinkCode.keys(link)
        for key in [keys.bySource, keys.byTarget] {
            try key.withBytes { (key) throws(StoreError) in
                _ = try transaction.delete(rawKey: key, in: keyspace)
            }
        }
        advance()
    }

    /// Forgets the links of an object that is gone or replaced, so that no other object which gets
    /// its key inherits them; without a key those of all objects of a type.
    func forgetUnresolvedLinks(from source: String, key: UInt64? = nil) throws {
        guard let keyspace = unresolvedLinkKeyspace, try access.count(in: keyspace) > 0 else {
            return
        }
        let prefix =
            key.map { UnresolvedLinkCode.prefix(source: source, key: $0) }
            ?? UnresolvedLinkCode.prefix(source: source)
        for link in try unresolvedLinks(beginningWith: prefix) { try remove(link) }
    }
}
