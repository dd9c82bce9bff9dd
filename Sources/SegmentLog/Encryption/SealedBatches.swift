import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the batches of a sealed segment are, by their headers, which are in the clear. They are
/// believed only after a chunk of theirs was authenticated.
struct SealedBatches {
    private var seals: [BatchSeal] = []
    /// Whether a chunk of each batch was authenticated.
    private var areAuthentic: [Bool] = []
    /// Where the next batch should begin.
    private var next = SegmentHeader.byteCount
    /// Up to here no other batch was found after it.
    private var searchedEnd = 0

    /// Stored bytes that were read last.
    private var window: [UInt8] = []
    private static let windowByteCount = 4096

    var count: Int { seals.count }

    subscript(index: Int) -> BatchSeal { seals[index] }

    func isAuthentic(_ index: Int) -> Bool { areAuthentic[index] }

    mutating func noteAuthentic(_ index: Int) { areAuthentic[index] = true }

    /// The index of the first batch that ends after an offset.
    func index(after offset: Int) -> Int {
        var (low, high) = (0, seals.count)
        while low < high {
            let middle = (low + high) / 2
            if seals[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Finds the batches that begin before an offset.
    ///
    /// Where none begins that should, the next one is looked for at each multiple of eight.
    mutating func walk(through end: Int, salt: UInt64, _ file: File) {
        var windowStart = 0
        var windowCount = 0
        func isBatch(_ offset: Int, _ bytes: UnsafeRawPointer) -> BatchSeal? {
            guard let header = BatchHeader(decoding: bytes), header.isSealed,
                header.salt == salt, Int(header.offset) == offset, header.impossibility == nil,
                header.checksum == BatchHeader.ownChecksum(bytes)
            else { return nil }
            return BatchSeal(start: offset, byteCount: Int(header.byteCount))
        }
        if window.isEmpty { window = [UInt8](repeating: 0, count: Self.windowByteCount) }
        var place = next
        // Whether all was read so far.
        var isWhole = true
        while place < end {
            if place < windowStart || place + BatchHeader.byteCount > windowStart + windowCount {
                var result = read(at: place, Self.windowByteCount, file)
                if result < 0 { result = read(at: place, BatchHeader.byteCount, file) }
                if result < 0 {
                    // What the device can't read is left out, and read again the next time.
                    place = FileBlock.roundedUp(place + 1)
                    isWhole = false
                    continue
                }
                (windowStart, windowCount) = (place, result)
                if result < BatchHeader.byteCount { return }
            }
            let (start, count) = (windowStart, windowCount)
            let found = window.withUnsafeBytes { bytes -> BatchSeal? in
                guard let base = bytes.baseAddress else { return nil }
                return isBatch(place, base + (place - start))
            }
            if let found {
                seals.append(found)
                areAuthentic.append(false)
                next = found.end
                searchedEnd = next
                place = next
                continue
            }
            // On from here, but for what was searched already.
            var candidate = max(place + RecordLayout.alignment, searchedEnd)
            let limit = start + count - BatchHeader.byteCount
            if candidate <= limit {
                candidate = window.withUnsafeBytes { bytes in
                    var offset = candidate
                    while offset <= limit, offset < end,
                        bytes.loadUnaligned(fromByteOffset: offset - start, as: UInt32.self)
                            != BatchHeader.magic
                    {
                        offset += RecordLayout.alignment
                    }
                    return offset
                }
            }
            if isWhole { searchedEnd = max(searchedEnd, min(candidate, end)) }
            place = candidate
        }
    }

    private mutating func read(at offset: Int, _ byteCount: Int, _ file: File) -> Int {
        window.withUnsafeMutableBytes { bytes in
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
            do throws(FileSystemError) {
                return try file.read(into: part, at: UInt64(offset))
            } catch {
                return -Int(error.code)
            }
        }
    }
}
