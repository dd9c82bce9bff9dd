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

extension RealmCore {
    /// The objects that are to be deleted with an object.
    ///
    /// - Throws: `Realm.Error` when a link of the object denies its deletion.
    func cascade(
        of key: UInt64, in table: ObjectTable
    ) throws -> [(table: ObjectTable, key: UInt64)] {
        var found: [(table: ObjectTable, key: UInt64)] = []
        for (slot, property) in table.properties.enumerated() where property.deleteRule != .nullify
        {
            guard let target = self.table(named: property.target) else { continue }
            let targets = try targets(of: key, in: table, slot)
            if property.deleteRule == .deny, !targets.isEmpty {
                throw Realm.Error(
                    .fail,
                    "An object of type '\(table.className)' can't be deleted while "
                        + "'\(property.name)' links to \(targets.count) of '\(target.className)': "
                        + "its delete rule is deny.", fileURL: shared.fileURL)
            }
            found += targets.map { (target, $0) }
        }
        return found
    }

    private func targets(
        of key: UInt64, in table: ObjectTable, _ slot: Int
    ) throws -> [UInt64] {
        guard let row = try access.value(forKey: key, in: table.stored.rows) else { return [] }
        if table.properties[slot].collection == .none {
            let value = table.value(at: slot, in: row, try table.binding(of: row))
            if case .word(let word) = value { return [UInt64(bitPattern: word)] }
            return []
        }
        var keys: [UInt64] = []
        try CollectionStorage(self, table, key, slot).visit {
            if case .word(let word) = $0 { keys.append(UInt64(bitPattern: word)) }
            return true
        }
        return keys
    }
}
