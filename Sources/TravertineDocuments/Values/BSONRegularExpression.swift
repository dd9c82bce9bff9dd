/// A regular expression as text, with its options in alphabetic order.
public struct BSONRegularExpression: Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// Letters such as "i" and "m".
    public let options: String

    /// A pattern with options in any order.
    public init(pattern: String, options: String = "") {
        self.pattern = pattern
        self.options = String(options.sorted())
    }

    /// A pattern with options as BSON has them.
    init(pattern: String, storedOptions: String) {
        self.pattern = pattern
        options = storedOptions
    }
}
