import TravertineStore

/// Objects of one type that are about to be deleted, for who looks for links to them.
struct LinkTargets {
    /// The number of the type.
    let type: UInt32
    private let key: UInt64
    /// Several keys instead of the one.
    private let keys: Set<UInt64>?

    init(_ key: UInt64, of table: TableState) {
        type = table.stored.number
        self.key = key
        keys = nil
    }

    init(_ keys: Set<UInt64>, of table: TableState) {
        type = table.stored.number
        key = 0
        self.keys = keys
    }

    @inline(__always)
    func contains(_ other: UInt64) -> Bool { keys?.contains(other) ?? (key == other) }
}

/// Deleting many objects that are in one collection.
///
/// Deleting one object goes through every collection that it is in. So that deleting many does not
/// go through a large one as often, their links are taken out of it beforehand, in one pass.
extension RealmSession {
    /// Takes objects of a table out of every list, set and map that has several of them; they are
    /// deleted next.
    func unlinkFromCollections(_ keys: [UInt64], of table: TableState) throws {
        guard keys.count > 1 else { return }
        for (sourceType, number) in linkingProperties(to: table.stored.name) {
            guard let source = self.table(number: sourceType),
                let slot = source.slot(ofProperty: number),
                source.properties[slot].collection != .none,
                // What denies its object's deletion stays until it is asked.
                source.properties[slot].deleteRule != .deny
            else { continue }
            var targets: [UInt64: Set<UInt64>] = [:]
            for key in keys {
                for (owner, _) in try backlinks(to: key, in: table, source.properties[slot]) {
                    targets[owner, default: []].insert(key)
                }
            }
            for (owner, found) in targets.sorted(by: { $0.key < $1.key }) where found.count > 1 {
                try CollectionStorage(self, source, owner, slot)
                    .removeAll(linksTo: LinkTargets(found, of: table))
            }
        }
        // Embedded ones that lost their owner so.
        try deleteOrphans()
    }

    /// Deletes objects of this realm that are still there.
    func delete(_ objects: [ObjectBase]) {
        if objects.isEmpty { return }
        guard mayChange() else { return }
        do {
            var keys: [ObjectIdentifier: (table: TableState, keys: [UInt64])] = [:]
            for object in objects
            where object.session === self && object.invalidationCount == counts.invalidationCount {
                let table = object.table
                keys[ObjectIdentifier(table), default: (table, [])].keys.append(object.key)
            }
            for (table, keys) in keys.values where try !deletedAll(keys, in: table) {
                try unlinkFromCollections(keys, of: table)
            }
        } catch {
            fail(error)
        }
        for object in objects where !object.isInvalidated { delete(object) }
    }
}
