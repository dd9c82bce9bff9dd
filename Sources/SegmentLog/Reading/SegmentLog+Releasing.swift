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

/// Letting go of what was decrypted.
extension SegmentLog {
    /// The bytes that are decrypted in memory. Any thread.
    package var decryptedByteCount: Int { mappings.allDecryptedByteCount }

    /// Says how many bytes may be decrypted at a time, and what to call when more are, once for
    /// each `letGoOfDecrypted`; it must not read.
    package func setDecryptedByteCountMax(_ max: Int, exceeds: @escaping @Sendable () -> Void) {
        mappings.setDecryptedByteCountMax(max, exceeds: exceeds)
    }

    /// Lets go of decrypted segments beyond that; see `SegmentMappings`. The caller keeps away what
    /// reads without a version of the index: write transactions and compaction.
    ///
    /// - Returns: whether it let go of some, which another call may free.
    package func letGoOfDecrypted(
        version: UInt64, isTaken: (_ through: UInt64) -> Bool
    ) -> Bool {
        mappings.letGoOfDecrypted(version: version, isTaken: isTaken)
    }
}
