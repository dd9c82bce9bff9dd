#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Decrypts parts of a sealed segment, from its stored bytes. One thread at a time.
///
/// Failures of the file are returned as minus an `errno` value, as `File.readOnce` does.
final class SealedSegmentReader {
    /// What the file is.
    enum Extent {
        /// One segment, all of whose batches have the salt in its header.
        case segment
        /// Anything in which there are sealed batches: a segment whose header is lost, several, or
        /// the image of a disk. Each batch is read by the salt that it has itself.
        case anything
    }

    private let file: File
    private let extent: Extent
    private let cipher: any StoreCipher
    /// What batches are looked for, once the header was read, if that is needed.
    private var wanted: SealedBatches.Wanted?
    private var keys: SegmentKeys
    /// The keys that the batches of the one segment can have.
    private var ownKeys: [any SealingKey] = []
    private var batches = SealedBatches()
    /// Bytes of batches that were tried without success; beyond a bound only the first chunk is.
    private var failedByteCount = 0
    private static let failedByteCountMax = 1 << 30
    /// What is shown in place of a chunk that is not authentic: nobody can know it before, so that
    /// nobody can have chosen bytes around it whose checksum matches.
    private let fill = UInt64.random(in: .min ... .max)
    /// The header of a batch, a chunk, and its tag.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BatchHeader.byteCount + BatchSeal.chunkByteCount + BatchSeal.tagByteCount,
        alignment: RecordLayout.alignment)

    init(_ file: File, _ extent: Extent, cipher: any StoreCipher) {
        self.file = file
        self.extent = extent
        self.cipher = cipher
        keys = SegmentKeys(cipher)
    }

    deinit {
        // It had records in the clear.
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        scratch.deallocate()
    }

    /// Puts what a reader sees in place of the stored bytes from an offset on; 0, or a failure.
    func open(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let view = SealedView(bytes: bytes, start: offset)
        let failure = walk(through: view.end)
        if failure < 0 { return failure }
        var place = offset
        var index = batches.index(after: place)
        while index < batches.count, batches[index].start < view.end {
            let seal = batches[index]
            mask(place..<max(place, seal.start), in: view)
            let failure = open(seal, index, in: view, from: place)
            if failure != 0 { return failure }
            place = min(seal.end, view.end)
            index += 1
        }
        mask(place..<view.end, in: view)
        return 0
    }

    /// Decrypts the chunks of the batch around an offset that hold a range of offsets, each into
    /// its place in `target`, which is where the segment begins, and the header with the first; the
    /// batch, or nil if none that can be believed is there. `did` hears each place that is written.
    func openBatch(
        around offset: Int, _ wanted: Range<Int>, into target: UnsafeMutableRawPointer,
        unless isOpen: (Int) -> Bool, did: (_ place: Int, _ byteCount: Int) -> Void
    ) -> (seal: BatchSeal?, failure: Int) {
        let failure = walk(through: wanted.upperBound)
        if failure < 0 { return (nil, failure) }
        let index = batches.index(after: offset)
        guard index < batches.count, batches[index].start <= offset else { return (nil, 0) }
        let seal = batches[index]
        for chunk in seal.chunks(holding: wanted) {
            let place = seal.chunk(chunk).lowerBound
            if isOpen(place) { continue }
            switch open(chunk, of: seal) {
            case .failed(let code): return (nil, code)
            case .notAuthentic: return (nil, 0)
            case .opened(let plain):
                if !isOpen(seal.start) {
                    (target + seal.start).copyMemory(
                        from: header, byteCount: BatchHeader.byteCount)
                    did(seal.start, 0)
                }
                if let source = plain.baseAddress {
                    (target + place).copyMemory(from: source, byteCount: plain.count)
                }
                did(place, plain.count)
            }
        }
        return (seal, 0)
    }

    /// The first batch that ends after an offset, of those that begin before another; nil if there
    /// is none.
    func batch(after offset: Int, before end: Int) -> BatchSeal? {
        guard walk(through: end) == 0 else { return nil }
        let index = batches.index(after: offset)
        return index < batches.count ? batches[index] : nil
    }

    // MARK: Parts

    /// Finds the batches that begin before an offset; minus an `errno` value if the header that is
    /// needed for it can't be read.
    private func walk(through end: Int) -> Int {
        if wanted == nil {
            switch extent {
            case .segment:
                let failure = readHeader()
                if failure != 0 { return failure }
            case .anything:
                wanted = .all { [unowned self] in
                    isAuthentic($0)
                } isHeader: { [unowned self] in
                    isHeader(at: $0, $1)
                }
            }
        }
        if let wanted { batches.walk(through: end, for: wanted, file) }
        return 0
    }

    /// Reads the header of the segment. What is none leaves the file without batches.
    private func readHeader() -> Int {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch[..<SegmentHeader.byteCount])
        let count = read(into: bytes, at: 0)
        guard count == bytes.count else { return min(count, 0) }
        if case .sealed(let header, let key, let isCertain) = SegmentSeal.header(
            UnsafeRawBufferPointer(bytes), cipher: cipher)
        {
            ownKeys = [key].compactMap(\.self)
            wanted = .segment(salt: header.salt)
            batches.noteFirstHeader()
            if !isCertain, !mayBeAuthentic(header) {
                batches = SealedBatches()
                wanted = nil
            }
        }
        return 0
    }

    /// Whether a header of version 2 can be believed: a batch of the segment is authentic, or there
    /// is none at all.
    private func mayBeAuthentic(_ header: SegmentHeader) -> Bool {
        batches.walk(
            through: Int(header.segmentByteCount), for: .segment(salt: header.salt), file)
        return batches.count == 0
            || (0..<batches.count).contains { isAuthentic(batches[$0], ownKeys) }
    }

    /// Whether the header of a sealed segment is there, and is authentic.
    private func isHeader(at offset: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard
            case .sealed(let header, let key, let isCertain) = SegmentSeal.header(
                bytes, cipher: cipher)
        else { return false }
        if isCertain { return true }
        guard let key, hasBatch(after: offset, [key], salt: header.salt) else { return false }
        keys.note(key, ofSalt: header.salt)
        return true
    }

    /// Whether a batch that is authentic under some keys is the first of the segment whose header
    /// is at an offset.
    private func hasBatch(
        after offset: Int, _ keys: [any SealingKey], salt: UInt64
    ) -> Bool {
        let start = offset + SegmentHeader.byteCount
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch[..<BatchHeader.byteCount])
        guard read(into: bytes, at: start) == bytes.count,
            let batch = BatchHeader(decoding: header), batch.salt == salt,
            batch.impossibility == nil, Int(batch.offset) == SegmentHeader.byteCount,
            let seal = BatchSeal(start: start, byteCount: Int(batch.byteCount), origin: offset)
        else { return false }
        return isAuthentic(seal, keys)
    }

    /// Whether a chunk of a batch is authentic.
    private func isAuthentic(_ seal: BatchSeal, _ keys: [any SealingKey]? = nil) -> Bool {
        for chunk in 0..<seal.chunkCount {
            guard readHeader(of: seal) == 0 else { return false }
            if case .opened = readAndOpen(chunk, of: seal, keys) { return true }
            failedByteCount += seal.chunk(chunk).count + BatchSeal.tagByteCount
            // Hostile bytes could have a header at each place.
            if failedByteCount > Self.failedByteCountMax { return false }
        }
        return false
    }

    /// Shows what can't be believed as bytes that mean nothing (X3), but for headers of segments.
    private func mask(_ range: Range<Int>, in view: SealedView) {
        var place = range.lowerBound
        for header in batches.headers(in: range) {
            view.mask(place..<max(place, header))
            place = min(header + SegmentHeader.byteCount, range.upperBound)
        }
        view.mask(place..<range.upperBound)
    }

    private func open(
        _ seal: BatchSeal, _ index: Int, in view: SealedView, from place: Int
    ) -> Int {
        var isAuthentic = batches.isAuthentic(index)
        if let found = view.bytes(seal.start, BatchHeader.byteCount) {
            header.copyMemory(from: found, byteCount: BatchHeader.byteCount)
        } else {
            let failure = readHeader(of: seal)
            if failure != 0 { return failure }
        }
        for chunk in seal.chunks(holding: place..<view.end) {
            let range = seal.chunk(chunk)
            if let bytes = view.bytes(range.lowerBound, range.count),
                let tag = view.bytes(seal.tag(chunk), BatchSeal.tagByteCount)
            {
                // All of it is here.
                let sealed = UnsafeRawBufferPointer(start: bytes, count: range.count)
                if unseal(sealed, tag: tag, chunk, of: seal, into: bytes) {
                    isAuthentic = true
                } else {
                    view.scramble(range, fill)
                }
                continue
            }
            switch readAndOpen(chunk, of: seal) {
            case .failed(let code): return code
            case .notAuthentic: view.scramble(range, fill)
            case .opened(let plain):
                isAuthentic = true
                view.put(plain, at: range.lowerBound)
            }
        }
        var chunk = 0
        while !isAuthentic, chunk < seal.chunkCount {
            switch readAndOpen(chunk, of: seal) {
            case .failed(let code): return code
            case .notAuthentic: chunk += 1
            case .opened: isAuthentic = true
            }
        }
        if isAuthentic {
            batches.noteAuthentic(index)
        } else {
            view.mask(seal.start..<seal.contentStart)
        }
        view.clear(seal.contentEnd..<seal.end)
        return 0
    }

    private enum Opened {
        case opened(UnsafeRawBufferPointer)
        case notAuthentic
        case failed(Int)
    }

    private var header: UnsafeMutableRawPointer {
        scratch.baseAddress.unsafelyUnwrapped
    }

    private func open(_ chunk: Int, of seal: BatchSeal) -> Opened {
        let failure = readHeader(of: seal)
        if failure != 0 { return .failed(failure) }
        return readAndOpen(chunk, of: seal)
    }

    private func readHeader(of seal: BatchSeal) -> Int {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch[..<BatchHeader.byteCount])
        let count = read(into: bytes, at: seal.start)
        return count < 0 ? count : 0
    }

    /// Opens a chunk in the scratch memory, under the header that is there.
    private func readAndOpen(
        _ chunk: Int, of seal: BatchSeal, _ keys: [any SealingKey]? = nil
    ) -> Opened {
        let range = seal.chunk(chunk)
        let start = BatchHeader.byteCount
        let bytes = UnsafeMutableRawBufferPointer(
            rebasing: scratch[start..<start + range.count])
        let tag = UnsafeMutableRawBufferPointer(
            rebasing: scratch[(scratch.count - BatchSeal.tagByteCount)...])
        let count = read(into: bytes, at: range.lowerBound)
        if count < 0 { return .failed(count) }
        let tagCount = read(into: tag, at: seal.tag(chunk))
        if tagCount < 0 { return .failed(tagCount) }
        guard count == bytes.count, tagCount == tag.count else { return .notAuthentic }
        guard let target = bytes.baseAddress ?? tag.baseAddress, let tagStart = tag.baseAddress,
            unseal(
                UnsafeRawBufferPointer(bytes), tag: tagStart, chunk, of: seal, keys, into: target)
        else { return .notAuthentic }
        return .opened(UnsafeRawBufferPointer(bytes))
    }

    private func unseal(
        _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, _ chunk: Int, of seal: BatchSeal,
        _ keys: [any SealingKey]? = nil, into target: UnsafeMutableRawPointer
    ) -> Bool {
        guard let batch = BatchHeader(decoding: header),
            Int(batch.offset) == seal.start - seal.origin,
            Int(batch.byteCount) == seal.byteCount
        else { return false }
        let nonce = SealNonce(position: seal.position(of: chunk), number: batch.activation)
        let tried = keys ?? (extent == .segment ? ownKeys : self.keys.keys(ofSalt: batch.salt))
        return tried.contains { key in
            key.open(
                sealed, tag: tag, nonce: nonce,
                authenticating: UnsafeRawBufferPointer(
                    start: header, count: BatchHeader.byteCount),
                into: target)
        }
    }

    /// The bytes read, or minus an `errno` value.
    private func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        do throws(FileSystemError) {
            return try file.read(into: target, at: UInt64(offset))
        } catch {
            return -Int(error.code)
        }
    }
}

