/// Why the tables that are there can't take the objects.
public struct MappingRefusal: Error, CustomStringConvertible {
    /// One for each type or property.
    public let problems: [String]

    /// All problems, each in a line.
    public var description: String {
        "The tables don't fit the types of the realm any more, and nothing was changed:\n- "
            + problems.joined(separator: "\n- ")
    }
}
