import OrderedIndex
import SegmentLog

/// The verification of one page file, a piece at a time: header, every page's
/// checksum, and the descriptor's.
///
/// Reads through `pread`, never through the mapping that readers use. One thread at a time.
final class PageScrub {
    private let file: File
    private let header: PageFileHeader
    private var nextPage: UInt32 = 0
    /// Bytes of the descriptor that were read, and their checksum.
    private var descriptorByteCount = 0
    private var descriptorCRC: UInt32 = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Opens the file and verifies its header.
    init(
        _ number: UInt32, directory: String, identity: StoreIdentity, fileSystem: FileSystem
    ) throws(StoreError) {
        let path = directory + "/" + StoreFiles.pageFile(number)
        do throws(FileSystemError) {
            file = try fileSystem.open(path, .readOnly)
        } catch {
            throw StoreError(error)
        }
        var block = [UInt8](repeating: 0, count: PageFileHeader.byteCount)
        let count: Int
        do {
            count = try Self.read(file, into: &block, at: 0)
        } catch {
            file.close()
            throw error
        }
        switch block[..<count].withUnsafeBytes({
            PageFileHeader.decode($0, identity: identity, number: number)
        }) {
        case .success(let decoded): header = decoded
        case .failure(let reason):
            file.close()
            throw StoreError(.damaged, "A page file is damaged: \(reason).", file: path, offset: 0)
        }
    }

    deinit { file.close() }

    /// Whether everything was verified.
    var isDone: Bool {
        nextPage >= header.pageCount && descriptorByteCount >= header.descriptorByteCount
    }

    /// Verifies the next pages, about so many bytes of them, and after the last the descriptor;
    /// returns how many bytes it were.
    func step(byteCount: Int) throws(StoreError) -> Int {
        var done = 0
        while !isDone, done < byteCount {
            done += nextPage < header.pageCount ? try verifyPages() : try verifyDescriptor()
        }
        return done
    }

    private func verifyPages() throws(StoreError) -> Int {
        let pageByteCount = PageFileHeader.pageByteCount
        let offset = UInt64(PageFileHeader.byteCount) + UInt64(nextPage) * UInt64(pageByteCount)
        let count = try Self.read(file, into: &buffer, at: offset)
        let wanted = min(buffer.count / pageByteCount, Int(header.pageCount - nextPage))
        for place in 0..<wanted {
            let page = nextPage + UInt32(place)
            let isWhole = buffer.withUnsafeBytes { bytes in
                (place + 1) * pageByteCount <= count
                    && bytes.baseAddress.map {
                        PageChecksum.matches(
                            $0 + place * pageByteCount, page: page, seed: header.seed)
                    } ?? false
            }
            if !isWhole {
                throw damage(
                    "The checksum of index page \(page) does not match.",
                    at: offset + UInt64(place * pageByteCount))
            }
        }
        nextPage += UInt32(wanted)
        return wanted * pageByteCount
    }

    /// The next piece of the descriptor; with the last one its checksum.
    private func verifyDescriptor() throws(StoreError) -> Int {
        let place = header.descriptorOffset + UInt64(descriptorByteCount)
        let wanted = min(buffer.count, header.descriptorByteCount - descriptorByteCount)
        guard try Self.read(file, into: &buffer, at: place) >= wanted else {
            throw damage("The file of a checkpoint is cut short.", at: place)
        }
        descriptorCRC = buffer.withUnsafeBytes { bytes in
            checksum(
                of: UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted)),
                continuing: descriptorCRC)
        }
        descriptorByteCount += wanted
        if isDone, descriptorCRC != header.descriptorCRC {
            throw damage(
                "The checksum of a checkpoint's descriptor does not match.",
                at: header.descriptorOffset)
        }
        return wanted
    }

    private func damage(_ what: String, at offset: UInt64) -> StoreError {
        StoreError(
            .damaged,
            what + " Run `travertine fsck` on the store; its index can be built anew from the log.",
            file: file.path, offset: offset)
    }

    private static func read(
        _ file: File, into target: inout [UInt8], at offset: UInt64
    ) throws(StoreError) -> Int {
        let result = target.withUnsafeMutableBytes { buffer in
            capture { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
        }
        do {
            return try result.get()
        } catch {
            throw StoreError(error)
        }
    }
}
