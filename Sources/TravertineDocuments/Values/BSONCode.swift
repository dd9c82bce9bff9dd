/// JavaScript with the values of its free names.
public struct BSONCode: Sendable, Hashable {
    /// The program.
    public var code: String
    /// Values of free names.
    public var scope: Document

    /// A program and values of its free names.
    public init(_ code: String, scope: Document) {
        self.code = code
        self.scope = scope
    }
}
