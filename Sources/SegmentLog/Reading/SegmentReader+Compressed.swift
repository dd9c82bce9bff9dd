/// When the checksum of a record is verified that is read.
package enum RecordCheck: Sendable {
    case never
    /// Unless it was before, since the segment was mapped.
    case once
    case always
}

/// Reading what compaction has compressed.
extension SegmentReader {
    /// The record that a compressed location is in; nil if the segment is not mapped yet.
    func mappedCompressedRecord(at location: Location) -> RecordPointer? {
        guard location.recordOffset >= 0,
            let segment = mapped(UInt64(location.segment.rawValue))
        else { return nil }
        return Self.checked(
            base: segment.base, offset: location.recordOffset, limit: segment.byteCount)
    }

    @inline(__always)
    func compressedRecord(
        at location: Location, _ check: RecordCheck
    ) throws(LogError) -> RecordPointer {
        switch check {
        case .always: return try verifiedRecord(at: location)
        case .once: return try wholeCompressedRecord(at: location)
        case .never:
            if let mapped = mappedCompressedRecord(at: location) { return mapped }
            return try record(at: location)
        }
    }

    /// The value at a location of a pack in place; nil if it is compressed, or no such value is
    /// there.
    package func packedValue(
        at location: Location, _ check: RecordCheck
    ) throws(LogError) -> UnsafeRawBufferPointer? {
        let record = try compressedRecord(at: location, check)
        return Pack(record)?.value(location.ordinal)
    }

    /// Decompresses the value at a compressed location into a buffer, which grows if it is too
    /// small.
    ///
    /// Of a pack only what lies before the value's end is decompressed. Throws `.damaged` when the
    /// checksum is asked for and does not match, and when the bytes are no such value: whatever
    /// they are, nothing outside of the buffer is touched.
    package func decompressValue(
        at location: Location, _ check: RecordCheck, into buffer: DecompressionBuffer
    ) throws(LogError) -> UnsafeRawBufferPointer {
        let record = try compressedRecord(at: location, check)
        if record.isCompressed, location.ordinal == 0,
            let count = Compression.valueByteCount(ofStored: record.value)
        {
            let target = buffer.memory(byteCount: count)
            if Compression.decompress(record.value, into: target) {
                return UnsafeRawBufferPointer(target)
            }
        } else if let pack = Pack(record), let range = pack.range(of: location.ordinal) {
            let target = buffer.memory(byteCount: range.upperBound)
            if pack.decompress(through: range.upperBound, into: target) {
                return UnsafeRawBufferPointer(rebasing: target[range])
            }
        }
        throw head.pointee.mappings.takeUnretainedValue().undecodable(location)
    }

    /// Whether the record, or the entry of a pack, at a location is one of this key, and can be
    /// read; its checksum is verified. For a walk over many keys: `last` is the pack of the one
    /// before.
    package func holdsKey(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, at location: Location,
        _ last: inout (location: Location, entries: PackExpansion)?
    ) throws(LogError) -> Bool {
        if !location.isCompressed {
            let record = try verifiedRecord(at: location)
            return record.keyspace == keyspace && record.key.elementsEqual(key)
        }
        let first = location.entry(0)
        if last?.location != first {
            let record = try verifiedRecord(at: location)
            if record.isCompressed {
                _ = try decompressValue(
                    at: location, .never, into: DecompressionBuffer.current)
                return record.keyspace == keyspace && record.key.elementsEqual(key)
            }
            let entries = last?.entries ?? PackExpansion()
            last = nil
            guard entries.fill(from: record) else {
                throw head.pointee.mappings.takeUnretainedValue().undecodable(location)
            }
            last = (first, entries)
        }
        guard let entries = last?.entries, location.ordinal < entries.count else { return false }
        let entry = entries[location.ordinal]
        return entry.keyspace == keyspace && entry.key.elementsEqual(key)
    }
}
