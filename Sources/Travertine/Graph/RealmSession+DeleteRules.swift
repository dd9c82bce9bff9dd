/// What happens to linked objects when the object that links is deleted.
public enum DeleteRule: UInt8, Sendable {
    /// They stay.
    case nullify = 0
    /// They are deleted as well.
    case cascade = 1
    /// The object can't be deleted while it links to any.
    case deny = 2
}

extension Persisted {
    /// A link or collection of links with a rule for deleting the object.
    public init(deleteRule: DeleteRule) {
        storage = nil
        attributes = deleteRule.rawValue << 2
    }
}

extension RealmSession {
    /// The objects that are to be deleted with an object.
    ///
    /// - Throws: `Realm.Error` when a link of the object denies its deletion.
    func cascade(
        of key: UInt64, in table: TableState
    ) throws -> [(table: TableState, key: UInt64)] {
        var found: [(table: TableState, key: UInt64)] = []
        for slot in table.ruledSlots {
            let property = table.properties[slot]
            let targets = try targets(of: key, in: table, slot)
            if property.deleteRule == .deny, !targets.allSatisfy({ goes($0.table, with: table) }) {
                throw Realm.Error(
                    .fail,
                    "An object of type '\(table.stored.name)' can't be deleted while "
                        + "'\(property.name)' links to \(targets.count) of "
                        + "'\(property.target)': "
                        + "its delete rule is deny.", fileURL: shared.fileURL)
            }
            found += targets
        }
        return found
    }

    /// Whether the objects of a table are deleted as well while `deleteAll` deletes those of
    /// another that link to them: because all are, or because they belong to these.
    private func goes(_ target: TableState, with source: TableState) -> Bool {
        scope.emptiedTypes.contains(target.stored.number)
            || (target.stored.isEmbedded && scope.emptiedTypes.contains(source.stored.number))
    }

    private func targets(
        of key: UInt64, in table: TableState, _ slot: Int
    ) throws -> [(table: TableState, key: UInt64)] {
        guard let row = try access.value(forKey: key, in: table.rows),
            let target = self.table(named: table.properties[slot].target)
        else { return [] }
        var found: [(table: TableState, key: UInt64)] = []
        func note(_ link: _RawValue) {
            if let link = self.link(link, to: target) { found.append(link) }
        }
        if table.properties[slot].collection == .none {
            note(table.value(at: slot, in: row, try table.binding(of: row)))
            return found
        }
        try CollectionStorage(self, table, key, slot).visit {
            note($0)
            return true
        }
        return found
    }
}
