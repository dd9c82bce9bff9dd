/// Valid batches of one segment that follow each other without a gap, and without a gap of LSNs.
package struct LogRun: Sendable, Hashable {
    package var source: Int
    /// Where the first batch begins in the source.
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    package var firstLSN: LSN
    package var lastLSN: LSN
    package var batchCount = 1
    package var recordCount: Int

    /// The offset of the first batch in its segment.
    package var offset: Int { position - context.origin }
}
