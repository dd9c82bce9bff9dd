import Locks

/// The keyspaces of a store by name, as of one commit: the newest for the writer, the newest that
/// may be seen for everybody else.
package final class KeyspaceCatalog: Sendable {
    private let keyspaces: Locked<[String: Keyspace]>

    /// A catalog with the keyspace that every store has, and these.
    package init(_ definitions: [KeyspaceDefinition]) {
        keyspaces = Locked(Self.named(definitions))
    }

    /// Replaces all keyspaces by the default one and these.
    func install(_ definitions: [KeyspaceDefinition]) {
        let byName = Self.named(definitions)
        keyspaces.withLock { $0 = byName }
    }

    private static func named(_ definitions: [KeyspaceDefinition]) -> [String: Keyspace] {
        var byName = [Keyspace.default.name: Keyspace.default]
        for definition in definitions where definition.kind != .dropped {
            byName[definition.name] = Keyspace(
                id: definition.id, name: definition.name, kind: definition.kind)
        }
        return byName
    }

    /// The keyspace with a name, or nil.
    func keyspace(named name: String) -> Keyspace? {
        keyspaces.withLock { $0[name] }
    }

    /// All keyspaces, by identifier.
    package var all: [Keyspace] {
        keyspaces.withLock { Array($0.values) }.sorted { $0.id < $1.id }
    }

    /// Enters what a transaction created and dropped.
    func apply(_ changes: [KeyspaceChange]) {
        if changes.isEmpty { return }
        keyspaces.withLock { keyspaces in
            for change in changes { keyspaces[change.name] = change.keyspace }
        }
    }
}
