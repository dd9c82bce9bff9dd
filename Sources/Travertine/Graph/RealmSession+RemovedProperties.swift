import TravertineStore

/// A stored property that is about to leave the schema.
struct RemovedProperty {
    var property: StoredProperty
    /// The keyspace of the pieces of its type's collections; 0 without.
    var pieces: KeyspaceID

    /// Whether it may have its own records.
    fileprivate var hasPieces: Bool {
        pieces != .absent && (property.collection != .none || property.type == .any)
    }
}

/// What goes with properties that leave the schema.
extension RealmSession {
    /// Makes the stored values ready for a change of the schema: what goes is deleted, and what
    /// changes its type is copied to a property of the new one.
    ///
    /// - Parameter isDiscarding: whether values may go that the new types have no place for.
    /// - Returns: sentences about the values that would go; then nothing is changed.
    func prepare(_ changes: PropertyChanges, isDiscarding: Bool) throws -> [String] {
        if !isDiscarding {
            let losses = try losses(of: changes.changed)
            if !losses.isEmpty { return losses }
        }
        var removed = changes.removed
        for changed in changes.changed where changed.conversion == nil {
            removed.append(RemovedProperty(property: changed.property, pieces: changed.pieces))
        }
        try clear(removed)
        try convert(changes.changed)
        return []
    }

    /// Copies the values of properties that change their types to properties of the new ones.
    func convert(_ changed: [ChangedProperty]) throws {
        let converter = PropertyConverter(self)
        let types = Dictionary(grouping: changed, by: \.typeNumber)
        for (number, properties) in types.sorted(by: { $0.key < $1.key }) {
            let steps = properties.compactMap { property in
                property.conversion.map {
                    PropertyConverter.Step(
                        number: property.property.number, conversion: $0,
                        successor: property.successor)
                }
            }
            guard !steps.isEmpty, let table = try tableWithoutClass(number: number) else {
                continue
            }
            _ = try converter.convert(steps, of: table)
        }
    }

    /// Deletes the embedded objects that properties own, and the nodes of their collections.
    ///
    /// Rows are left as they are, but for those of the owners. Costs something for each object that
    /// is owned, and for each node that the types have; nothing for properties without either.
    func clear(_ removed: [RemovedProperty]) throws {
        for removal in removed where removal.property.isOwning {
            try deleteOwned(by: removal.property)
        }
        // What is looked at by commits is links that stay.
        scope.requiredChecks.removeAll()
        try flushAppends()
        try flushUnstored()
        for removal in removed { try deleteNodes(of: removal) }
        advance()
    }

    private func deleteOwned(by property: StoredProperty) throws {
        guard property.backlinks != .absent else { return }
        let declared = storedType(named: property.target)?.number ?? 0
        var owned: [(type: UInt32, key: UInt64)] = []
        var cursor = try access.cursor(in: property.backlinks)
        var isValid = try cursor.seekToFirst()
        while isValid {
            owned.append(
                cursor.withKey { key in
                    property.isVarying
                        ? (UInt32(objectKey(in: key) >> 32), objectKey(in: key, at: 4))
                        : (declared, objectKey(in: key))
                })
            isValid = try cursor.next()
        }
        for object in owned {
            guard let table = table(number: object.type), try hasRow(object.key, in: table) else {
                continue
            }
            try delete(key: object.key, in: table)
        }
    }

    /// Deletes every node of a property: those of large collections, and of lists and dictionaries
    /// in values of any type.
    func deleteNodes(of removal: RemovedProperty) throws {
        guard removal.hasPieces else { return }
        let transaction = requireTransaction()
        var last: [UInt8] = []
        while true {
            var found: [[UInt8]] = []
            var cursor = try access.cursor(in: removal.pieces)
            var isValid = try (last + [0]).withBytes { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
            while isValid, found.count < Self.nodesBetweenLooks {
                let key = cursor.withKey { Array($0) }
                let number = key.withUnsafeBytes { objectKey(in: $0, at: 4) }
                // The object key's lower half, then the property.
                if UInt32(truncatingIfNeeded: number) == removal.property.number {
                    found.append(key)
                }
                last = key
                isValid = try cursor.next()
            }
            for key in found {
                _ = try key.withBytes { (key) throws(StoreError) in
                    try transaction.delete(rawKey: key, in: removal.pieces)
                }
            }
            if !isValid { return }
        }
    }

    private static var nodesBetweenLooks: Int { 4096 }
}
