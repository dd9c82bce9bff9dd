/// Why bytes are no JSON, or not the JSON that is expected, and where.
public struct JSONFailure: Error, Sendable, Hashable {
    /// What is wrong, as the rest of a sentence.
    public let reason: String
    /// The bytes before the place.
    public let offset: Int

    /// What is wrong, and where.
    public init(_ reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
