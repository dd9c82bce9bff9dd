import CPlatform

/// The last four bytes of a block or a file: the CRC32C of all bytes before them.
package enum BlockChecksum {
    /// The bytes of the checksum itself.
    package static let byteCount = 4

    /// The bytes that the checksum covers; none where there is no room for a checksum.
    package static func covered(_ block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: block.dropLast(byteCount))
    }

    /// Whether the checksum at the end of a block is that of the bytes before it.
    package static func matches(_ block: UnsafeRawBufferPointer) -> Bool {
        guard block.count >= byteCount else { return false }
        let stored = block.loadUnaligned(
            fromByteOffset: block.count - byteCount, as: UInt32.self)
        return UInt32(littleEndian: stored) == checksum(of: covered(block))
    }
}

/// The CRC32C of some bytes.
package func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { checksum(of: $0) }
}

/// The CRC32C of some bytes, continued from that of the bytes before them.
package func checksum(of bytes: UnsafeRawBufferPointer, continuing sum: UInt32 = 0) -> UInt32 {
    travertine_crc32c(sum, bytes.baseAddress, bytes.count)
}
