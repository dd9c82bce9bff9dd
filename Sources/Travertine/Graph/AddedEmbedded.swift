import TravertineStore

/// The embedded objects of a graph that is being added.
struct AddedEmbedded {
    /// Those that values were made into.
    var claimed = ClaimedEmbeddedObjects()
    /// The stored objects that unmanaged ones replace, by these: an update that changes what
    /// differs keeps the rows of a property's embedded object, and of a list's by their positions.
    private var replaced: [ObjectIdentifier: Link] = [:]

    private struct Link {
        var type: UInt32
        var key: UInt64
    }

    /// Notes which embedded objects of a stored object take the values of those of an unmanaged one
    /// that is about to replace it.
    mutating func noteReplaced(
        by object: ObjectBase, _ key: UInt64, _ table: TableState, _ session: RealmSession
    ) throws {
        let info = table.info
        for slot in info.referenceSlots
        where info.properties[slot].type.targetClass is EmbeddedObject.Type {
            let property = info.properties[slot]
            guard property.type.collection != .map, !property.isStoredAsEmbedded,
                let target = session.table(named: table.properties[slot].target)
            else { continue }
            var stored = try session.links(of: key, in: table, slot, to: target).makeIterator()
            property.valueType._forEachLinked(object._memory + property.offset) { added in
                guard let link = stored.next(), added.session == nil else { return }
                replaced[ObjectIdentifier(added)] = Link(
                    type: link.table.stored.number, key: link.key)
            }
        }
    }

    /// The key of the stored object that an unmanaged one replaces, which is of its type.
    mutating func takeReplaced(by object: ObjectBase, in table: TableState) -> UInt64? {
        if replaced.isEmpty { return nil }
        let link = replaced.removeValue(forKey: ObjectIdentifier(object))
        return link?.type == table.stored.number ? link?.key : nil
    }
}

extension RealmSession {
    /// The objects that a stored link leads to, or a list of links in its order.
    fileprivate func links(
        of key: UInt64, in table: TableState, _ slot: Int, to target: TableState
    ) throws -> [(table: TableState, key: UInt64)] {
        guard let row = try access.value(forKey: key, in: table.rows) else { return [] }
        if table.properties[slot].collection == .none {
            let value = table.value(at: slot, in: row, try table.binding(of: row))
            return link(value, to: target).map { [$0] } ?? []
        }
        var found: [(table: TableState, key: UInt64)] = []
        try CollectionStorage(self, table, key, slot).visit {
            if let link = link($0, to: target) { found.append(link) }
            return true
        }
        return found
    }
}
