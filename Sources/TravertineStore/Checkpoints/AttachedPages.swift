import OrderedIndex
import SegmentLog

/// Pages of one file that an index reads; they are given back with the last reference.
package final class AttachedPages: @unchecked Sendable {
    /// Which file it is.
    let reference: CheckpointDescriptor.PageFileReference
    /// Closed in mapped mode, where the mapping is all that is needed.
    private let file: File
    private let mapping: (base: UnsafeRawPointer, byteCount: Int)?
    private let copy: AnonymousMemory?

    /// Hands the pages of an opened file to an index: mapped, or read page by page when they are
    /// first touched, as those of an encrypted store always are.
    init(
        _ reference: CheckpointDescriptor.PageFileReference, _ file: File, to index: Index,
        readMode: ReadMode, damage: PageDamage?
    ) throws(StoreError) {
        self.reference = reference
        self.file = file
        let number = reference.number
        let pagesByteCount = Int(reference.pageCount) * PageFileHeader.pageByteCount
        let pages: UnsafeRawPointer
        var load: (@Sendable (UInt32) -> Bool)?
        switch file.isMappable ? readMode : .verified {
        case .mapped:
            let byteCount = PageFileHeader.byteCount + pagesByteCount
            let base: UnsafeRawPointer
            do {
                base = try file.map(byteCount: byteCount)
            } catch {
                throw StoreError(error)
            }
            file.close()
            mapping = (base, byteCount)
            copy = nil
            pages = base + PageFileHeader.byteCount
        case .verified:
            let memory: AnonymousMemory
            do {
                memory = try AnonymousMemory(byteCount: pagesByteCount, for: file.path)
            } catch {
                throw StoreError(error)
            }
            mapping = nil
            copy = memory
            pages = UnsafeRawPointer(memory.base)
            load = { page in Self.load(page, of: file, into: memory) }
        }
        index.attachPageFile(
            number: number, pages: pages, pageCount: reference.pageCount, seed: reference.seed,
            load: load, didFail: { page in damage?.note(file: number, page: page) })
    }

    private static func load(_ page: UInt32, of file: File, into memory: AnonymousMemory) -> Bool {
        let start = Int(page) * PageFileHeader.pageByteCount
        let bytes = UnsafeMutableRawBufferPointer(
            rebasing: memory.bytes[start..<start + PageFileHeader.pageByteCount])
        let offset = UInt64(PageFileHeader.byteCount + start)
        let read = capture { () throws(FileSystemError) in try file.read(into: bytes, at: offset) }
        if case .success(PageFileHeader.pageByteCount) = read { return true }
        return false
    }

    deinit {
        if let mapping { file.unmap(mapping.base, byteCount: mapping.byteCount) }
        file.close()
    }
}
