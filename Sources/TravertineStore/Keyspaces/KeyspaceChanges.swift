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

    /// Forgets the changes after the first `count`.
    mutating func truncate(to count: Int) {
        while all.count > count {
            let change = all.removeLast()
            let place = earlier.removeLast()
            newest[change.name] = place < 0 ? nil : place
        }
    }
}
