import TravertineStore

extension Migration {
    /// Lets the primary key of a type be changed: it is an ordinary property until the block ends,
    /// and then its index is built. Objects keep their keys, so that links stay as they are.
    func releasePrimaryKey(of table: TableState) throws {
        var stored = table.stored
        guard let index = stored.properties.firstIndex(where: \.isPrimaryKey) else { return }
        let transaction = new.requireTransaction()
        stored.properties[index].isPrimaryKey = false
        stored.keyKind = .assigned
        if let keyspace = transaction.knownKeyspace(id: stored.keyIndex) {
            try transaction.dropKeyspace(keyspace)
        }
        stored.keyIndex = .absent
        try StoredSchema.put(stored, transaction, new.shared.schemaKeyspace)
        new.change(stored)
        new.advance()
    }
}
