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
