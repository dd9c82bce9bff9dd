/// Why a benchmark cannot go on: a peer failed, or an engine returned wrong data.
public struct BenchmarkError: Error, CustomStringConvertible, Sendable {
    /// What happened, in whole sentences.
    public let description: String

    /// Creates an error with a message.
    public init(_ message: String) { description = message }
}

/// Throws unless `condition` holds; used to check what an engine returned.
@inlinable
public func require(
    _ condition: Bool, _ message: @autoclosure () -> String
) throws {
    if !condition { throw BenchmarkError(message()) }
}
