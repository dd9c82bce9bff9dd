/// What documents of a type look like: a JSON Schema in the form that App Services has it.
///
/// It is filled from a text, from classes, or from samples of documents, written as text, and
/// compared with another one.
public struct DocumentSchema: Sendable, Hashable {
    /// The name of the object type; embedded ones may have none.
    public var title: String?
    /// The properties under their stored names, in order.
    public var properties: [Property]
    /// The names of properties that every document has, in order.
    public var required: [String]
    /// What else the text says, such as `additionalProperties: false`; kept when it is rewritten.
    public var constraints: [Constraint]

    /// A property.
    public struct Property: Sendable, Hashable {
        /// The stored name.
        public var name: String
        /// What its values look like.
        public var value: ValueSchema

        /// A property.
        public init(_ name: String, _ value: ValueSchema) {
            self.name = name
            self.value = value
        }
    }

    /// A rule that classes cannot express, such as `minItems`.
    public struct Constraint: Sendable, Hashable {
        /// The keyword.
        public var keyword: String
        /// What it says.
        public var value: JSONConstant

        /// A rule.
        public init(_ keyword: String, _ value: JSONConstant) {
            self.keyword = keyword
            self.value = value
        }
    }

    /// A schema of properties.
    public init(
        title: String?, properties: [Property] = [], required: [String] = [],
        constraints: [Constraint] = []
    ) {
        self.title = title
        self.properties = properties
        self.required = required
        self.constraints = constraints
    }

    /// What a property's values look like; nil if there is none of this name.
    public subscript(name: String) -> ValueSchema? {
        properties.first { $0.name.isName(name) }?.value
    }
}

/// What a value looks like.
public struct ValueSchema: Sendable, Hashable {
    /// The type.
    public var type: Kind
    /// What else the text says, such as `maxLength`.
    public var constraints: [DocumentSchema.Constraint]

    /// The type of a value.
    public indirect enum Kind: Sendable, Hashable {
        /// One value.
        case scalar(SchemaScalar)
        /// Values in order; unique ones make a set.
        case array(of: ValueSchema, isUnique: Bool)
        /// Values of one type under any names.
        case dictionary(of: ValueSchema)
        /// An embedded object.
        case object(DocumentSchema)
    }

    /// A value of a type.
    public init(_ type: Kind, constraints: [DocumentSchema.Constraint] = []) {
        self.type = type
        self.constraints = constraints
    }

    /// A value of a scalar type.
    public static func scalar(_ scalar: SchemaScalar) -> ValueSchema {
        ValueSchema(.scalar(scalar))
    }
}

/// The types of single values, by the names that `bsonType` has for them.
public enum SchemaScalar: String, Sendable, Hashable, CaseIterable {
    /// 64-bit integers.
    case long
    /// 32-bit integers.
    case int
    /// Floating-point numbers.
    case double
    /// Bytes.
    case binData
    /// Decimal floating-point numbers.
    case decimal
    /// Values of any type.
    case mixed
    /// Truth values.
    case bool
    /// Points in time.
    case date
    /// 12-byte identifiers.
    case objectId
    /// 16-byte identifiers.
    case uuid
    /// Texts.
    case string
}
