/// The search for records that no longer lie where they were written, because bytes before them are
/// missing or were added, and after which no whole batch shows by how much.
///
/// A record says how far after the beginning of its batch it lies. So a batch whose beginning is
/// known gives the offset of each of its records, and with it the checksum, wherever they are now.
enum DisplacedSearch {
    /// The contexts of records that begin anywhere in a gap.
    static func records(
        _ window: SourceWindow, _ gap: Range<Int>, _ batches: [BatchStart]
    ) -> [FragmentContext] {
        let batches = Set(batches).map { ($0, SegmentHeader.checksum(ofSalt: $0.salt)) }
        var contexts: [FragmentContext] = []
        var position = gap.lowerBound
        while position + RecordLayout.headerByteCount <= gap.upperBound {
            guard
                let head = window.bytes(at: position, count: RecordLayout.headerByteCount),
                let distance = possibleDistance(head)
            else {
                position += 1
                continue
            }
            let found = batches.lazy.compactMap { batch, saltChecksum -> FragmentContext? in
                let context = FragmentContext(
                    salt: batch.salt, origin: position - batch.offset - distance)
                return BatchProbe.record(
                    in: window, at: position, limit: gap.upperBound, context: context,
                    saltChecksum: saltChecksum) == nil ? nil : context
            }.first
            if let found, !contexts.contains(found) { contexts.append(found) }
            position += 1
        }
        return contexts
    }

    /// The distance to its batch that a record's header names; nil if this can't be such a header.
    private static func possibleDistance(_ head: UnsafeRawPointer) -> Int? {
        let record = RecordPointer(unsafeBase: head, offset: 0)
        return record.hasPossibleHeader ? record.batchDistance : nil
    }
}
