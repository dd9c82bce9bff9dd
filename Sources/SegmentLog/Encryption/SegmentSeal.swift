import CPlatform

/// How the header of an encrypted segment and the key of its batches hang together (Format 9.2).
///
/// Since version 3 the key follows from the segment's salt, which each batch has in its header, and
/// from the algorithm; so batches can be read without the header of their segment. The header is
/// authenticated by its own check. In version 2 the key follows from the whole header.
enum SegmentSeal {
    /// The format version in which the key follows from the header.
    private static let versionOfWholeHeader: UInt32 = 2
    /// The algorithms that there are.
    static let algorithms: [UInt32] = [1, 2]

    /// What the first bytes of a file say of its encryption.
    enum Header {
        /// The header of an encrypted segment, and the key of its batches: nil if the algorithm is
        /// not known. Unless it is certain, it is authentic only if a batch is (version 2).
        case sealed(SegmentHeader, key: (any SealingKey)?, isCertain: Bool)
        /// No header, one of a segment that is not encrypted, or one that is not authentic.
        case none
    }

    /// Reads the header of a segment; never traps, whatever the bytes are.
    static func header(_ bytes: UnsafeRawBufferPointer, cipher: any StoreCipher) -> Header {
        guard case .header(let header) = SegmentHeader.decode(bytes) else { return .none }
        guard let algorithm = header.algorithm else { return .none }
        typealias Offset = SegmentHeader.Offset
        let version = bytes.loadUnaligned(fromByteOffset: Offset.formatVersion, as: UInt32.self)
        if version == versionOfWholeHeader {
            return .sealed(
                header,
                key: cipher.key(
                    for: Array("travertine segment".utf8) + bytes.prefix(Offset.checksum),
                    algorithm: algorithm), isCertain: false)
        }
        let stored = bytes.loadUnaligned(fromByteOffset: Offset.check, as: UInt64.self)
        guard check(bytes, cipher: cipher) == stored else { return .none }
        return .sealed(
            header, key: key(salt: header.salt, algorithm: algorithm, cipher: cipher),
            isCertain: true)
    }

    /// The key of the segments that have a salt; nil if the algorithm is not known.
    static func key(
        salt: UInt64, algorithm: UInt32, cipher: any StoreCipher
    ) -> (any SealingKey)? {
        var info = Array("travertine segment salt".utf8)
        withUnsafeBytes(of: salt.littleEndian) { info += $0 }
        withUnsafeBytes(of: algorithm.littleEndian) { info += $0 }
        return cipher.key(for: info, algorithm: algorithm)
    }

    /// Completes the header of a new segment with its check.
    static func addCheck(to bytes: UnsafeMutableRawBufferPointer, cipher: any StoreCipher) {
        bytes.storeBytes(
            of: check(UnsafeRawBufferPointer(bytes), cipher: cipher),
            toByteOffset: SegmentHeader.Offset.check, as: UInt64.self)
        SegmentHeader.storeChecksum(in: bytes)
    }

    private static func check(
        _ bytes: UnsafeRawBufferPointer, cipher: any StoreCipher
    ) -> UInt64 {
        let check = cipher.check(
            for: Array("travertine segment".utf8) + bytes.prefix(SegmentHeader.Offset.check))
        return check.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
}

/// The keys of the batches of one file, by the salts that they have.
struct SegmentKeys {
    private let cipher: any StoreCipher
    private var known: [UInt64: [any SealingKey]] = [:]
    /// Of headers of version 2, under which a batch was authentic.
    private var noted: [UInt64: [any SealingKey]] = [:]
    /// Hostile bytes can have any number of salts.
    private static let countMax = 4096

    init(_ cipher: any StoreCipher) { self.cipher = cipher }

    /// The keys that the batches of a salt can have, the likeliest first. Derived once.
    mutating func keys(ofSalt salt: UInt64) -> [any SealingKey] {
        if let keys = known[salt] { return keys }
        if known.count >= Self.countMax { known.removeAll(keepingCapacity: true) }
        let keys =
            SegmentSeal.algorithms.sorted { first, _ in first == cipher.algorithm }
            .compactMap { SegmentSeal.key(salt: salt, algorithm: $0, cipher: cipher) }
            + noted[salt, default: []]
        known[salt] = keys
        return keys
    }

    /// Takes the key that the header of a segment gives, under which a batch is authentic.
    mutating func note(_ key: any SealingKey, ofSalt salt: UInt64) {
        noted[salt, default: []].append(key)
        known[salt] = nil
    }
}
