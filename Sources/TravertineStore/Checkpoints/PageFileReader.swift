import OrderedIndex
import SegmentLog

/// A page file that was opened and whose header and descriptor were verified.
///
/// Pages are verified by the index, each when it is first touched.
struct PageFileReader {
    let header: PageFileHeader
    let descriptor: CheckpointDescriptor
    private let file: File

    /// Opens the page file of a checkpoint; the reason if it can't be believed.
    static func open(
        _ entry: Manifest.CheckpointEntry, directory: String, identity: StoreIdentity,
        fileSystem: FileSystem
    ) -> Result<PageFileReader, DamageReason> {
        guard let number = entry.file else { return .failure("it has no page file") }
        let path = directory + "/" + StoreFiles.pageFile(number)
        do {
            guard fileSystem.exists(path) else { return .failure("it is missing") }
            return read(try fileSystem.open(path, .readOnly), entry, number, identity)
        } catch {
            return .failure(DamageReason("it can't be opened: \(error)"))
        }
    }

    private static func read(
        _ file: File, _ entry: Manifest.CheckpointEntry, _ number: UInt32,
        _ identity: StoreIdentity
    ) -> Result<PageFileReader, DamageReason> {
        guard let block = bytes(of: file, at: 0, count: PageFileHeader.byteCount) else {
            return .failure("it is cut short")
        }
        let decoded = block.withUnsafeBytes {
            PageFileHeader.decode($0, identity: identity, number: number)
        }
        let header: PageFileHeader
        switch decoded {
        case .success(let value): header = value
        case .failure(let reason): return .failure(reason)
        }
        guard header.lsn == entry.lsn, header.seed == entry.seed,
            header.descriptorCRC == entry.descriptorCRC
        else { return .failure("it is not the one that the manifest names") }
        // Sizes are checked before anything is mapped: touching pages past the end would trap.
        guard let byteCount = try? file.byteCount(), byteCount >= header.fileByteCount else {
            return .failure("it is cut short")
        }
        guard
            let tail = bytes(
                of: file, at: header.descriptorOffset, count: header.descriptorByteCount),
            checksum(of: tail) == header.descriptorCRC
        else { return .failure("the checksum of its descriptor does not match") }
        guard let descriptor = tail.withUnsafeBytes({ CheckpointDescriptor(decoding: $0) }),
            descriptor.lsn == header.lsn
        else { return .failure("its descriptor contradicts itself") }
        return .success(PageFileReader(header: header, descriptor: descriptor, file: file))
    }

    private static func bytes(of file: File, at offset: UInt64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { buffer in
            capture { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
        }
        guard case .success(count) = read else { return nil }
        return bytes
    }

    /// Hands the pages to an index: mapped, or read page by page when they are first touched.
    func attach(to index: Index, readMode: ReadMode) throws(StoreError) -> AttachedPages {
        let byteCount = Int(header.pageCount) * PageFileHeader.pageByteCount
        switch readMode {
        case .mapped:
            let base: UnsafeRawPointer
            do {
                base = try file.map(byteCount: Int(header.fileByteCount))
            } catch {
                throw StoreError(error)
            }
            index.attachPageFile(
                number: header.number, pages: base + PageFileHeader.byteCount,
                pageCount: header.pageCount, seed: header.seed, load: nil)
            return AttachedPages(file: file, mapping: (base, Int(header.fileByteCount)), copy: nil)
        case .verified:
            let memory = try AnonymousMemory(byteCount: byteCount)
            let file = file
            index.attachPageFile(
                number: header.number, pages: UnsafeRawPointer(memory.base),
                pageCount: header.pageCount, seed: header.seed
            ) { page in
                let start = Int(page) * PageFileHeader.pageByteCount
                let bytes = UnsafeMutableRawBufferPointer(
                    start: memory.base + start, count: PageFileHeader.pageByteCount)
                let offset = UInt64(PageFileHeader.byteCount + start)
                let read = capture { () throws(FileSystemError) in
                    try file.read(into: bytes, at: offset)
                }
                if case .success(PageFileHeader.pageByteCount) = read { return true }
                return false
            }
            return AttachedPages(file: file, mapping: nil, copy: memory)
        }
    }
}

/// Pages that an index reads; they are given back when the store and its last snapshot are gone.
final class AttachedPages: @unchecked Sendable {
    private let file: File
    private let mapping: (base: UnsafeRawPointer, byteCount: Int)?
    private let copy: AnonymousMemory?

    init(
        file: File, mapping: (base: UnsafeRawPointer, byteCount: Int)?,
        copy: AnonymousMemory?
    ) {
        self.file = file
        self.mapping = mapping
        self.copy = copy
    }

    deinit {
        if let mapping { file.unmap(mapping.base, byteCount: mapping.byteCount) }
        file.close()
    }
}
