import SegmentLog
import TravertineStore

/// Writing a dump of a snapshot.
extension Snapshot {
    /// Writes what the snapshot sees as text: see `Documentation/Format.md`, 4.10, for the form.
    ///
    /// Memory is bounded, whatever the size of the store, and writing to the store goes on. Every
    /// value's checksum is verified.
    ///
    /// - Parameters:
    ///   - keyspaces: what to dump; nil dumps everything, so that `Store.load` makes the same store
    ///     of it, with derived keyspaces and identifiers.
    ///   - progress: called now and then with how far it is.
    ///   - sink: takes the text piece by piece.
    /// - Throws: `.damaged` for a record or page that can't be believed, `.noSuchKeyspace`, and
    ///   what `sink` throws.
    @discardableResult
    public func dump(
        keyspaces: [Keyspace]? = nil, progress: ((DumpProgress) -> Void)? = nil,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> DumpSummary {
        var writer = try DumpWriter(self, keyspaces: keyspaces, progress: progress)
        return try writer.write(to: sink)
    }
}
