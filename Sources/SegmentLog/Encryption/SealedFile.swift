import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written once, encrypted in blocks of 2 KiB with a tag after each, and read as if
/// it were not: manifests, page files, key hashes, the list of a backup (Format 9).
///
/// 1. Each block is written once, whole; only the last one is shorter. A file with other contents
///    is a new file, with another salt (X2).
/// 2. A block that is not authentic reads as bytes of 255, which no such file can have; one that is
///    nothing but zeros, as a power cut leaves, as zeros (X3).
final class SealedFile: File, @unchecked Sendable {
    /// The bytes of a block in the clear.
    static let blockByteCount = 2048
    private static let storedBlockByteCount = blockByteCount + BatchSeal.tagByteCount
    private static let blocksAtOnce = 32

    private let base: File
    /// Nil if the file's header is not one of this key.
    private let key: (any SealingKey)?
    private let state = Locked(State())

    private struct State {
        /// The blocks that were written through this object, a bit for each.
        var written: [UInt64] = []
        var buffer: [UInt8] = []
    }

    private init(_ base: File, key: (any SealingKey)?) {
        self.base = base
        self.key = key
        super.init(path: base.path)
    }

    deinit {
        state.withLock { state in
            // It had blocks in the clear.
            for index in state.buffer.indices { state.buffer[index] = 0 }
        }
    }

    /// Writes the header of a file that was just made.
    static func begin(_ base: File, _ header: SealedFileHeader, _ cipher: any StoreCipher)
        throws(FileSystemError) -> SealedFile
    {
        try header.bytes.withUnsafeBufferPointer { (bytes) throws(FileSystemError) in
            try base.write(UnsafeRawBufferPointer(bytes), at: 0)
        }
        return SealedFile(base, key: header.key(cipher))
    }

    /// Shows a file through its key; what is not its own reads as bytes of 255.
    static func open(_ base: File, magic: [UInt8], _ cipher: any StoreCipher)
        throws(FileSystemError) -> SealedFile
    {
        let header = SealedFileHeader(decoding: try start(of: base), magic: magic)
        guard let header, header.isOf(cipher) else { return SealedFile(base, key: nil) }
        return SealedFile(base, key: header.key(cipher))
    }

