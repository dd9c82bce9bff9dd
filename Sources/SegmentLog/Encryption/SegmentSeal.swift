/// What the header of an encrypted segment says of its encryption: 12 bytes, zero in others.
package struct SegmentSeal: Hashable, Sendable {
    /// The number of the algorithm.
    package var algorithm: UInt32
    /// Random; with the salt, 128 bits that make the segment's key its own.
    package var salt: UInt64

    /// Whether the algorithm is one of those that this version knows.
    var isKnown: Bool { algorithm == 1 || algorithm == 2 }

    package init(algorithm: UInt32, salt: UInt64) {
        self.algorithm = algorithm
        self.salt = salt
    }
}

extension SegmentHeader {
    /// The key of a sealed segment, derived from all bytes of its header before the checksum; nil
    /// if these are none of such a segment, or the algorithm is not known.
    static func key(
        _ bytes: UnsafeRawBufferPointer, cipher: any StoreCipher
    ) -> (any SealingKey)? {
        guard case .header(let header) = decode(bytes), let seal = header.seal else { return nil }
        return cipher.key(
            for: Array("travertine segment".utf8) + bytes.prefix(Offset.checksum),
            algorithm: seal.algorithm)
    }
}
