/// An object whose required links are looked at when its transaction is committed.
struct RequiredCheck: Hashable {
    let type: UInt32
    let key: UInt64
    /// Whether links that the class leaves out are looked at, too: a new object has none of them.
    var includesHidden = false
}

extension Persisted {
    /// A link that must lead to an object whenever a transaction is committed.
    ///
    /// It can be nil in between, so that objects can be made and linked in any order. A commit that
    /// would leave one nil rolls back and throws `Realm.Error` with `.invalidInput`; deleting the
    /// object that it leads to leaves it nil. A realm does not open, with
    /// `.schemaMismatch`, while stored objects lack a link that becomes required.
    public init<Target: ObjectBase>(required: Bool, deleteRule: DeleteRule = .nullify)
    where Value == Target? {
        storage = nil
        attributes = deleteRule.rawValue << 2 | (required ? 16 : 0)
    }
}

extension RealmSession {
    /// Notes an object whose link was made nil, if the link is required.
    @inline(__always)
    func noteNil(_ property: StoredProperty, ofKey key: UInt64, in table: TableState) {
        if property.isRequired {
            noteRequiredNil(property, ofKey: key, in: table)
        }
    }

    @inline(never)
    private func noteRequiredNil(
        _ property: StoredProperty, ofKey key: UInt64, in table: TableState
    ) {
        let isHidden = table.slot(ofProperty: property.number).map { $0 >= table.visibleCount }
        scope.requiredChecks.insert(
            RequiredCheck(type: table.stored.number, key: key, includesHidden: isHidden ?? false))
    }

    /// Notes a new object of a type with required links.
    @inline(__always)
    func noteNew(_ key: UInt64, in table: TableState) {
        if !table.requiredSlots.isEmpty {
            scope.requiredChecks.insert(RequiredCheck(type: table.stored.number, key: key))
        }
    }

    /// Looks at the required links of every object that the transaction noted.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput`, naming the property, when one is nil.
    func checkRequiredLinks() throws {
        for check in scope.requiredChecks {
            guard let table = table(number: check.type),
                let row = try access.value(forKey: check.key, in: table.rows)
            else { continue }
            let hidden = check.includesHidden ? table.hiddenRequiredSlots : []
            for slot in table.requiredSlots + hidden {
                let value = table.value(at: slot, in: row, try table.binding(of: row))
                switch value {
                case .word: continue
                case .bytes(let bytes) where !bytes.isEmpty: continue
                default: throw missingLink(table.properties[slot], table)
                }
            }
        }
        scope.requiredChecks.removeAll()
    }

    private func missingLink(
        _ property: StoredProperty, _ table: TableState
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "Required link '\(table.stored.name).\(property.name)' is nil at the end of the "
                + "transaction. Set it, or delete the object.", fileURL: shared.fileURL)
    }
}
