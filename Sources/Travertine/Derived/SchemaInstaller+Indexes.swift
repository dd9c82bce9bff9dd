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
            let index = StoredIndex(kind: kind, keyspace: .absent, properties: numbers)
            if !found.contains(index) { found.append(index) }
        }
        return found
    }

    /// The stored indexes that a class of a subset says nothing about: those over a property that
    /// it leaves out.
    private static func keptIndexes(
        _ info: ClassInfo, _ type: StoredObjectType, isSubset: Bool
    ) -> [StoredIndex] {
        guard isSubset else { return [] }
        let declared = Set(info.properties.map(\.storedName))
        let hidden = Set(type.properties.filter { !declared.contains($0.name) }.map(\.number))
        return type.indexes.filter { !hidden.isDisjoint(with: $0.properties) }
    }

    /// Whether a type has the indexes that its class declares, and no others; a subset may leave
    /// out those over properties that it leaves out.
    static func hasDeclaredIndexes(
        _ type: StoredObjectType, _ info: ClassInfo, isSubset: Bool
    ) -> Bool {
        let declared = declaredIndexes(info, type)
        let kept = keptIndexes(info, type, isSubset: isSubset)
        return declared.count + kept.count == type.indexes.count
            && declared.allSatisfy { index in type.indexes.contains { $0.isSame(as: index) } }
    }

    /// Drops the indexes of a type that its class does not declare any more, and adds new ones.
    mutating func installIndexes(
        _ info: ClassInfo, _ type: inout StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        let declared = Self.declaredIndexes(info, type)
        let before = type.indexes
        let kept = Self.keptIndexes(info, type, isSubset: isSubset)
        let keyspaces = SchemaKeyspaces(transaction)
        try keyspaces.drop(
            before.filter { old in
                !(declared + kept).contains { $0.isSame(as: old) }
            }.map(\.keyspace))
        type.indexes = kept
        for var index in declared {
            if let known = before.first(where: { $0.isSame(as: index) }) {
                type.indexes.append(known)
                continue
            }
            index.keyspace = try keyspaces.make(.otherIndex(index.role), of: type)
            toBuild.insert(index.keyspace)
            type.indexes.append(index)
        }
    }
}

extension SchemaInstaller {
    /// Lets indexes of places be built anew whose points are read otherwise than before, because
    /// the properties changed that make their type one of points.
    mutating func rebuildPlaces(since before: [StoredObjectType]) {
        func coordinates(_ type: StoredObjectType) -> [StoredProperty] {
            type.properties.filter { $0.name == "type" || $0.name == "coordinates" }
        }
        let changed = stored.types.filter { type in
            before.first { $0.number == type.number }.map {
                coordinates($0) != coordinates(type)
            } ?? false
        }
        if changed.isEmpty { return }
        for type in stored.types {
            for index in type.indexes where index.kind == .places {
                guard let link = type.properties.first(where: { $0.number == index.properties[0] })
                else { continue }
                if link.isVarying || changed.contains(where: { $0.name == link.target }) {
                    toBuild.insert(index.keyspace)
                }
            }
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
            case .places: "places"
            case .oldWords: "words"
            case .countedWords: "text"
            case .trigrams: "trigrams"
            case .countedCodePoints: "points"
            case .words: "postings"
            case .codePoints: "pointpostings"
            }
        return "\(name).\(properties.map { String($0) }.joined(separator: "+"))"
    }
}
