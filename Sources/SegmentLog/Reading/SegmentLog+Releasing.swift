/// Holding segments of a log that is followed, and letting go of them: another process writes it,
/// and removes files.
extension SegmentLog {
    /// Brings segments into memory, where they stay readable when their files are removed.
    ///
    /// - Throws: `.damaged` for one that is missing, or whose header is not whole; `.io`.
    package func hold(_ numbers: [SegmentNumber]) throws(LogError) { try mappings.bring(numbers) }

    /// How many segments are in memory for reading. Any thread.
    package var mappedSegmentCount: Int { mappings.mapped.count }

    /// The segments in memory that the newest retirement table that was read retires, with the LSNs
    /// of their first batches: no version before these, or from the table's LSN on, has a record
    /// there. The thread that follows.
    package var mappedRetiredSegments: [(number: SegmentNumber, firstLSN: LSN)] {
        guard let table = writer.retirementTable else { return [] }
        return mappings.mapped.filter { table.contains($0.number) }
    }

    /// Unmaps segments that no version needs any more that may be read. Their files stay as they
    /// are. Any thread.
    package func unmap(_ numbers: some Sequence<SegmentNumber>) {
        for number in numbers { mappings.remove(number) }
    }
}
