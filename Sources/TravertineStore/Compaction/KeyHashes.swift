import CPlatform
import SegmentLog

/// The 32-bit hashes of the keys that a sealed segment has values of, sorted (M5).
///
/// They show, without reading the segment, that it holds no value of a key: then a tombstone of the
/// key need not be kept on its account. Two keys may share a hash, which keeps a tombstone longer
/// than needed and does no harm.
struct KeyHashes: Equatable {
    /// Sorted, distinct.
    var hashes: [UInt32]

    /// The hashes of the puts and moves of a segment.
    init(of image: SegmentImage) throws {
        var found: [UInt32] = []
        try image.forEachRecord { entry in
            guard entry.kind == .put || entry.kind == .move else { return }
            found.append(Self.hash(of: entry.record.key, in: entry.record.keyspace))
        }
        found.sort()
        hashes = []
        hashes.reserveCapacity(found.count)
        for hash in found where hashes.last != hash { hashes.append(hash) }
    }

    init(hashes: [UInt32]) { self.hashes = hashes }

    /// The hash of a key: CRC32C of the keyspace (u32, little-endian) and the key.
    static func hash(of key: UnsafeRawBufferPointer, in keyspace: KeyspaceID) -> UInt32 {
        let start = withUnsafeBytes(of: keyspace.rawValue.littleEndian) {
            travertine_crc32c(0, $0.baseAddress, 4)
        }
        return travertine_crc32c(start, key.baseAddress, key.count)
    }

    /// Whether some key of the segment has this hash.
    func contains(_ hash: UInt32) -> Bool {
        var low = 0
        var high = hashes.count
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }
}
