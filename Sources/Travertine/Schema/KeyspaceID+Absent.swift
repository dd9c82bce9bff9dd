import TravertineStore

extension KeyspaceID {
    /// What descriptions of types have in place of a keyspace that is not there. It is the store's
    /// own, which no type has.
    static var absent: KeyspaceID { .system }

    /// A keyspace that no store has: it is read as empty.
    static var nonexistent: KeyspaceID { KeyspaceID(rawValue: .max) }
}
