#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Recognises batches and records anywhere in a source, from nothing but their bytes.
enum BatchProbe {
    /// A valid batch that begins at `position`, wherever in a segment it belongs; nil if none does.
    static func batch(in window: SourceWindow, at position: Int) -> BatchHeader? {
        guard let head = window.bytes(at: position, count: BatchHeader.byteCount),
            let header = BatchHeader(decoding: head), header.impossibility == nil,
            let base = window.bytes(at: position, count: Int(header.byteCount))
        else { return nil }
        return isValid(header, base: base) ? header : nil
    }

    /// A header in its own place in the segment of a context, whatever its checksum says.
    static func headerHint(
        in window: SourceWindow, at position: Int, context: FragmentContext
    ) -> BatchHeader? {
        guard let header = plausibleHeader(in: window, at: position),
            header.salt == context.salt, Int(header.offset) == position - context.origin
        else { return nil }
        return header
    }

    /// Something whose fields can be those of a batch header, whatever its checksum says.
    static func plausibleHeader(in window: SourceWindow, at position: Int) -> BatchHeader? {
        guard let head = window.bytes(at: position, count: BatchHeader.byteCount),
            let header = BatchHeader(decoding: head), header.impossibility == nil
        else { return nil }
        return header
    }

    /// The next place at or after `start` where "TRV" is; `visit` hears how far it looked.
    static func nextMagic(
        in window: SourceWindow, from start: Int, visit: (Int) -> Void = { _ in }
    ) -> Int? {
        var position = start
        while position < window.byteCount {
            let bytes = window.stretch(at: position, wanted: 4)
            guard let base = bytes.baseAddress, bytes.count >= 4 else { return nil }
            if let index = firstMagic(in: base, bytes.count) { return position + index }
            // A magic may begin in the last two bytes.
            position = max(position + bytes.count - 2, position + 1)
            if position + 4 > window.byteCount { return nil }
            position = window.nextData(from: position)
            visit(position)
        }
        return nil
    }

    /// The index of the first "TRV" among some bytes.
    private static func firstMagic(in base: UnsafeRawPointer, _ count: Int) -> Int? {
        var index = 0
        while index + 3 <= count,
            let hit = memchr(base + index, Int32(UInt8(ascii: "T")), count - index - 2)
        {
            index = UnsafeRawPointer(hit) - base
            if base.load(fromByteOffset: index + 1, as: UInt8.self) == UInt8(ascii: "R"),
                base.load(fromByteOffset: index + 2, as: UInt8.self) == UInt8(ascii: "V")
            {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether all checksums of a batch match and its records fill it.
    private static func isValid(_ header: BatchHeader, base: UnsafeRawPointer) -> Bool {
        var contents = BatchCheck.Contents()
        return BatchCheck.damage(
            of: header, base: base,
            saltChecksum: SegmentHeader.checksum(ofSalt: header.salt), contents: &contents) == nil
    }

    /// The record at `position` if its lengths, its kind and its way back to its batch are possible
    /// and it ends at or before `limit`. The checksum is not looked at.
    static func plausibleRecord(
        in window: SourceWindow, at position: Int, limit: Int, context: FragmentContext
    ) -> RecordPointer? {
        let offset = position - context.origin
        guard offset >= SegmentHeader.byteCount + BatchHeader.byteCount, offset & 7 == 0,
            offset < SegmentHeader.segmentByteCountMax,
            position + RecordLayout.headerByteCount <= limit,
            let head = window.bytes(at: position, count: RecordLayout.headerByteCount)
        else { return nil }
        let record = RecordPointer(unsafeBase: head, offset: offset)
        guard record.hasPossibleHeader, record.batchDistance <= offset - SegmentHeader.byteCount,
            position + record.contentByteCount <= limit
        else { return nil }
        return record
    }

    /// The record at `position` if it is plausible and its checksum matches; valid until the window
    /// is asked for something else.
    static func record(
        in window: SourceWindow, at position: Int, limit: Int, context: FragmentContext,
        saltChecksum: UInt32
    ) -> RecordPointer? {
        guard
            let plausible = plausibleRecord(
                in: window, at: position, limit: limit, context: context),
            let base = window.bytes(at: position, count: plausible.contentByteCount)
        else { return nil }
        let record = RecordPointer(unsafeBase: base, offset: plausible.offset)
        return record.verify(saltChecksum: saltChecksum) ? record : nil
    }
}

extension RecordPointer {
    /// Whether the fields of the header can be those of a record somewhere, seen from the cheapest.
    /// Only the first 20 bytes are read, and no checksum.
    @inline(__always)
    var hasPossibleHeader: Bool {
        guard rawKind &- 1 < RecordKind.rawValueMax, hasKnownFlags else { return false }
        let distance = batchDistance
        return distance % RecordLayout.alignment == 0 && distance >= BatchHeader.byteCount
            && distance < SegmentHeader.segmentByteCountMax
            && keyByteCount <= RecordLayout.keyByteCountMax
            && storedValueByteCount <= RecordLayout.valueByteCountMax
    }
}
