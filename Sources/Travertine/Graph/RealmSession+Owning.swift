import TravertineStore

/// An embedded object that a property ceased to link to.
struct Orphan {
    private let typeName: String
    private let type: UInt32?
    let key: UInt64

    /// An object of a type, which is given by its number where the link's target can vary.
    init(_ typeName: String, _ key: UInt64, type: UInt32?) {
        self.typeName = typeName
        self.type = type
        self.key = key
    }

    /// The table that it is in.
    func table(_ session: RealmSession) -> TableState? {
        type.map { session.table(number: $0) } ?? session.table(named: typeName)
    }
}

/// Embedded objects and their owners.
extension RealmSession {
    /// Deletes the embedded objects that lost their owner and got no other; one that was moved
    /// within a list has one.
    func deleteOrphans() throws {
        if !unstored.orphans.isEmpty { try deletePending([]) }
    }

    func hasOwner(_ key: UInt64, in table: TableState) throws -> Bool {
        try owner(of: key, in: table) != nil
    }

    /// The object that an embedded one belongs to: its table and its key.
    private func owner(
        of key: UInt64, in table: TableState
    ) throws -> (table: TableState, key: UInt64)? {
        for source in linkSources(to: table) {
            var links: [(source: UInt64, count: Int)] = []
            try appendBacklinks(to: key, in: table, source, to: &links)
            if let link = links.first { return (source.table, link.source) }
        }
        return nil
    }

    func hasNoOwner(_ key: UInt64, in table: TableState) -> Bool {
        do {
            return try owner(of: key, in: table) == nil
        } catch {
            fail(error)
            return true
        }
    }

    /// A handle of the object that an embedded one belongs to.
    func owner(ofKey key: UInt64, in table: TableState) -> ObjectBase? {
        checkThread()
        do {
            guard let owner = try owner(of: key, in: table), !owner.table.stored.isAsymmetric
            else { return nil }
            return object(owner.key, in: owner.table)
        } catch {
            damage = error
            return nil
        }
    }
}
