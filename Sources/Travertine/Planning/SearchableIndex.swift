import TravertineStore

/// An index of a table as the planner sees it: entries in the order of one or several properties.
struct SearchableIndex {
    enum Kind {
        /// The rows themselves, whose keys are the primary key, an Int.
        case rows
        /// The index of another primary key.
        case primaryKey
        /// The index of one property, or of several.
        case values
        /// An index of values that no two objects share.
        case uniqueValues
        /// No index: the property is read in every row.
        case none
    }

    let kind: Kind
    let keyspace: KeyspaceID
    let slots: [Int]
    let types: [PropertyType]
    /// The most bytes of a string or of data that an entry has.
    let prefixByteCountMax: Int

    private init(
        _ kind: Kind, _ keyspace: KeyspaceID, _ slots: [Int], _ table: TableState,
        prefixByteCountMax: Int = IndexKey.prefixByteCountMax
    ) {
        self.kind = kind
        self.keyspace = keyspace
        self.slots = slots
        types = slots.map { table.properties[$0].type }
        self.prefixByteCountMax = prefixByteCountMax
    }

    /// The indexes of a table, those that find one object first; none of words.
    static func all(of table: TableState) -> [SearchableIndex] {
        var found: [SearchableIndex] = []
        for (slot, property) in table.properties.enumerated() where property.collection == .none {
            if property.isPrimaryKey {
                if table.stored.keyKind == .integerPrimaryKey {
                    found.append(SearchableIndex(.rows, table.rows, [slot], table))
                } else if table.stored.keyIndex != .absent {
                    found.append(
                        SearchableIndex(.primaryKey, table.stored.keyIndex, [slot], table))
                }
            }
            if property.index != .absent {
                found.append(SearchableIndex(.values, property.index, [slot], table))
            }
        }
        for index in table.rules.indexes where index.kind.isOfValues {
            found.append(
                SearchableIndex(
                    index.kind == .uniqueValues ? .uniqueValues : .values, index.keyspace,
                    index.slots, table, prefixByteCountMax: index.prefixByteCountMax))
        }
        return found
    }

    /// The index of one property alone; nil if it has none.
    static func single(of slot: Int, in table: TableState) -> SearchableIndex? {
        let property = table.properties[slot]
        guard property.collection == .none else { return nil }
        if property.isPrimaryKey, table.stored.keyKind == .integerPrimaryKey {
            return SearchableIndex(.rows, table.rows, [slot], table)
        }
        if property.isPrimaryKey, table.stored.keyIndex != .absent {
            return SearchableIndex(.primaryKey, table.stored.keyIndex, [slot], table)
        }
        return property.index == .absent
            ? nil : SearchableIndex(.values, property.index, [slot], table)
    }

    /// The property read in every row, as if there were an index; nil if it can have no index.
    static func none(of slot: Int, in table: TableState) -> SearchableIndex? {
        let property = table.properties[slot]
        guard property.collection == .none, property.type != .object,
            property.type != .linkingObjects
        else { return nil }
        return SearchableIndex(.none, .absent, [slot], table)
    }

    /// Adds the value of a property to the beginning of entries.
    @inline(__always)
    func append(_ raw: _RawValue, at position: Int, to key: inout IndexKey) {
        if kind == .rows {
            guard case .word(let word) = raw else { return }
            key.append(StoredObjectType.objectKey(ofPrimaryKey: word))
            return
        }
        key.append(raw, type: types[position], prefixByteCountMax: prefixByteCountMax)
    }

    /// Whether entries have the key of their object only at their end, not as their number.
    var hasKeysInEntries: Bool { kind == .rows }
}
