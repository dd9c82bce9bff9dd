import TravertineStore

/// Indexes beside those of single properties come and go with what the class declares.
extension SchemaInstaller {
    /// The indexes that a class declares, by the numbers of the stored properties; their keyspaces
    /// are not known.
    private static func declaredIndexes(
        _ info: ClassInfo, _ type: StoredObjectType
    ) -> [StoredIndex] {
        var found: [StoredIndex] = []
        for (kind, slots) in info.indexedSlots {
            let numbers = slots.compactMap { slot in
                type.properties.first { $0.name == info.properties[slot].storedName }?.number
            }
            let index = StoredIndex(kind: kind, keyspace: 0, properties: numbers)
            if !found.contains(index) { found.append(index) }
        }
        return found
    }

    /// Whether a type has the indexes that its class declares, and no others.
    static func hasDeclaredIndexes(_ type: StoredObjectType, _ info: ClassInfo) -> Bool {
        let declared = declaredIndexes(info, type)
        return declared.count == type.indexes.count
            && declared.allSatisfy { index in type.indexes.contains { $0.isSame(as: index) } }
    }

    /// Drops the indexes of a type that its class does not declare any more, and adds new ones.
    mutating func installIndexes(
        _ info: ClassInfo, _ type: inout StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        let declared = Self.declaredIndexes(info, type)
        let before = type.indexes
        try drop(
            before.filter { old in !declared.contains { $0.isSame(as: old) } }.map(\.keyspace),
            type, transaction)
        type.indexes = []
        for var index in declared {
            if let known = before.first(where: { $0.isSame(as: index) }) {
                type.indexes.append(known)
                continue
            }
            index.keyspace = try keyspace(type, index.role, .derived, transaction)
            toBuild.insert(index.keyspace)
            type.indexes.append(index)
        }
    }
}

extension StoredIndex {
    /// Whether both have the same entries.
    fileprivate func isSame(as other: StoredIndex) -> Bool {
        kind == other.kind && properties == other.properties
    }

    /// What the name of the keyspace ends with.
    fileprivate var role: String {
        let name =
            switch kind {
            case .values: "values"
            case .uniqueValues: "unique"
            case .words: "words"
            }
        return "\(name).\(properties.map { String($0) }.joined(separator: "+"))"
    }
}
