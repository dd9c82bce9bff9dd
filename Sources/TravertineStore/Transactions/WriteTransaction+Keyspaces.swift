import OrderedIndex
import SegmentLog

extension WriteTransaction {
    /// The keyspace with a name; created when there is none.
    ///
    /// - Throws: `.misuse` for an empty name or one above 255 bytes, `.noSuchKeyspace` when the
    ///   name is taken by a derived keyspace, `.outOfNumbers` after 2²⁴ keyspaces.
    public func keyspace(named name: String) throws(StoreError) -> Keyspace {
        try keyspace(named: name, kind: .records)
    }

    /// The keyspace with a name and kind; created when there is none.
    package func keyspace(
        named name: String, kind: Keyspace.Kind
    ) throws(StoreError) -> Keyspace {
        try checkActive()
        if let known = knownKeyspace(named: name) {
            guard known.kind == kind else { throw .noSuchKeyspace(known.identifier) }
            return known
        }
        guard !name.isEmpty, name.utf8.count <= KeyspaceDefinition.nameByteCountMax else {
            throw StoreError(
                .misuse, "A keyspace's name has 1 to \(KeyspaceDefinition.nameByteCountMax) bytes.")
        }
        let id = try KeyspaceDefinition.nextID(after: writer.treeCount)
        let keyspace = Keyspace(id: id, name: name, kind: kind)
        let definition = KeyspaceDefinition(id: keyspace.identifier, kind: kind, name: name)
        try storeDefinition(definition)
        _ = writer.appendTree(Tree.empty.with(flags: definition.treeFlags))
        catalogChanges.append((name: name, keyspace: keyspace))
        isDeleteOnly = false
        return keyspace
    }

    /// The keyspace with a name as this transaction sees it, or nil.
    package func knownKeyspace(named name: String) -> Keyspace? {
        if let change = catalogChanges[name] { return change.keyspace }
        return store.writerCatalog.keyspace(named: name)
    }

    /// The keyspace with an identifier as this transaction sees it, or nil.
    package func knownKeyspace(id: KeyspaceID) -> Keyspace? {
        let found =
            catalogChanges.all.last { $0.keyspace?.identifier == id }?.keyspace
            ?? store.writerCatalog.all.first { $0.identifier == id }
        return found.flatMap { knownKeyspace(named: $0.name) == $0 ? $0 : nil }
    }

    /// Deletes every key of a keyspace and gives up its name; its identifier stays taken.
    package func dropKeyspace(_ keyspace: Keyspace) throws(StoreError) {
        try checkActive()
        guard knownKeyspace(named: keyspace.name) == keyspace, keyspace.identifier > .default else {
            throw .noSuchKeyspace(keyspace.identifier)
        }
        if keyspace.kind == .records {
            try deleteAll(in: keyspace)
        } else {
            try indexReset(keyspace.identifier)
        }
        try storeDefinition(
            KeyspaceDefinition(id: keyspace.identifier, kind: .dropped, name: keyspace.name))
        writer.trees[keyspace.identifier.treeNumber].flags = TreeFlags.dropped
        catalogChanges.append((name: keyspace.name, keyspace: nil))
    }

    /// Takes the next identifier for a keyspace that is gone, so that those after it keep theirs.
    ///
    /// The name is nobody's: nothing is looked up, however many identifiers are skipped.
    package func passOverKeyspace(named name: String) throws(StoreError) {
        try checkActive()
        let id = try KeyspaceDefinition.nextID(after: writer.treeCount)
        try storeDefinition(KeyspaceDefinition(id: id, kind: .dropped, name: name))
        _ = writer.appendTree(Tree.empty.with(flags: TreeFlags.dropped))
        isDeleteOnly = false
    }

    /// Writes the definition of a keyspace.
    func storeDefinition(_ definition: KeyspaceDefinition) throws(StoreError) {
        try definition.key.withBytes { (key) throws(StoreError) in
            try definition.value.withBytes { (value) throws(StoreError) in
                let location = try append(.put, keyspace: .system, key: key, value: value)
                appended.add(location, byteCount: storedByteCount(key, value))
                try enter(location, forKey: key, in: .system)
            }
        }
    }
}

extension Tree {
    /// What compaction does with the values of the keyspace.
    var compression: KeyspaceCompression {
        if flags & TreeFlags.packed != 0 { return .packed }
        return flags & TreeFlags.cold != 0 ? .cold : .off
    }

    /// The same tree with other flags.
    func with(flags: UInt32) -> Tree {
        var tree = self
        tree.flags = flags
        return tree
    }
}
