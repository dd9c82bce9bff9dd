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
