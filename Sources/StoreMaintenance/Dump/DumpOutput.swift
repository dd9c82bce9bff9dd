import TravertineStore

/// The lines of a dump on their way out: buffered, counted, and summed up.
struct DumpOutput {
    private(set) var byteCount: UInt64 = 0
    private var buffer: [UInt8] = []
    private var sum: UInt32 = 0

    private static let bufferByteCount = 256 << 10

    /// Takes a line, without its LF, that `body` appends to the buffer.
    mutating func addLine(_ body: (inout [UInt8]) throws -> Void) rethrows {
        try body(&buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Hands the buffer on when it is large enough, or whatever its size.
    mutating func flush(
        always: Bool = false, to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard always || buffer.count >= Self.bufferByteCount else { return }
        try buffer.withUnsafeBytes { bytes in
            sum = checksum(of: bytes, continuing: sum)
            byteCount += UInt64(bytes.count)
            if bytes.count > 0 { try sink(bytes) }
        }
        buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.bufferByteCount)
    }

    /// The CRC32C of everything that was handed on.
    var flushedChecksum: UInt32 { sum }
}
