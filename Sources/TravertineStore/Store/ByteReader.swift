/// Reads little-endian integers out of bytes that nobody has vouched for; nil at the end.
@usableFromInline
package struct ByteReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline private(set) var offset = 0

    /// Reads from the first of the bytes on, which must stay where they are.
    @inlinable package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The bytes that were not read yet.
    @inlinable package var remaining: Int { bytes.count - offset }

    /// Whether all bytes were read.
    @inlinable package var isAtEnd: Bool { offset == bytes.count }

    /// The next integer; nil where fewer bytes are left.
    @inlinable package mutating func read<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self
    ) -> Integer? {
        let width = MemoryLayout<Integer>.size
        guard remaining >= width else { return nil }
        defer { offset += width }
        return Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// Goes to the field that has this offset, or to the end if that comes before it.
    package mutating func move(to offset: Int) { self.offset = min(max(0, offset), bytes.count) }

    /// Reads the field that has this offset; the ones before it were read.
    package mutating func read<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self, at offset: Int
    ) -> Integer? {
        assert(self.offset == offset, "a field of the format is at another place")
        return read(type)
    }

    /// The next bytes, in place; nil where fewer are left.
    @inlinable package mutating func read(byteCount: Int) -> UnsafeRawBufferPointer? {
        guard byteCount >= 0, remaining >= byteCount else { return nil }
        defer { offset += byteCount }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
    }
}
