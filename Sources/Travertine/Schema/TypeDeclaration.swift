import TravertineStore

/// An object type that is to be stored without a class, such as one that a schema file describes.
package struct TypeDeclaration: Sendable, Equatable {
    /// A property.
    package struct Property: Sendable, Equatable {
        /// The stored name.
        package var name: String
        /// The type of the value or of the elements.
        package var type: PropertyType
        /// Whether the value, or an element, may be null.
        package var isOptional: Bool
        /// One value or a collection.
        package var collection: CollectionKind
        /// The stored name of the type that it links to; empty without.
        package var target: String
        /// Whether it identifies the object.
        package var isPrimaryKey: Bool

        /// A property.
        package init(
            _ name: String, _ type: PropertyType, isOptional: Bool = false,
            collection: CollectionKind = .none, target: String = "", isPrimaryKey: Bool = false
        ) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.collection = collection
            self.target = target
            self.isPrimaryKey = isPrimaryKey
        }
    }

    /// The stored name.
    package var name: String
    /// Whether the objects belong to others.
    package var isEmbedded: Bool
    /// The properties.
    package var properties: [Property]

    /// A type.
    package init(_ name: String, isEmbedded: Bool = false, _ properties: [Property]) {
        self.name = name
        self.isEmbedded = isEmbedded
        self.properties = properties
    }

    /// The most bytes that the stored name of a type may have.
    package static let nameByteCountMax = SchemaValidation.typeNameByteCountMax
    /// The most bytes that the stored name of a property may have.
    package static let propertyNameByteCountMax = SchemaValidation.propertyNameByteCountMax

    /// Whether a row has room for what all properties have in it.
    package var fitsRow: Bool {
        let fields = properties.map {
            Layout.Field(
                property: 0,
                type: _StoredType($0.type, isOptional: $0.isOptional, collection: $0.collection),
                width: $0.type.narrowestWidth)
        }
        return Layout(number: 1, fields: fields, endWidth: 1) != nil
    }

    /// The rules of names and links that the type breaks, in whole sentences.
    func problems(amongTypes typeNames: Set<String>) -> [String] {
        var problems: [String] = []
        if !(1...SchemaValidation.typeNameByteCountMax).contains(name.utf8.count) {
            problems.append(
                "Object type name '\(name)' has \(name.utf8.count) bytes; 1 to "
                    + "\(SchemaValidation.typeNameByteCountMax) are allowed.")
        }
        if properties.isEmpty { problems.append("No properties are defined for '\(name)'.") }
        var names: Set<String> = []
        for property in properties {
            let path = "\(name).\(property.name)"
            let byteCount = property.name.utf8.count
            if !(1...SchemaValidation.propertyNameByteCountMax).contains(byteCount) {
                problems.append(
                    "Property name '\(path)' has \(byteCount) bytes; 1 to "
                        + "\(SchemaValidation.propertyNameByteCountMax) are allowed.")
            }
            if !names.insert(property.name).inserted {
                problems.append("Property '\(path)' is there twice.")
            }
            if property.type == .object, !typeNames.contains(property.target) {
                problems.append("Property '\(path)' links to unknown type '\(property.target)'.")
            }
        }
        return problems
    }
}

extension Realm {
    /// Stores types that are not there yet, without classes; those that are there stay as they are.
    ///
    /// The classes that a program opens the realm with later must fit them, as always.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch` and every rule that the types break.
    package func addTypes(_ types: [TypeDeclaration]) throws {
        session.checkThread()
        require(!isInWriteTransaction, "Types are added before a write transaction begins.")
        do {
            try session.shared.add(types)
            _ = try session.refresh()
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: session.shared.fileURL)
        }
    }
}

extension SchemaInstaller {
    /// Stores types that are not there yet, and commits them.
    mutating func add(
        _ types: [TypeDeclaration], committing transaction: WriteTransaction
    ) throws -> StoredSchema {
        if let newest = try StoredSchema.load(transaction.access, keyspace: keyspace) {
            stored = newest
        }
        let new = types.filter { stored.type(named: $0.name) == nil }
        let typeNames = Set(stored.types.map(\.name) + new.map(\.name))
        let problems = new.flatMap { $0.problems(amongTypes: typeNames) }
        guard problems.isEmpty else { throw mismatch(problems) }
        for type in new { try add(type, new, transaction) }
        try writeChanged(transaction)
        try transaction.commit()
        return stored
    }

    private mutating func add(
        _ description: TypeDeclaration, _ new: [TypeDeclaration], _ transaction: WriteTransaction
    ) throws {
        var type = StoredObjectType(number: stored.nextType, name: description.name)
        stored.nextType += 1
        type.isEmbedded = description.isEmbedded
        let keyspaces = SchemaKeyspaces(transaction)
        type.rows = try keyspaces.make(.rows, of: type)
        for declared in description.properties {
            var property = StoredProperty(
                number: type.nextProperty, name: declared.name, type: declared.type,
                isOptional: declared.isOptional, collection: declared.collection,
                target: declared.target, isPrimaryKey: declared.isPrimaryKey, isIndexed: false)
            type.nextProperty += 1
            property.defaultValue = RawConstant(undeclaredOf: property.storedType)
            property.isOwning =
                new.first { $0.name == declared.target }?.isEmbedded
                ?? stored.type(named: declared.target)?.isEmbedded ?? false
            if declared.type == .object || declared.type == .any {
                property.backlinks = try keyspaces.make(
                    .backlinks(property: property.number), of: type)
            }
            type.properties.append(property)
        }
        if let key = type.primaryKey {
            if key.type == .int, !key.isOptional {
                type.keyKind = .integerPrimaryKey
            } else {
                type.keyIndex = try keyspaces.make(.primaryKey, of: type)
            }
        }
        try keyspaces.addPieces(to: &type)
        relaid.insert(type.number)
        changed.insert(type.number)
        stored.types.append(type)
    }
}
