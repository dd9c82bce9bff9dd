extension ObjectSchema {
    /// The type that a struct declares: a property for each of its coding keys, by what its `init`
    /// asks a decoder for.
    ///
    /// Structs that it links to must be declared as well. Links are optional in the schema.
    ///
    /// - Throws: `DecodingError`, naming the property, for a type that no property can have, or a
    ///   struct that refuses zeros and empty texts: declare its type with `Property` instead.
    public init<Value: PersistedStruct>(_ type: Value.Type) throws {
        let found = StructProperties()
        _ = try Value(from: ShapeDecoder(found: found, codingPath: []))
        let indexed = Set(type.indexedProperties())
        self.init(
            type.objectTypeName(), kind: type.objectKind(),
            properties: found.properties.map { property in
                Property(
                    property.name, property.shape.type, isOptional: property.shape.isOptional,
                    collection: property.shape.collection, objectType: property.shape.target,
                    index: indexed.contains(property.name) ? .general : .none,
                    isPrimaryKey: property.name == type.primaryKey())
            })
    }
}

/// What a property of a struct stores.
private struct PropertyShape {
    var type: PropertyType
    var isOptional = false
    var collection = CollectionKind.none
    /// The stored name of the type that a link leads to.
    var target: String?

    /// The shape of a type, and a placeholder value; nil for a type that no property
    /// can have.
    static func of(_ type: Any.Type) -> (shape: PropertyShape, value: Any?)? {
        if let scalar = type as? any _Scalar.Type {
            return (PropertyShape(type: scalar._propertyType), scalar._defaultValue())
        }
        if let own = type as? any FailableCustomPersistable.Type {
            let stored = own._storedType
            return (
                PropertyShape(
                    type: stored.type, target: stored.targetClass.map { $0.objectTypeName() }),
                own._hasEmbeddedForm ? nil : own.storageDefaultValue
            )
        }
        if let integer = type as? any FixedWidthInteger.Type {
            return (PropertyShape(type: .int), zero(integer))
        }
        if let collection = type as? any ShapedCollection.Type {
            guard var shape = of(collection.elementType)?.shape, shape.collection == .none else {
                return nil
            }
            shape.collection = collection.kind
            return (shape, collection.emptyValue)
        }
        if let optional = type as? any ShapedOptional.Type {
            guard var shape = of(optional.wrappedType)?.shape else { return nil }
            shape.isOptional = true
            return (shape, optional.noValue)
        }
        if let value = type as? any PersistedStruct.Type {
            return (PropertyShape(type: .object, target: value.objectTypeName()), nil)
        }
        if let cases = type as? any CaseIterable.Type, let raw = type as? any RawRepresentable.Type,
            let shape = of(rawType(raw))?.shape
        {
            return (shape, first(cases))
        }
        return nil
    }

    private static func zero<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any {
        Integer.zero
    }

    private static func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> Any.Type {
        Raw.RawValue.self
    }

    private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? {
        Cases.allCases.first
    }
}

/// A standard collection, as the type of a property.
private protocol ShapedCollection {
    static var kind: CollectionKind { get }
    static var elementType: Any.Type { get }
    static var emptyValue: Any { get }
}

extension Array: ShapedCollection {
    fileprivate static var kind: CollectionKind { .list }
    fileprivate static var elementType: Any.Type { Element.self }
    fileprivate static var emptyValue: Any { Self() }
}

extension Set: ShapedCollection {
    fileprivate static var kind: CollectionKind { .set }
    fileprivate static var elementType: Any.Type { Element.self }
    fileprivate static var emptyValue: Any { Self() }
}

extension Dictionary: ShapedCollection where Key == String {
    fileprivate static var kind: CollectionKind { .map }
    fileprivate static var elementType: Any.Type { Value.self }
    fileprivate static var emptyValue: Any { Self() }
}

private protocol ShapedOptional {
    static var wrappedType: Any.Type { get }
    static var noValue: Any { get }
}

extension Optional: ShapedOptional {
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
    fileprivate static var noValue: Any { Self.none as Any }
}

/// The properties of a struct, in the order in which it asks for them.
private final class StructProperties {
    var properties: [(name: String, shape: PropertyShape)] = []
    /// The name of the value that may be nil, which is asked for next.
    var optionalName: String?

    func note(_ name: String, _ shape: PropertyShape) {
        var shape = shape
        if optionalName == name { shape.isOptional = true }
        optionalName = nil
        if !properties.contains(where: { $0.name == name }) { properties.append((name, shape)) }
    }
}

/// Hands a struct zeros and empty values, and notes what it asks for.
private struct ShapeDecoder: Decoder {
    let found: StructProperties
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ShapedEntries(found: found, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refused }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refused }

    private var refused: DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "A PersistedStruct is decoded by its coding keys."))
    }
}

private struct ShapedEntries<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let found: StructProperties
    let codingPath: [any CodingKey]
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
        found.optionalName = key.stringValue
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let (shape, value) = PropertyShape.of(type) else { throw unfit(type, key) }
        found.note(key.stringValue, shape)
        if let value = value as? Value { return value }
        // A link that the struct needs: its own properties are of no concern here.
        guard shape.type == .object, codingPath.count < 16 else { throw unfit(type, key) }
        return try Value(
            from: ShapeDecoder(found: StructProperties(), codingPath: codingPath + [key]))
    }

    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        guard let (shape, _) = PropertyShape.of(type) else { throw unfit(type, key) }
        found.optionalName = key.stringValue
        found.note(key.stringValue, shape)
        return nil
    }

    private func unfit(_ type: Any.Type, _ key: Key) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath + [key],
                debugDescription:
                    "No property can have the type \(type). Use a single value, an enum with raw "
                    + "value and cases, a PersistedStruct, or an array, a set or a dictionary with "
                    + "string keys of these, or declare the type with `Property`."))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw unfit(type, key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw unfit([Any].self, key)
    }

    func superDecoder() throws -> any Decoder {
        ShapeDecoder(found: found, codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw unfit(Any.self, key) }
}
