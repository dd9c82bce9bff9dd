import TravertineStore

/// A property to sort by, and the direction.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the property, through links with dots.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool

    /// Sorts by a property by its name.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by a property.
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathTracer.requiredName(of: keyPath), ascending: ascending)
    }

    /// Sorts by a property by its name, small values first.
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The same property in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension SortDescriptor: CustomStringConvertible {
    /// The property and the direction.
    public var description: String {
        "SortDescriptor {\n\tkeyPath: \(keyPath);\n\tdirection: "
            + "\(ascending ? "ascending" : "descending");\n}"
    }
}

extension _RawValue {
    var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}
