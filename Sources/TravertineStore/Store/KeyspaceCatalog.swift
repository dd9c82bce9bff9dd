import Synchronization

/// A keyspace that a transaction created, or nil for one that it dropped, by name.
typealias KeyspaceChange = (name: String, keyspace: Keyspace?)

/// The keyspaces that a transaction created and dropped, in order. Costs the same however many.
struct KeyspaceChanges<Name: Hashable> {
    private(set) var all: [(name: Name, keyspace: Keyspace?)] = []
    /// Where the newest change of each name is.
    private var newest: [Name: Int] = [:]
    /// Where the change of the same name before each one is; -1 for none.
    private var earlier: [Int] = []

    var count: Int { all.count }

    /// The newest change of a name, or nil.
    subscript(name: Name) -> (name: Name, keyspace: Keyspace?)? { newest[name].map { all[$0] } }

    mutating func append(_ change: (name: Name, keyspace: Keyspace?)) {
        earlier.append(newest.updateValue(all.count, forKey: change.name) ?? -1)
        all.append(change)
    }

    /// Forgets the changes behind the first `count`.
    mutating func truncate(to count: Int) {
        while all.count > count {
            let change = all.removeLast()
            let place = earlier.removeLast()
            newest[change.name] = place < 0 ? nil : place
        }
    }
}

/// The keyspaces of a store by name, as of one commit: the newest for the writer, the newest that
/// may be seen for everybody else.
package final class KeyspaceCatalog: Sendable {
    private let keyspaces: Mutex<[String: Keyspace]>

    /// A catalog with the keyspace that every store has, and these.
    package init(_ definitions: [KeyspaceDefinition]) {
        keyspaces = Mutex(Self.named(definitions))
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
