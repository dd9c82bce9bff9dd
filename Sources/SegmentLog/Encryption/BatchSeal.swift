/// Where the parts of a sealed batch are (Format 9).
///
///     | header, 64 bytes in the clear | records, encrypted in chunks | a tag of each chunk |
///
/// A chunk is 16 KiB of the records' bytes, the last one is what is left; a batch without records
/// has one chunk of no bytes, so that its header is authenticated too. All offsets of records are
/// those of an unencrypted segment.
package struct BatchSeal: Equatable {
    /// The bytes of a chunk.
    package static let chunkByteCount = 16 << 10
    /// The bytes of a tag.
    package static let tagByteCount = 16
    private static let sealedChunkByteCount = chunkByteCount + tagByteCount

    /// The offset of the batch in its segment.
    package let start: Int
    /// The bytes of the batch, header and tags included.
    package let byteCount: Int
    /// Where the segment begins, by which all other offsets are counted: not 0 only where segments
    /// are parts of another file.
    let origin: Int

    /// Nil if no sealed batch has that length.
    package init?(start: Int, byteCount: Int, origin: Int = 0) {
        let body = byteCount - BatchHeader.byteCount
        guard body >= Self.tagByteCount else { return nil }
        self.start = start
        self.byteCount = byteCount
        self.origin = origin
        guard Self.sealedByteCount(contentEnd - start) == byteCount else { return nil }
    }

    /// The chunks of the batch, at least one.
    package var chunkCount: Int {
        let body = byteCount - BatchHeader.byteCount
        return (body + Self.sealedChunkByteCount - 1) / Self.sealedChunkByteCount
    }

    /// The offset after the batch.
    package var end: Int { start + byteCount }

    /// The offset in the segment after the last record, where the tags begin.
    package var contentEnd: Int { end - chunkCount * Self.tagByteCount }

    /// Where the first chunk begins.
    package var contentStart: Int { start + BatchHeader.byteCount }

    /// The offsets of a chunk in the segment.
    package func chunk(_ index: Int) -> Range<Int> {
        let first = contentStart + index * Self.chunkByteCount
        return first..<min(first + Self.chunkByteCount, contentEnd)
    }

    /// The offset of a chunk's tag.
    package func tag(_ index: Int) -> Int { contentEnd + index * Self.tagByteCount }

    /// The place of a chunk in the segment, for its nonce.
    func position(of chunk: Int) -> UInt32 { UInt32(self.chunk(chunk).lowerBound - origin) }

    /// The chunks that hold some offsets of the segment; none if no record can be there.
    package func chunks(holding offsets: Range<Int>) -> Range<Int> {
        let held = offsets.clamped(to: contentStart..<contentEnd)
        guard !held.isEmpty else { return 0..<0 }
        let first = (held.lowerBound - contentStart) / Self.chunkByteCount
        let last = (held.upperBound - 1 - contentStart) / Self.chunkByteCount
        return first..<last + 1
    }

    /// The bytes that a batch has when it is sealed, of `plain` bytes with its header.
    package static func sealedByteCount(_ plain: Int) -> Int {
        let body = plain - BatchHeader.byteCount
        let chunks = max(1, (body + chunkByteCount - 1) / chunkByteCount)
        return plain + chunks * tagByteCount
    }

    /// The most bytes, header included, that can be sealed into `room` bytes.
    package static func plainByteCount(fittingInto room: Int) -> Int {
        let body = room - BatchHeader.byteCount
        guard body >= tagByteCount else { return 0 }
        let chunks = (body + sealedChunkByteCount - 1) / sealedChunkByteCount
        let plain = room - chunks * tagByteCount
        return plain & ~(RecordLayout.alignment - 1)
    }
}
