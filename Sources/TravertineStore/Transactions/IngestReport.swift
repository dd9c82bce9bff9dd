#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an ingest has stored.
public struct IngestReport: Sendable, Codable, Equatable {
    /// Records of the transactions that were committed.
    public var recordCount = 0
    /// Bytes of their keys and values.
    public var byteCount = 0
    /// These transactions.
    public var transactionCount = 0

    /// Nothing yet.
    public init() {}
}
