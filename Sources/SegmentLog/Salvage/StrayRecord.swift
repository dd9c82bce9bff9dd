/// A record whose own checksum matches, in a batch that does not.
package struct StrayRecord: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    /// The offset, in the segment, of the batch that it names as its own.
    package var batchOffset: Int
    /// The LSN in the header of that batch, if something like a header is there.
    package var lsnHint: LSN?

    /// The record's offset in its segment.
    package var offset: Int { position - context.origin }
}
