/// The types of objects that a realm has.
public struct Schema: CustomStringConvertible, Equatable {
    /// The types, by name.
    public let objectSchema: [ObjectSchema]

    init(_ types: [ObjectSchema]) {
        objectSchema = types.sorted { $0.className < $1.className }
    }

    /// Every class of objects in the process, as a realm without `objectTypes` finds them.
    public static func discoveredClasses() -> [ObjectBase.Type] { ClassDiscovery.allClasses() }

    /// The type with a class name.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// The types in one text.
    public var description: String {
        "Schema {\n" + objectSchema.map { $0.description.indented + "\n" }.joined() + "}"
    }
}
