extension Schema {
    /// The types of classes, without a realm.
    ///
    /// Classes that theirs link to have to be among them.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch` and every rule that the classes break.
    public init(classes: [ObjectBase.Type]) throws {
        let infos = classes.map { ClassInfo.of($0) }
        let problems = SchemaValidation.problems(of: infos)
        guard problems.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "The classes can't be stored:\n- " + problems.joined(separator: "\n- "))
        }
        self.init(infos.map { ObjectSchema($0) })
    }
}

extension ObjectSchema {
    /// Whether the class declares a property, or its elements, as integers of at most 32 bits.
    ///
    /// What is stored has one type for integers of every width, so that a type without class has
    /// no such property.
    package func hasNarrowIntegers(_ property: Property) -> Bool {
        guard property.type == .int, objectClass != DynamicObject.self,
            let declared = ClassInfo.of(objectClass).properties.first(where: {
                $0.name == property.name
            })
        else { return false }
        return Self.narrowIntegers.contains(ObjectIdentifier(declared.valueType))
    }

    private static let narrowIntegers = Set(
        valueTypes(Int8.self) + valueTypes(Int16.self) + valueTypes(Int32.self))

    /// The types that a property of integers can have.
    private static func valueTypes<Integer: _StoredInteger & RealmCollectionValue>(
        _: Integer.Type
    ) -> [ObjectIdentifier] {
        [
            ObjectIdentifier(Integer.self), ObjectIdentifier(Integer?.self),
            ObjectIdentifier(RealmProperty<Integer?>.valueType),
            ObjectIdentifier(List<Integer>.self), ObjectIdentifier(List<Integer?>.self),
            ObjectIdentifier(MutableSet<Integer>.self), ObjectIdentifier(MutableSet<Integer?>.self),
            ObjectIdentifier(Map<String, Integer>.self),
            ObjectIdentifier(Map<String, Integer?>.self),
        ]
    }
}
