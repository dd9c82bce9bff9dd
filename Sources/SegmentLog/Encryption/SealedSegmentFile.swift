import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A segment whose batches are encrypted in the file, and read as if they were not.
///
/// 1. What is written is the header, a whole batch, or zeros. A batch is sealed on its way, and
///    takes as many bytes in the file as it says; zeros and the header stay as they are.
/// 2. What is read is the same segment with the records in the clear and zeros in place of tags. It
///    holds nothing that was not authenticated: of all else each byte that is not zero reads as
///    255, which is part of no batch and no record (X3).
/// 3. Batches are written one after the other, each place once under one activation (X2).
///
/// It is mapped by those who decrypt what they read themselves (`SealedImage`). For salvage it is
/// any file with sealed batches in it (`SealedSegmentReader.Extent`), and is only read.
final class SealedSegmentFile: File, @unchecked Sendable {
    let base: File
    private let cipher: any StoreCipher
    private let reader: SealedSegmentReader
    private let reading = Locked<Void>()
    private let writing = Locked(Writing())

    private struct Writing {
        var key: (any SealingKey)?
        /// The end of the last batch that was sealed here.
        var end = 0
        var activation: UInt64 = 0
        var buffer = [UInt8]()
    }

    init(_ base: File, _ extent: SealedSegmentReader.Extent, cipher: any StoreCipher) {
        self.base = base
        self.cipher = cipher
        reader = SealedSegmentReader(base, extent, cipher: cipher)
        super.init(path: base.path)
    }

    /// Decrypts parts of the same segment from stored bytes that the caller has.
    func reader(of stored: File) -> SealedSegmentReader {
        SealedSegmentReader(stored, .segment, cipher: cipher)
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let count = base.readOnce(into: target, at: offset)
        guard count > 0 else { return count }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
        let failure = reading.withLock { reader.open(bytes, at: Int(clamping: offset)) }
        return failure == 0 ? count : failure
    }

    override func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        if source.firstNonZeroIndex == nil { return base.writeOnce(source, at: offset) }
        if offset == 0 {
            precondition(source.count == SegmentHeader.byteCount, "a segment begins with a header")
            return writing.withLock { writeHeader(source, &$0) }
        }
        return writing.withLock { writeBatch(source, at: Int(offset), &$0) }
    }

    /// Completes the header and writes it.
    private func writeHeader(_ source: UnsafeRawBufferPointer, _ writing: inout Writing) -> Int {
        var bytes = Array(source)
        return bytes.withUnsafeMutableBytes { bytes in
            SegmentSeal.addCheck(to: bytes, cipher: cipher)
            writing.key = key(in: UnsafeRawBufferPointer(bytes))
            return writeWhole(UnsafeRawBufferPointer(bytes), at: 0)
        }
    }

    /// Seals a batch and writes all of it, so that no part of it is ever sealed again.
    private func writeBatch(
        _ source: UnsafeRawBufferPointer, at offset: Int, _ writing: inout Writing
    ) -> Int {
        guard let start = source.baseAddress, source.count >= BatchHeader.byteCount,
            let header = BatchHeader(decoding: start), header.isSealed,
            Int(header.offset) == offset, Int(header.byteCount) == source.count,
            let seal = BatchSeal(start: offset, byteCount: source.count)
        else { preconditionFailure("only whole batches are written to an encrypted segment") }
        precondition(
            header.activation != writing.activation || offset >= writing.end,
            "no place of a segment is sealed twice")
        if writing.key == nil {
            let failure = readKey(&writing)
            if failure != 0 { return failure }
        }
        guard let key = writing.key else { preconditionFailure("the segment has no header") }
        (writing.activation, writing.end) = (header.activation, seal.end)
        if writing.buffer.count < source.count {
            writing.buffer = [UInt8](repeating: 0, count: FileBlock.roundedUp(source.count))
        }
        return writing.buffer.withUnsafeMutableBytes { buffer in
            let sealed = UnsafeMutableRawBufferPointer(rebasing: buffer[..<source.count])
            Self.seal(source, as: seal, header.activation, key, into: sealed)
            return writeWhole(UnsafeRawBufferPointer(sealed), at: UInt64(offset))
        }
    }

    /// The rest of a short write could not be distinguished from other bytes.
    private func writeWhole(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        do throws(FileSystemError) {
            try base.write(source, at: offset)
            return source.count
        } catch {
            return -Int(error.code)
        }
    }

    private func readKey(_ writing: inout Writing) -> Int {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SegmentHeader.byteCount, alignment: RecordLayout.alignment)
        defer { bytes.deallocate() }
        do throws(FileSystemError) {
            guard try base.read(into: bytes, at: 0) == bytes.count else { return -Int(EIO) }
        } catch {
            return -Int(error.code)
        }
        writing.key = key(in: UnsafeRawBufferPointer(bytes))
        return 0
    }

    private func key(in header: UnsafeRawBufferPointer) -> (any SealingKey)? {
        guard case .sealed(_, let key, _) = SegmentSeal.header(header, cipher: cipher) else {
            return nil
        }
        return key
    }

    private static func seal(
        _ source: UnsafeRawBufferPointer, as seal: BatchSeal, _ activation: UInt64,
        _ key: any SealingKey, into target: UnsafeMutableRawBufferPointer
    ) {
        guard let plain = source.baseAddress, let sealed = target.baseAddress else { return }
        let header = UnsafeRawBufferPointer(rebasing: source[..<BatchHeader.byteCount])
        sealed.copyMemory(from: plain, byteCount: header.count)
        for index in 0..<seal.chunkCount {
            let chunk = seal.chunk(index)
            key.seal(
                UnsafeRawBufferPointer(
                    start: plain + (chunk.lowerBound - seal.start), count: chunk.count),
                nonce: SealNonce(position: UInt32(chunk.lowerBound), number: activation),
                authenticating: header, into: sealed + (chunk.lowerBound - seal.start),
                tag: sealed + (seal.tag(index) - seal.start))
        }
    }

    // MARK: The same as of the file

    override func sync() throws(FileSystemError) { try base.sync() }

    override func byteCount() throws(FileSystemError) -> UInt64 { try base.byteCount() }

    override func allocate(byteCount: UInt64) throws(FileSystemError) {
        try base.allocate(byteCount: byteCount)
    }

    override func punchHole(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        try base.punchHole(from: offset, byteCount: byteCount)
    }

    override func allocatedByteCount() throws(FileSystemError) -> UInt64 {
        try base.allocatedByteCount()
    }

    override func linkCount() throws(FileSystemError) -> Int { try base.linkCount() }

    override func dropCache(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        try base.dropCache(from: offset, byteCount: byteCount)
    }

    override func readAhead(from offset: UInt64, byteCount: UInt64) {
        base.readAhead(from: offset, byteCount: byteCount)
    }

    override func beginWriteback(from offset: UInt64, byteCount: UInt64) {
        base.beginWriteback(from: offset, byteCount: byteCount)
    }

    override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        try base.nextData(from: offset)
    }

    override var isMappable: Bool { false }

    override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        throw FileSystemError(operation: "map", path: path, code: ENOTSUP)
    }

    override func unmap(_ base: UnsafeRawPointer, byteCount: Int) {}

    override func close() { base.close() }
}
