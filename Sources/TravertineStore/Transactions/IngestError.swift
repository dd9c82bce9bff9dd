#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why an ingest stopped, and what it had stored by then.
public struct IngestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public let cause: StoreError
    /// The records before the batch that failed, which are committed. The sequence can be ingested
    /// from the record after them on.
    ///
    /// With `.commitOutcomeUnknown` it is not known which of them survive a power cut, nor what
    /// became of the batch that failed; putting the same records again does no harm.
    public let storedRecordCount: Int

    /// The error in a line, with the number of records before it.
    public var description: String { "\(cause) \(storedRecordCount) records are stored." }
}
