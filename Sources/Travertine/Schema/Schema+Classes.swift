/// A schema of classes, without a realm.
extension Schema {
    /// The types of classes, without a realm.
    ///
    /// Classes that they link to must be among them.
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
    /// The integers that a property, or its elements, can hold, if its class declares a type of
    /// less than 64 bits.
    ///
    /// What is stored has one type for integers of every width, so that a type without class has
    /// no such property.
    package func integerRange(_ property: Property) -> ClosedRange<Int64>? {
        guard property.type == .int, objectClass != DynamicObject.self,
            let declared = ClassInfo.of(objectClass).properties.first(where: {
                $0.name == property.name
            })
        else { return nil }
        return Self.narrowIntegers[ObjectIdentifier(declared.valueType)]
    }

    private static let narrowIntegers = [ObjectIdentifier: ClosedRange<Int64>](
        uniqueKeysWithValues: valueTypes(Int8.self) + valueTypes(Int16.self)
            + valueTypes(Int32.self))

    /// The types that a property of integers can have, with what they hold.
    private static func valueTypes<Integer: StoredInteger & RealmCollectionValue>(
        _: Integer.Type
    ) -> [(ObjectIdentifier, ClosedRange<Int64>)] {
        let types = [
            ObjectIdentifier(Integer.self), ObjectIdentifier(Integer?.self),
            ObjectIdentifier(RealmProperty<Integer?>.valueType),
            ObjectIdentifier(List<Integer>.self), ObjectIdentifier(List<Integer?>.self),
            ObjectIdentifier(MutableSet<Integer>.self), ObjectIdentifier(MutableSet<Integer?>.self),
            ObjectIdentifier(Map<String, Integer>.self),
            ObjectIdentifier(Map<String, Integer?>.self),
        ]
        let range = Int64(Integer.min)...Int64(Integer.max)
        // An optional and what `RealmProperty` holds are one type.
        return Set(types).map { ($0, range) }
    }
}
