import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the sealed batches of a file are, by their headers, which are in the clear. They are
/// believed only after a chunk of theirs was authenticated.
struct SealedBatches {
    private var seals: [BatchSeal] = []
    /// Whether a chunk of each batch was authenticated.
    private var areAuthentic: [Bool] = []
    /// Where the headers of segments are that are shown as they are, ascending.
    private(set) var headers: [Int] = []
    /// Where the next batch should begin.
    private var next = 0
    /// Up to here no other batch was found after it.
    private var searchedEnd = 0

    /// Stored bytes that were read last.
    private var window: [UInt8] = []
    private static let windowByteCount = 4096

    var count: Int { seals.count }

    subscript(index: Int) -> BatchSeal { seals[index] }

    func isAuthentic(_ index: Int) -> Bool { areAuthentic[index] }

    mutating func noteAuthentic(_ index: Int) { areAuthentic[index] = true }

    /// The headers of segments that reach into a range.
    func headers(in range: Range<Int>) -> ArraySlice<Int> {
        var (low, high) = (0, headers.count)
        while low < high {
            let middle = (low + high) / 2
            if headers[middle] + SegmentHeader.byteCount <= range.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return headers[low...].prefix { $0 < range.upperBound }
    }

    /// Takes the header that the file begins with.
    mutating func noteFirstHeader() {
        headers.append(0)
        next = SegmentHeader.byteCount
    }

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
    /// Where none begins that should, the next one is looked for: in a segment at each multiple of
    /// eight, in other files anywhere.
    mutating func walk(through end: Int, for wanted: Wanted, _ file: File) {
        var windowStart = 0
        var windowCount = 0
        if window.isEmpty { window = [UInt8](repeating: 0, count: Self.windowByteCount) }
        var place = next
        // Whether all was read so far.
        var isWhole = true
        while place < end {
            if place < windowStart || place + wanted.byteCount > windowStart + windowCount {
                var result = read(at: place, Self.windowByteCount, file)
                if result < 0 { result = read(at: place, wanted.byteCount, file) }
                if result < 0 {
                    // What the device can't read is left out, and read again the next time.
                    place = FileBlock.roundedUp(place + 1)
                    isWhole = false
                    continue
                }
                (windowStart, windowCount) = (place, result)
                if result < BatchHeader.byteCount { return }
            }
            let start = windowStart
            let limit = start + windowCount - BatchHeader.byteCount
            let (part, candidate) = window.withUnsafeBytes { bytes in
                let known = UnsafeRawBufferPointer(
                    rebasing: bytes[place - start..<windowCount])
                let part = wanted.part(at: place, known)
                if part != nil { return (part, place) }
                // On from here, but for what was searched already.
                let next = max(place + wanted.step, searchedEnd)
                return (nil, wanted.next(from: next, to: min(limit + 1, end), bytes, start))
            }
            switch part {
            case .batch(let seal):
                seals.append(seal)
                areAuthentic.append(wanted.isAuthenticated)
                next = seal.end
            case .header:
                headers.append(place)
                next = place + SegmentHeader.byteCount
            case nil:
                if isWhole { searchedEnd = max(searchedEnd, min(candidate, end)) }
                place = candidate
                continue
            }
            searchedEnd = next
            place = next
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

extension SealedBatches {
    /// What is looked for.
    enum Wanted {
        /// The batches of the segment that the file is, which has a salt.
        case segment(salt: UInt64)
        /// All batches and headers of segments that are authentic.
        case all(
            isBatch: (BatchSeal) -> Bool,
            isHeader: (_ offset: Int, _ bytes: UnsafeRawBufferPointer) -> Bool)

        /// As many bytes show whether something of it begins with them.
        var byteCount: Int {
            switch self {
            case .segment: BatchHeader.byteCount
            case .all: SegmentHeader.byteCount
            }
        }

        /// Whether what is found is authentic.
        var isAuthenticated: Bool {
            if case .all = self { true } else { false }
        }

        /// The offsets at which something can begin are multiples of this.
        var step: Int {
            switch self {
            case .segment: RecordLayout.alignment
            case .all: 1
            }
        }

        /// The first offset at which something may begin, or one at or after the end of the search.
        /// The bytes begin at offset `start`.
        func next(
            from first: Int, to end: Int, _ bytes: UnsafeRawBufferPointer, _ start: Int
        ) -> Int {
            var offset = first
            while offset < end, let base = bytes.baseAddress {
                if mayBegin(base + (offset - start)) { return offset }
                offset += step
                if case .all = self, offset < end {
                    let hit = memchr(
                        base + (offset - start), Int32(UInt8(ascii: "T")), end - offset)
                    guard let hit else { return end }
                    offset = start + (UnsafeRawPointer(hit) - base)
                }
            }
            return offset
        }

        /// Whether something may begin with four bytes.
        @inline(__always)
        func mayBegin(_ bytes: UnsafeRawPointer) -> Bool {
            let magic = bytes.loadUnaligned(as: UInt32.self)
            if magic == BatchHeader.magic { return true }
            guard case .all = self else { return false }
            return magic == UInt32(truncatingIfNeeded: SegmentHeader.magic)
        }

        /// What begins at an offset of the file, by at least the header of a batch from there on.
        func part(at offset: Int, _ bytes: UnsafeRawBufferPointer) -> Part? {
            guard let base = bytes.baseAddress, mayBegin(base) else { return nil }
            switch self {
            case .segment(let salt):
                guard let seal = batch(at: offset, base, salt: salt), seal.origin == 0 else {
                    return nil
                }
                return .batch(seal)
            case .all(let isBatch, let isHeader):
                if let seal = batch(at: offset, base, salt: nil), isBatch(seal) {
                    return .batch(seal)
                }
                guard bytes.count >= SegmentHeader.byteCount,
                    isHeader(
                        offset,
                        UnsafeRawBufferPointer(rebasing: bytes[..<SegmentHeader.byteCount]))
                else { return nil }
                return .header
            }
        }

        private func batch(
            at offset: Int, _ bytes: UnsafeRawPointer, salt: UInt64?
        ) -> BatchSeal? {
            guard let header = BatchHeader(decoding: bytes), header.isSealed,
                salt ?? header.salt == header.salt, header.impossibility == nil,
                header.checksum == BatchHeader.ownChecksum(bytes)
            else { return nil }
            return BatchSeal(
                start: offset, byteCount: Int(header.byteCount),
                origin: offset - Int(header.offset))
        }
    }

    /// Something that was found.
    enum Part {
        case batch(BatchSeal)
        case header
    }
}
