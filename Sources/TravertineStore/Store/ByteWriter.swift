/// Writes the bytes of manifests, headers and lists: little-endian integers, one after the other.
///
/// A field is written with the offset that the format gives it. Debug builds stop where it would
/// come to another place, before any byte of it is in a file.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(reservingByteCount capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a field that has this offset.
    mutating func append<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
        assert(bytes.count == offset, "a field of the format is at another place")
        append(value)
    }

    /// Appends bytes that have this offset.
    package mutating func append(contentsOf other: some Sequence<UInt8>, at offset: Int) {
        assert(bytes.count == offset, "a field of the format is at another place")
        bytes.append(contentsOf: other)
    }

    /// Appends the checksum of all bytes so far.
    mutating func appendChecksum() { append(checksum(of: bytes)) }

    /// Appends zeros, and a checksum as the last bytes of a block of this length.
    mutating func seal(to byteCount: Int) {
        let end = byteCount - BlockChecksum.byteCount
        precondition(bytes.count <= end, "a fixed-size block overflowed")
        bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
        appendChecksum()
    }
}
