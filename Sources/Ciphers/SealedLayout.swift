import SegmentLog

/// What the library of the ciphers takes and gives in one piece: nonce, ciphertext, tag.
struct SealedLayout {
    static let nonceByteCount = 12
    static let tagByteCount = 16

    let plainByteCount: Int

    var byteCount: Int { Self.nonceByteCount + plainByteCount + Self.tagByteCount }
    private var tagOffset: Int { Self.nonceByteCount + plainByteCount }

    /// Copies the parts into `combined`, which has as many bytes.
    func join(
        _ nonce: SealNonce, _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer,
        into combined: UnsafeMutableRawBufferPointer
    ) {
        precondition(combined.count == byteCount && sealed.count == plainByteCount)
        guard let start = combined.baseAddress else { return }
        nonce.withBytes { combined.copyMemory(from: $0) }
        if let ciphertext = sealed.baseAddress {
            (start + Self.nonceByteCount).copyMemory(from: ciphertext, byteCount: plainByteCount)
        }
        (start + tagOffset).copyMemory(from: tag, byteCount: Self.tagByteCount)
    }

    /// Copies ciphertext and tag from `combined` to their places.
    func split(
        _ combined: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer,
        tag: UnsafeMutableRawPointer
    ) {
        guard let start = combined.baseAddress, combined.count == byteCount else {
            fatalError("the cipher changed the length")
        }
        target.copyMemory(from: start + Self.nonceByteCount, byteCount: plainByteCount)
        tag.copyMemory(from: start + tagOffset, byteCount: Self.tagByteCount)
    }
}

extension SealNonce {
    /// Calls `body` with the 12 bytes.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Three words of four bytes have no padding between them.
        let words = (
            position.littleEndian, UInt32(truncatingIfNeeded: number).littleEndian,
            UInt32(truncatingIfNeeded: number >> 32).littleEndian
        )
        return try withUnsafeBytes(of: words, body)
    }
}
