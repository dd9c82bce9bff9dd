import TravertineStore

/// A property to sort by, the direction, and how texts compare.
///
/// ```swift
/// files.sorted(by: [SortDescriptor(keyPath: \File.name, options: [.caseInsensitive, .numeric])])
/// ```
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral {
    /// How strings are put in order. Without options their bytes are.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Creates options from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Upper and lower case are alike.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Letters with and without marks are alike.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// Digits 0 to 9 in a row are a whole number and compare by its value, so that "file9" is
        /// before "file10". Zeros before a number count for nothing.
        public static let numeric = Options(rawValue: 4)
    }

    /// The name of the property, through links with dots; what a map has under a key in brackets:
    /// `scores["math"]`.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool
    /// How strings compare; others have no options.
    public let options: Options

    /// Sorts by a property by its name.
    public init(keyPath: String, ascending: Bool = true, options: Options = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }

    /// Sorts by a property.
    public init<Root: ObjectBase>(
        keyPath: PartialKeyPath<Root>, ascending: Bool = true, options: Options = []
    ) {
        self.init(
            keyPath: KeyPathTracer.requiredName(of: keyPath), ascending: ascending,
            options: options)
    }

    /// Sorts by a property by its name, small values first.
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The same property in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending, options: options)
    }
}

extension SortDescriptor: CustomStringConvertible {
    /// The property, the direction, and the options if there are any.
    public var description: String {
        let options = options.isEmpty ? "" : "\n\toptions: \(options);"
        return "SortDescriptor {\n\tkeyPath: \(keyPath);\n\tdirection: "
            + "\(ascending ? "ascending" : "descending");\(options)\n}"
    }
}

extension SortDescriptor.Options: CustomStringConvertible {
    /// The names of the options.
    public var description: String {
        var names: [String] = []
        if contains(.caseInsensitive) { names.append("caseInsensitive") }
        if contains(.diacriticInsensitive) { names.append("diacriticInsensitive") }
        if contains(.numeric) { names.append("numeric") }
        return names.joined(separator: ", ")
    }
}

extension _RawValue {
    var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}
