/// Writes the bytes of manifests, headers, lists and schema records: little-endian integers, one
/// after the other.
///
/// Where the format gives a field an offset, it is written with it. Debug builds stop where the
/// field would come to another place, before any byte of it is in a file.
@usableFromInline
package struct ByteWriter {
    @usableFromInline private(set) package var bytes: [UInt8] = []

    /// - Parameter capacity: how many bytes there will probably be.
    @inlinable package init(reservingByteCount capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends an integer.
    @inlinable package mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    @inlinable package mutating func append(contentsOf other: some Sequence<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Appends a field that has this offset.
    mutating func append<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
        assert(bytes.count == offset, "a field of the format is at another place")
        append(value)
    }

    /// Appends bytes that have this offset.
    mutating func append(contentsOf other: some Sequence<UInt8>, at offset: Int) {
        assert(bytes.count == offset, "a field of the format is at another place")
        append(contentsOf: other)
    }

    /// Appends the checksum of all bytes so far.
    mutating func appendChecksum() { append(checksum(of: bytes)) }

    /// Appends zeros, and a checksum as the last bytes of a block of this length.
    mutating func seal(to byteCount: Int) {
        let end = byteCount - BlockChecksum.byteCount
        precondition(bytes.count <= end, "a fixed-size block overflowed")
        append(contentsOf: repeatElement(0, count: end - bytes.count))
        appendChecksum()
    }
}
