import OrderedIndex
import SegmentLog

/// The page files of a checkpoint, opened, with header and descriptor verified.
///
/// The checkpoint's own file has the descriptor; the pages may be in earlier files too. Pages are
/// verified by the index, each when it is first touched.
package struct PageFileReader {
    /// The first block of the file.
    package let header: PageFileHeader
    /// What the checkpoint says of its trees.
    package let descriptor: CheckpointDescriptor
    private let file: File
    /// The earlier files that the trees refer to.
    private var others: [(reference: CheckpointDescriptor.PageFileReference, file: File)] = []

    /// Opens all page files of a checkpoint; the reason if one can't be believed.
    package static func open(
        _ entry: Manifest.CheckpointEntry, directory: String, identity: StoreIdentity,
        fileSystem: FileSystem
    ) -> Result<PageFileReader, DamageReason> {
        let opened = openOwnFile(
            entry, directory: directory, identity: identity, fileSystem: fileSystem)
        guard case .success(var pages) = opened else { return opened }
        for reference in pages.descriptor.pageFiles where reference.number != pages.header.number {
            switch openFile(
                reference, directory: directory, identity: identity, fileSystem: fileSystem)
            {
            case .success(let file): pages.others.append((reference, file))
            case .failure(let reason):
                let name = StoreFiles.pageFile(reference.number)
                return .failure(
                    DamageReason("of \(name), which it needs, \(reason)", error: reason.error))
            }
        }
        return .success(pages)
    }

    /// Opens only the file that has a checkpoint's descriptor, to see which files it needs.
    static func openOwnFile(
        _ entry: Manifest.CheckpointEntry, directory: String, identity: StoreIdentity,
        fileSystem: FileSystem
    ) -> Result<PageFileReader, DamageReason> {
        guard let number = entry.file else { return .failure("it has no page file") }
        let path = directory + "/" + StoreFiles.pageFile(number)
        do throws(FileSystemError) {
            guard fileSystem.exists(path) else { return .failure("it is missing") }
            return read(try fileSystem.open(path, .readOnly), entry, number, identity)
        } catch {
            return .failure(.unopened(error))
        }
    }

    /// Opens a page file that a descriptor refers to, for its pages; the reason if it is another.
    static func openFile(
        _ reference: CheckpointDescriptor.PageFileReference, directory: String,
        identity: StoreIdentity, fileSystem: FileSystem
    ) -> Result<File, DamageReason> {
        let path = directory + "/" + StoreFiles.pageFile(reference.number)
        do throws(FileSystemError) {
            guard fileSystem.exists(path) else { return .failure("it is missing") }
            let file = try fileSystem.open(path, .readOnly)
            switch readHeader(of: file, reference.number, identity) {
            case .failure(let reason): return .failure(reason)
            case .success(let header):
                guard header.reference == reference else {
                    return .failure("it is another page file of this store")
                }
                return .success(file)
            }
        } catch {
            return .failure(.unopened(error))
        }
    }

    private static func readHeader(
        of file: File, _ number: UInt32, _ identity: StoreIdentity
    ) -> Result<PageFileHeader, DamageReason> {
        let block: [UInt8]
        switch bytes(of: file, at: 0, count: PageFileHeader.byteCount) {
        case .failure(let reason): return .failure(reason)
        case .success(let bytes): block = bytes
        }
        let decoded = block.withUnsafeBytes {
            PageFileHeader.decode($0, identity: identity, number: number)
        }
        guard case .success(let header) = decoded else { return decoded }
        // Sizes are checked before anything is mapped: touching pages past the end would trap.
        switch capture({ () throws(FileSystemError) in try file.byteCount() }) {
        case .failure(let error): return .failure(.unopened(error))
        case .success(let byteCount):
            return byteCount >= header.fileByteCount ? decoded : .failure("it is cut short")
        }
    }

    private static func read(
        _ file: File, _ entry: Manifest.CheckpointEntry, _ number: UInt32,
        _ identity: StoreIdentity
    ) -> Result<PageFileReader, DamageReason> {
        let header: PageFileHeader
        switch readHeader(of: file, number, identity) {
        case .success(let value): header = value
        case .failure(let reason): return .failure(reason)
        }
        guard header.lsn == entry.lsn, header.seed == entry.seed,
            header.descriptorCRC == entry.descriptorCRC
        else { return .failure("it is not the one that the manifest names") }
        let tail: [UInt8]
        switch bytes(of: file, at: header.descriptorOffset, count: header.descriptorByteCount) {
        case .failure(let reason): return .failure(reason)
        case .success(let bytes): tail = bytes
        }
        guard checksum(of: tail) == header.descriptorCRC else {
            return .failure("the checksum of its descriptor does not match")
        }
        guard let descriptor = tail.withUnsafeBytes({ CheckpointDescriptor(decoding: $0) }),
            descriptor.lsn == header.lsn, descriptor.pageFiles.contains(header.reference)
        else { return .failure("its descriptor contradicts itself") }
        return .success(PageFileReader(header: header, descriptor: descriptor, file: file))
    }

    private static func bytes(
        of file: File, at offset: UInt64, count: Int
    ) -> Result<[UInt8], DamageReason> {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { buffer in
            capture { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
        }
        switch read {
        case .failure(let error): return .failure(.unopened(error))
        case .success(count): return .success(bytes)
        case .success: return .failure("it is cut short")
        }
    }

    private init(header: PageFileHeader, descriptor: CheckpointDescriptor, file: File) {
        self.header = header
        self.descriptor = descriptor
        self.file = file
    }

    /// Hands the pages of all files to an index: mapped, or read page by page when they are first
    /// touched. Damaged pages are reported to `damage`.
    package func attach(
        to index: Index, readMode: ReadMode, damage: PageDamage? = nil
    ) throws(StoreError) -> [AttachedPages] {
        var attached = [
            try AttachedPages(
                header.reference, file, to: index, readMode: readMode, damage: damage)
        ]
        for other in others {
            attached.append(
                try AttachedPages(
                    other.reference, other.file, to: index, readMode: readMode, damage: damage))
        }
        return attached
    }
}
