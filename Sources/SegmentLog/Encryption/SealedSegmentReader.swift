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
    private let file: File
    private let cipher: any StoreCipher
    /// The salt and the key, once the header was read.
    private var segment: (salt: UInt64, key: any SealingKey)?
    private var batches = SealedBatches()
    /// The header of a batch, a chunk, and its tag.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BatchHeader.byteCount + BatchSeal.chunkByteCount + BatchSeal.tagByteCount,
        alignment: RecordLayout.alignment)

    init(_ file: File, cipher: any StoreCipher) {
        self.file = file
        self.cipher = cipher
    }

    deinit {
        // It had records in the clear.
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        scratch.deallocate()
    }

    /// Puts what a reader sees in place of the stored bytes from an offset on; 0, or a failure.
    func open(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let view = SealedView(bytes: bytes, start: offset)
        let failure = readHeader()
        if failure < 0 { return failure }
        var place = offset
        if failure == 0 { place = max(place, min(SegmentHeader.byteCount, view.end)) }
        guard let segment else {
            view.mask(place..<view.end)
            return 0
        }
        batches.walk(through: view.end, salt: segment.salt, file)
        var index = batches.index(after: place)
        while index < batches.count, batches[index].start < view.end {
            let seal = batches[index]
            view.mask(place..<max(place, seal.start))
            let failure = open(seal, index, in: view, from: place, key: segment.key)
            if failure != 0 { return failure }
            place = min(seal.end, view.end)
            index += 1
        }
        view.mask(place..<view.end)
        return 0
    }

    /// Decrypts the chunks of the batch around an offset that hold a range of offsets, each into
    /// its place in `target`, which is where the segment begins, and the header with the first; the
    /// batch, or nil if none that can be believed is there. `did` hears each place that is written.
    func openBatch(
        around offset: Int, _ wanted: Range<Int>, into target: UnsafeMutableRawPointer,
        unless isOpen: (Int) -> Bool, did: (_ place: Int, _ byteCount: Int) -> Void
    ) -> (seal: BatchSeal?, failure: Int) {
        let failure = readHeader()
        guard failure == 0, let segment else { return (nil, min(failure, 0)) }
        batches.walk(through: wanted.upperBound, salt: segment.salt, file)
        let index = batches.index(after: offset)
        guard index < batches.count, batches[index].start <= offset else { return (nil, 0) }
        let seal = batches[index]
        for chunk in seal.chunks(holding: wanted) {
            let place = seal.chunk(chunk).lowerBound
            if isOpen(place) { continue }
            switch open(chunk, of: seal, key: segment.key) {
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
        guard readHeader() == 0, let segment else { return nil }
        batches.walk(through: end, salt: segment.salt, file)
        let index = batches.index(after: offset)
        return index < batches.count ? batches[index] : nil
    }

    // MARK: Parts

    /// Reads the segment's header; 1 if it has none under which batches can be sealed: then it is
    /// no secret, and is shown unless it is the header of a segment that is not encrypted.
    private func readHeader() -> Int {
        if segment != nil { return 0 }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch[..<SegmentHeader.byteCount])
        let count = read(into: bytes, at: 0)
        guard count == bytes.count else { return count < 0 ? count : 0 }
        guard case .header(let header) = SegmentHeader.decode(UnsafeRawBufferPointer(bytes)) else {
            return 0
        }
        guard header.seal != nil else { return 1 }
        guard let key = SegmentHeader.key(UnsafeRawBufferPointer(bytes), cipher: cipher) else {
            return 0
        }
        segment = (header.salt, key)
        return 0
    }

    private func open(
        _ seal: BatchSeal, _ index: Int, in view: SealedView, from place: Int,
        key: any SealingKey
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
                if unseal(sealed, tag: tag, chunk, of: seal, key: key, into: bytes) {
                    isAuthentic = true
                } else {
                    view.mask(range)
                }
                continue
            }
            switch readAndOpen(chunk, of: seal, key: key) {
            case .failed(let code): return code
            case .notAuthentic: view.mask(range)
            case .opened(let plain):
                isAuthentic = true
                view.put(plain, at: range.lowerBound)
            }
        }
        var chunk = 0
        while !isAuthentic, chunk < seal.chunkCount {
            switch readAndOpen(chunk, of: seal, key: key) {
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

    private func open(_ chunk: Int, of seal: BatchSeal, key: any SealingKey) -> Opened {
        let failure = readHeader(of: seal)
        if failure != 0 { return .failed(failure) }
        return readAndOpen(chunk, of: seal, key: key)
    }

    private func readHeader(of seal: BatchSeal) -> Int {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch[..<BatchHeader.byteCount])
        let count = read(into: bytes, at: seal.start)
        return count < 0 ? count : 0
    }

    /// Opens a chunk in the scratch memory, under the header that is there.
    private func readAndOpen(_ chunk: Int, of seal: BatchSeal, key: any SealingKey) -> Opened {
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
                UnsafeRawBufferPointer(bytes), tag: tagStart, chunk, of: seal, key: key,
                into: target)
        else { return .notAuthentic }
        return .opened(UnsafeRawBufferPointer(bytes))
    }

    private func unseal(
        _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, _ chunk: Int, of seal: BatchSeal,
        key: any SealingKey, into target: UnsafeMutableRawPointer
    ) -> Bool {
        guard let batch = BatchHeader(decoding: header), Int(batch.offset) == seal.start,
            Int(batch.byteCount) == seal.byteCount
        else { return false }
        return key.open(
            sealed, tag: tag,
            nonce: SealNonce(
                position: UInt32(seal.chunk(chunk).lowerBound), number: batch.activation),
            authenticating: UnsafeRawBufferPointer(start: header, count: BatchHeader.byteCount),
            into: target)
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