    /// The first 64 bytes, or what the file has of them.
    static func start(of base: File) throws(FileSystemError) -> [UInt8] {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SealedFileHeader.byteCount, alignment: RecordLayout.alignment)
        defer { bytes.deallocate() }
        return Array(bytes.prefix(try base.read(into: bytes, at: 0)))
    }

    // MARK: Places

    /// The bytes in the clear of a file that has so many.
    static func plainByteCount(ofStored byteCount: UInt64) -> UInt64 {
        let header = UInt64(SealedFileHeader.byteCount)
        guard byteCount > header else { return 0 }
        let (whole, rest) = (byteCount - header)
            .quotientAndRemainder(dividingBy: UInt64(storedBlockByteCount))
        let tag = UInt64(BatchSeal.tagByteCount)
        return whole * UInt64(blockByteCount) + (rest > tag ? rest - tag : 0)
    }

    private static func place(ofBlock block: Int) -> UInt64 {
        UInt64(SealedFileHeader.byteCount) + UInt64(block) * UInt64(storedBlockByteCount)
    }

    // MARK: Reading

    override func byteCount() throws(FileSystemError) -> UInt64 {
        Self.plainByteCount(ofStored: try base.byteCount())
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard !target.isEmpty else { return 0 }
        let first = Int(clamping: offset) / Self.blockByteCount
        let skipped = Int(clamping: offset) % Self.blockByteCount
        let blocks = min(
            (skipped + target.count + Self.blockByteCount - 1) / Self.blockByteCount,
            Self.blocksAtOnce)
        return state.withLock { state in
            Self.grow(&state.buffer, to: blocks * Self.storedBlockByteCount)
            return state.buffer.withUnsafeMutableBytes { buffer in
                let stored = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<(blocks * Self.storedBlockByteCount)])
                let count: Int
                do throws(FileSystemError) {
                    count = try base.read(into: stored, at: Self.place(ofBlock: first))
                } catch {
                    return -Int(error.code)
                }
                return show(
                    UnsafeMutableRawBufferPointer(rebasing: stored[..<count]), from: first,
                    skipping: skipped, in: target)
            }
        }
    }

    /// Opens stored blocks, each in its place, and copies what is wanted of them; the bytes copied.
    private func show(
        _ stored: UnsafeMutableRawBufferPointer, from first: Int, skipping skipped: Int,
        in target: UnsafeMutableRawBufferPointer
    ) -> Int {
        var (done, place, skipped, block) = (0, 0, skipped, first)
        while done < target.count, place + BatchSeal.tagByteCount < stored.count {
            let end = min(place + Self.storedBlockByteCount, stored.count)
            let bytes = UnsafeMutableRawBufferPointer(rebasing: stored[place..<end])
            let plain = open(bytes, block)
            guard skipped < plain.count else { break }
            let part = UnsafeRawBufferPointer(
                rebasing: plain[skipped..<min(plain.count, skipped + target.count - done)])
            UnsafeMutableRawBufferPointer(rebasing: target[done..<done + part.count])
                .copyMemory(from: part)
            done += part.count
            (place, skipped, block) = (end, 0, block + 1)
        }
        return done
    }

    private func open(_ stored: UnsafeMutableRawBufferPointer, _ block: Int)
        -> UnsafeRawBufferPointer
    {
        let count = stored.count - BatchSeal.tagByteCount
        let plain = UnsafeMutableRawBufferPointer(rebasing: stored[..<count])
        guard let start = stored.baseAddress else { return UnsafeRawBufferPointer(plain) }
        let isOpen =
            key?.open(
                UnsafeRawBufferPointer(plain), tag: start + count, nonce: Self.nonce(block),
                authenticating: UnsafeRawBufferPointer(start: nil, count: 0), into: start) ?? false
        if !isOpen, UnsafeRawBufferPointer(stored).firstNonZeroIndex != nil {
            plain.initializeMemory(as: UInt8.self, repeating: 255)
        }
        return UnsafeRawBufferPointer(plain)
    }

    private static func nonce(_ block: Int) -> SealNonce {
        SealNonce(position: UInt32(clamping: block), number: 0)
    }

    // MARK: Writing

    override func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        let (first, rest) = Int(clamping: offset)
            .quotientAndRemainder(dividingBy: Self.blockByteCount)
        precondition(rest == 0, "sealed files are written in whole blocks")
        guard let key else { preconditionFailure("a file that is not of this key is not written") }
        // The loop of the caller writes what is left over.
        let bytes = UnsafeRawBufferPointer(
            rebasing: source.prefix(Self.blocksAtOnce * Self.blockByteCount))
        return state.withLock { state in
            Self.grow(&state.buffer, to: Self.blocksAtOnce * Self.storedBlockByteCount)
            var stored = 0
            for start in stride(from: 0, to: bytes.count, by: Self.blockByteCount) {
                let block = first + start / Self.blockByteCount
                Self.note(block, in: &state.written)
                let plain = UnsafeRawBufferPointer(
                    rebasing: bytes[start..<min(start + Self.blockByteCount, bytes.count)])
                state.buffer.withUnsafeMutableBytes { buffer in
                    guard let target = buffer.baseAddress else { return }
                    key.seal(
                        plain, nonce: Self.nonce(block),
                        authenticating: UnsafeRawBufferPointer(start: nil, count: 0),
                        into: target + stored, tag: target + stored + plain.count)
                }
                stored += plain.count + BatchSeal.tagByteCount
            }
            return state.buffer.withUnsafeBytes { buffer in
                do throws(FileSystemError) {
                    try base.write(
                        UnsafeRawBufferPointer(rebasing: buffer[..<stored]),
                        at: Self.place(ofBlock: first))
                    return bytes.count
                } catch {
                    return -Int(error.code)
                }
            }
        }
    }

    private static func grow(_ buffer: inout [UInt8], to count: Int) {
        if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
    }

    private static func note(_ block: Int, in written: inout [UInt64]) {
        let (word, bit) = (block / 64, UInt64(1) << UInt64(block % 64))
        while written.count <= word { written.append(0) }
        precondition(written[word] & bit == 0, "no block of a sealed file is written twice")
        written[word] |= bit
    }

    // MARK: The same as of the file

    override func sync() throws(FileSystemError) { try base.sync() }

    override func allocatedByteCount() throws(FileSystemError) -> UInt64 {
        try base.allocatedByteCount()
    }

    override func linkCount() throws(FileSystemError) -> Int { try base.linkCount() }

    override func dropCache(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        let start = Self.place(ofBlock: Int(clamping: offset) / Self.blockByteCount)
        try base.dropCache(
            from: start,
            byteCount: byteCount / UInt64(Self.blockByteCount)
                * UInt64(Self.storedBlockByteCount))
    }

    override func beginWriteback(from offset: UInt64, byteCount: UInt64) {
        base.beginWriteback(
            from: Self.place(ofBlock: Int(clamping: offset) / Self.blockByteCount),
            byteCount: (byteCount / UInt64(Self.blockByteCount) + 1)
                * UInt64(Self.storedBlockByteCount))
    }

    override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        offset < (try byteCount()) ? offset : nil
    }

    override var isMappable: Bool { false }

    override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        throw FileSystemError(operation: "map", path: path, code: ENOTSUP)
    }

    override func unmap(_ base: UnsafeRawPointer, byteCount: Int) {}

    override func close() { base.close() }
}
