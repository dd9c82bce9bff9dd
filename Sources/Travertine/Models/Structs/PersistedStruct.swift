/// A value type with the values of objects of a type: read from and written to them as a copy.
///
/// ```swift
/// struct Person: PersistedStruct {
///     var id: Int
///     var name: String
///     var email: String?
///     var home: Address?
///     static func primaryKey() -> String? { "id" }
/// }
/// let people = try realm.values(Person.self)
/// try realm.write { try realm.insert(Person(id: 1, name: "Ada"), update: .modified) }
/// ```
/// The names of its coding keys are the stored names of the properties. It may leave properties
/// out: reading passes them over, writing leaves them as they are, or at their defaults. Arrays,
/// sets and dictionaries with string keys are lists, sets and maps; other values of this kind are
/// linked or embedded objects. The objects' type may have a class; one without is declared by the
/// struct alone, with `ObjectSchema(Person.self)` in `Configuration.objectSchemas`.
public protocol PersistedStruct: Codable {
    /// The stored name of the objects' type; the name of the struct unless it says otherwise.
    static func objectTypeName() -> String
    /// The stored name of the primary key, where the struct declares the type; nil for none.
    static func primaryKey() -> String?
    /// Stored names of properties with an index, where the struct declares the type.
    static func indexedProperties() -> [String]
    /// What the objects are, where the struct declares the type.
    static func objectKind() -> ObjectSchema.Kind
}

extension PersistedStruct {
    /// The name of the struct.
    public static func objectTypeName() -> String { String(describing: Self.self) }

    /// None.
    public static func primaryKey() -> String? { nil }

    /// None.
    public static func indexedProperties() -> [String] { [] }

    /// Separate objects, not embedded ones.
    public static func objectKind() -> ObjectSchema.Kind { .object }
}

extension Realm {
    /// The objects of a struct's type, each as a value; costs reading all of them.
    ///
    /// - Throws: `DecodingError` for an object that makes no value; `Realm.Error` with
    ///   `.invalidInput` when the realm does not have the type.
    public func values<Value: PersistedStruct>(_ type: Value.Type) throws -> [Value] {
        try requireType(of: type)
        return try dynamicObjects(type.objectTypeName()).map { try $0.value(as: type) }
    }

    /// The object with a primary key as a value, or nil if there is none.
    ///
    /// - Throws: What `values` throws.
    public func value<Value: PersistedStruct>(
        ofType type: Value.Type, forPrimaryKey key: Any
    ) throws -> Value? {
        try requireType(of: type)
        return try dynamicObject(ofType: type.objectTypeName(), forPrimaryKey: key)?
            .value(as: type)
    }

    /// Adds an object with the values of a struct, or changes the one with its primary key.
    ///
    /// Needs a write transaction. Linked structs with primary keys change the objects that they
    /// name under the same policy; embedded ones change those that are there, and are made anew in
    /// collections.
    ///
    /// - Throws: `EncodingError` for values that no property can have; `Realm.Error` with
    ///   `.invalidInput` for those that the type's properties don't take, and
    ///   `.duplicatePrimaryKey`.
    @discardableResult
    public func insert<Value: PersistedStruct>(
        _ value: Value, update: UpdatePolicy = .error
    ) throws -> DynamicObject {
        try requireType(of: Value.self)
        let encoded = EncodedValue()
        try value.encode(to: ValueEncoder(output: encoded, codingPath: []))
        return try dynamicInsert(
            Value.objectTypeName(), value: encoded.plain ?? [String: Any](), update: update)
    }

    private func requireType<Value: PersistedStruct>(of type: Value.Type) throws {
        session.here.checkThread()
        guard !hasType(type.objectTypeName()) else { return }
        throw Realm.Error(
            .invalidInput,
            "The realm has no object type '\(type.objectTypeName())' for the values of \(type). "
                + "Add `ObjectSchema(\(type).self)` to `objectSchemas`, or its class to "
                + "`objectTypes`.",
            fileURL: session.shared.fileURL)
    }
}

extension ObjectBase {
    /// A struct with the object's values, and those of what it links to as far as the struct goes.
    ///
    /// - Throws: `DecodingError`, naming the property, for one that the struct needs and that is
    ///   nil, has another type or does not exist.
    public final func value<Value: PersistedStruct>(as type: Value.Type) throws -> Value {
        try Value(from: ValueDecoder(source: self, codingPath: []))
    }
}

extension Results where Element: ObjectBase {
    /// The objects as structs.
    ///
    /// - Throws: `DecodingError` for an object that makes no value.
    public func values<Value: PersistedStruct>(as type: Value.Type) throws -> [Value] {
        try map { try $0.value(as: type) }
    }
}
