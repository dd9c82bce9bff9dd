import CPlatform

/// The check of a whole batch, before it is written and after it is read: every checksum, and that
/// the records fill it (rule 3).
enum BatchCheck {
    /// What checking a batch finds beside its validity.
    struct Contents {
        /// True when a record of the batch is of the kind `rollback`.
        var hasRollback = false
    }

    /// Why the bytes of a batch can't be trusted; nil when every checksum matches.
    ///
    /// - Parameter base: The bytes of the batch, as many as its header says. That is possible in
    ///   itself (`BatchHeader.impossibility`).
    static func damage(
        of batch: BatchHeader, base: UnsafeRawPointer, saltChecksum: UInt32,
        contents: inout Contents
    ) -> String? {
        let (origin, end) = (Int(batch.offset), batch.contentByteCount)
        var place = BatchHeader.byteCount
        var checksum = BatchHeader.ownChecksum(base)
        for _ in 0..<batch.recordCount {
            guard
                let record = SegmentReader.checked(
                    base: base - origin, offset: origin + place, limit: origin + end)
            else { return "a record at offset \(origin + place) has impossible lengths" }
            guard record.verify(saltChecksum: saltChecksum),
                record.hasPlausibleHeader(distance: place)
            else { return "the checksum of the record at offset \(origin + place) does not match" }
            if !batch.isSealed {
                checksum = travertine_crc32c(
                    checksum, base + place, RecordLayout.headerByteCount)
            }
            if record.rawKind == RecordKind.rollback.rawValue { contents.hasRollback = true }
            place += record.storedByteCount
        }
        guard place == end else { return "the batch's records do not fill it" }
        guard checksum == batch.checksum else { return "the batch's checksum does not match" }
        return nil
    }
}

extension RecordPointer {
    /// True when the parts of the header that bound nothing have values that this format knows.
    @inline(__always)
    fileprivate func hasPlausibleHeader(distance: Int) -> Bool {
        batchDistance == distance && hasKnownFlags
    }

    /// Whether no unknown flag is set.
    @inline(__always)
    var hasKnownFlags: Bool {
        base.load(fromByteOffset: RecordLayout.flags, as: UInt8.self)
            & ~RecordLayout.compressedFlag == 0
    }
}
