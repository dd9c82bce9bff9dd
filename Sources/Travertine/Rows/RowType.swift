import TravertineStore

/// An object type for code that moves whole objects in their stored form, without handles.
///
/// A slot is the position of a property in `fields`. It belongs to the thread of its realm, and is
/// valid as long as that is.
package final class RowType {
    /// A property.
    package struct Field: Sendable {
        /// The stored name.
        package let name: String
        /// The type of the value or of the elements.
        package let type: PropertyType
        /// Whether the value, or an element, may be null.
        package let isOptional: Bool
        /// One value or a collection.
        package let collection: CollectionKind
        /// The stored name of the type that it links to; empty without.
        package let target: String
        /// Whether it identifies the object.
        package let isPrimaryKey: Bool
        /// Whether it is a link to `target` or a class derived from it: its type is `.any` then,
        /// and each value names the type of its object.
        package let isVarying: Bool
        /// Whether the class leaves it out, so that an object which is replaced keeps its value.
        package let isHidden: Bool
        /// Whether it is a link that must lead to an object at the end of a transaction.
        package let isRequired: Bool
    }

    let session: RealmSession
    let table: TableState
    /// The properties in declared order.
    package let fields: [Field]
    let runs: [ElementRun]
    /// The slot of the primary key.
    package let keySlot: Int?

    init(_ session: RealmSession, _ table: TableState) {
        self.session = session
        self.table = table
        fields = table.properties.enumerated().map { slot, property in
            Field(
                name: property.name, type: property.type, isOptional: property.isOptional,
                collection: property.collection, target: property.target,
                isPrimaryKey: property.isPrimaryKey, isVarying: property.isVarying,
                isHidden: slot >= table.visibleCount,
                isRequired: property.isRequired)
        }
        runs = table.properties.map { ElementRun($0.storedType) }
        keySlot = table.properties.firstIndex(where: \.isPrimaryKey)
    }

    /// The stored name.
    package var name: String { table.stored.name }

    /// Whether the objects belong to others.
    package var isEmbedded: Bool { table.stored.isEmbedded }

    /// Whether the objects are on their way to a consumer, and are never replaced.
    package var isAsymmetric: Bool { table.stored.isAsymmetric }

    /// Whether storing an object can fail because of another one.
    package var hasUniqueIndexes: Bool { table.rules.indexes.contains { $0.kind == .uniqueValues } }

    /// Whether a link that names types can lead to objects of a type.
    package func admits(_ target: RowType, at slot: Int) -> Bool {
        session.admits(target.table, byVarying: table.properties[slot])
    }

    /// How many objects there are.
    package func count() throws -> Int { try session.access.count(in: table.rows) }

    /// The key of the object with a primary key, or nil.
    package func key(forPrimaryKey raw: _RawValue) throws -> UInt64? {
        try session.key(forPrimaryKey: raw, in: table)
    }

    /// A handle of the object with a key, or nil if there is none.
    package func object(ofKey key: UInt64) -> Object? { session.dynamicObject(key, in: table) }

    /// The key of an object of the type.
    package func key(of object: Object) -> UInt64 { object.key }

    /// Calls `body` with the primary key of an object; nil if there is no such object.
    package func withPrimaryKey<Result>(
        ofKey key: UInt64, _ body: (_RawValue) throws -> Result
    ) throws -> Result? {
        guard let keySlot else { return nil }
        if table.stored.keyKind == .integerPrimaryKey {
            return try body(.word(Int64(bitPattern: key ^ (1 << 63))))
        }
        guard let row = try session.access.value(forKey: key, in: table.rows) else {
            return nil
        }
        return try body(table.value(at: keySlot, in: row, try table.binding(of: row)))
    }
}

extension Realm {
    /// The type with a stored name, or the name of a class.
    package func rowType(_ name: String) -> RowType? {
        let session = session.here
        return session.table(name).map { RowType(session, $0) }
    }

    /// Every stored type, by name.
    package func rowTypes() -> [RowType] {
        let session = session.here
        return session.schema.types.sorted { $0.name < $1.name }
            .compactMap { session.table(named: $0.name).map { RowType(session, $0) } }
    }

    /// Throws the error of a change that could not throw it itself.
    package func throwFailure() throws {
        if let failure = session.failure { throw failure }
        try session.throwDamage()
    }
}
