/// How strings are compared in queries.
public struct StringOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int
    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Upper and lower case are alike.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without marks are alike.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
