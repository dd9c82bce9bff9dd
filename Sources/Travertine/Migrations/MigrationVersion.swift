/// The declared steps that lead to a version of the schema from the one before.
///
/// ```swift
/// configuration.schemaVersion = 3
/// configuration.migrations = [
///     MigrationVersion(1, .rename("Person", from: "fullName", to: "name")),
///     MigrationVersion(2),
///     MigrationVersion(
///         3,
///         .split("Person", "name", into: "first", "last") { (name: String) in
///             let words = name.split(separator: " ", maxSplits: 1).map(String.init)
///             return (words.first ?? "", words.last ?? "")
///         }),
/// ]
/// ```
/// A realm of any older version gets the steps of all versions after its own, in order, in one
/// transaction. Names are checked before anything is written.
public struct MigrationVersion: Sendable {
    /// The version.
    public let version: UInt64
    /// Its steps, in order.
    public let steps: [MigrationStep]

    /// A version with its steps; one that needs none, because properties are only added or removed,
    /// is listed as well.
    public init(_ version: UInt64, _ steps: MigrationStep...) {
        self.init(version, steps: steps)
    }

    /// A version with its steps.
    public init(_ version: UInt64, steps: [MigrationStep]) {
        self.version = version
        self.steps = steps
    }
}

/// One declared step of a migration.
///
/// Types are named by their classes or by their stored names. Properties are named as they were
/// called in the step's version, which the classes of today need not know. A value has the type
/// that the closure takes: `Int`, `String?`, `List<Int>`, `DynamicObject?` for links, or `Any?` for
/// all.
public struct MigrationStep: Sendable {
    enum Kind: Sendable {
        case rename(from: String, to: String)
        case add(String, value: ConstantValue)
        case values([String], to: [String], @Sendable ([Any?]) throws -> [Any?])
        case delete
    }

    /// A value of a property that objects of an older version have.
    struct ConstantValue: @unchecked Sendable {
        // Unchecked: it was given as a value that can be sent, and is never changed.
        let value: Any?
    }

    let typeName: String
    let kind: Kind

    /// A property got another name. Where the classes of today have the name, no object is
    /// rewritten.
    public static func rename(
        _ typeName: String, from oldName: String, to newName: String
    ) -> MigrationStep {
        MigrationStep(typeName: typeName, kind: .rename(from: oldName, to: newName))
    }

    /// A property came that a later step takes and that the classes of today do not have; objects
    /// of older versions get the value.
    public static func add(
        _ typeName: String, _ name: String, value: (some Sendable)?
    ) -> MigrationStep {
        MigrationStep(typeName: typeName, kind: .add(name, value: ConstantValue(value: value)))
    }

    /// A property gets values that are made of another one, or of its old values.
    ///
    /// - Parameters:
    ///   - typeName: the stored name of the class.
    ///   - name: the property whose values are taken.
    ///   - newName: the property that gets them; nil for the same name.
    ///   - transform: makes a new value of an old one; what it throws fails the opening.
    public static func map<Old, New>(
        _ typeName: String, _ name: String, to newName: String? = nil,
        _ transform: @escaping @Sendable (Old) throws -> New
    ) -> MigrationStep {
        MigrationStep(
            typeName: typeName,
            kind: .values([name], to: [newName ?? name]) { values in
                [try transform(try value(values[0], typeName, name))]
            })
    }

    /// A property of a class gets values that are made of another one, or of its old values.
    public static func map<Model: ObjectBase, Old, New>(
        _ name: String, to property: KeyPath<Model, New>,
        _ transform: @escaping @Sendable (Old) throws -> New
    ) -> MigrationStep {
        map(Model.objectTypeName(), name, to: _name(for: property), transform)
    }

    /// Several properties get what one was.
    public static func split<Old, each Part>(
        _ typeName: String, _ name: String, into newNames: String...,
        by transform: @escaping @Sendable (Old) throws -> (repeat each Part)
    ) -> MigrationStep {
        MigrationStep(
            typeName: typeName,
            kind: .values([name], to: newNames) { values in
                let parts = try transform(try value(values[0], typeName, name))
                var made: [Any?] = []
                repeat made.append(each parts)
                return made
            })
    }

    /// One property gets what several were.
    public static func merge<each Old, New>(
        _ typeName: String, _ names: String..., to newName: String,
        by transform: @escaping @Sendable (repeat each Old) throws -> New
    ) -> MigrationStep {
        MigrationStep(
            typeName: typeName,
            kind: .values(names, to: [newName]) { values in
                var position = -1
                func next<Value>(_ type: Value.Type) throws -> Value {
                    position += 1
                    return try value(
                        position < values.count ? values[position] : nil, typeName,
                        position < names.count ? names[position] : "")
                }
                return [try transform(repeat try next((each Old).self))]
            })
    }

    /// Every object of a type is deleted; a type without a class is removed.
    public static func delete(_ typeName: String) -> MigrationStep {
        MigrationStep(typeName: typeName, kind: .delete)
    }

    /// A stored value as the type that a step takes.
    private static func value<Value>(
        _ value: Any?, _ typeName: String, _ name: String
    ) throws -> Value {
        if let value, let found = value as? Value { return found }
        // Nil for an optional.
        if let found = (value as Any) as? Value { return found }
        throw Realm.Error(
            .invalidInput,
            "A step of the migration takes '\(typeName).\(name)' as \(Value.self), and an object has "
                + (value.map { ValueText.withType($0) } ?? "nil")
                + ". Let the closure take the type that is stored.")
    }
}
