/// Appends little-endian integers to a buffer: the one writer of manifests and descriptors.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(reservingByteCount capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(contentsOf other: some Sequence<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Appends zeros up to a length.
    mutating func pad(to byteCount: Int) {
        precondition(bytes.count <= byteCount, "a fixed-size block overflowed")
        bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count))
    }
}