/// Bytes of a segment that are turned from what is stored into what is shown.
private struct SealedView {
    let bytes: UnsafeMutableRawBufferPointer
    /// The offset of the first in the segment.
    let start: Int

    var end: Int { start + bytes.count }

    /// Bytes at an offset of the segment; nil unless all are here.
    func bytes(_ offset: Int, _ count: Int) -> UnsafeMutableRawPointer? {
        guard offset >= start, offset + count <= end, let base = bytes.baseAddress else {
            return nil
        }
        return base + (offset - start)
    }

    /// The part of the bytes that lies at some offsets.
    private func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        let held = range.clamped(to: start..<end)
        return UnsafeMutableRawBufferPointer(
            rebasing: bytes[held.lowerBound - start..<held.upperBound - start])
    }

    /// Shows what can't be believed as bytes that mean nothing (X3).
    func mask(_ range: Range<Int>) {
        let part = part(range)
        for index in part.indices where part[index] != 0 { part[index] = 255 }
    }

    /// Shows a chunk that is not authentic, of a batch that is, as bytes that nobody knew before.
    func scramble(_ range: Range<Int>, _ secret: UInt64) {
        let part = part(range)
        let first = max(range.lowerBound, start)
        for index in part.indices {
            // SplitMix64, by the place: the same each time.
            var word = secret &+ UInt64(first + index) &* 0x9e37_79b9_7f4a_7c15
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            part[index] = UInt8(truncatingIfNeeded: word >> 32)
        }
    }

    func clear(_ range: Range<Int>) { part(range).initializeMemory(as: UInt8.self, repeating: 0) }

    /// Puts bytes of an offset where they are shown, as far as they are.
    func put(_ plain: UnsafeRawBufferPointer, at offset: Int) {
        let target = part(offset..<offset + plain.count)
        let skipped = max(0, start - offset)
        guard !target.isEmpty else { return }
        target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: plain[skipped..<skipped + target.count]))
    }
}
