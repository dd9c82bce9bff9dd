#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of any size, read through `pread` and a window of bounded memory.
///
/// What the device can't read is zeros in the window and is counted: salvage goes on after a
/// bad sector. Never maps, never writes. One thread.
package final class SourceWindow {
    package let path: String
    /// The size of the file when it was opened.
    package let byteCount: Int
    /// Bytes that the device did not give, each page of 4 KiB once for each time it was asked for.
    package private(set) var unreadableByteCount = 0
    /// Whether encrypted files are read through their key.
    package let isDecrypted: Bool
    private let file: File
    private var buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var count = 0

    private static let windowByteCount = 4 << 20

    /// Opens a file for reading.
    package init(path: String, fileSystem: FileSystem) throws(FileSystemError) {
        self.path = path
        isDecrypted = fileSystem.segmentAlgorithm != nil
        file = try fileSystem.openForSalvage(path)
        byteCount = Int(clamping: try file.byteCount())
        buffer = .allocate(byteCount: Self.windowByteCount, alignment: FileBlock.byteCount)
    }

    deinit {
        // It may have had records in the clear.
        if isDecrypted { buffer.initializeMemory(as: UInt8.self, repeating: 0) }
        buffer.deallocate()
        file.close()
    }

    /// The bytes `[position, position + count)`, valid until the next call; nil past the end.
    package func bytes(at position: Int, count wanted: Int) -> UnsafeRawPointer? {
        guard position >= 0, wanted >= 0, wanted <= byteCount, position <= byteCount - wanted
        else { return nil }
        if position < start || position + wanted > start + count { fill(at: position, wanted) }
        return buffer.baseAddress.map { UnsafeRawPointer($0) + (position - start) }
    }

    /// The bytes from `position` to the end of the window, at least `wanted` if the file has them.
    func stretch(at position: Int, wanted: Int) -> UnsafeRawBufferPointer {
        let least = min(wanted, byteCount - position)
        guard least > 0, let base = bytes(at: position, count: least) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base, count: start + count - position)
    }

    /// The first position at or after `position` that may hold something else than zeros.
    func nextData(from position: Int) -> Int {
        guard position < byteCount else { return byteCount }
        do throws(FileSystemError) {
            guard let next = try file.nextData(from: UInt64(position)) else { return byteCount }
            return max(position, Int(clamping: next))
        } catch {
            // Only a hint: without it everything is read.
            return position
        }
    }

    private func fill(at position: Int, _ wanted: Int) {
        if wanted > buffer.count {
            buffer.deallocate()
            let size = FileBlock.roundedUp(wanted)
            buffer = .allocate(byteCount: size, alignment: FileBlock.byteCount)
        }
        start = position
        count = min(buffer.count, byteCount - position)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<count])
        do throws(FileSystemError) {
            let read = try file.read(into: target, at: UInt64(position))
            zero(target, from: read)
        } catch {
            fillByPages(target, at: position)
        }
    }

    /// Reads page by page and leaves zeros where a page can't be read.
    private func fillByPages(_ target: UnsafeMutableRawBufferPointer, at position: Int) {
        var done = 0
        while done < target.count {
            let end = min(done + FileBlock.byteCount, target.count)
            let page = UnsafeMutableRawBufferPointer(rebasing: target[done..<end])
            do throws(FileSystemError) {
                zero(page, from: try file.read(into: page, at: UInt64(position + done)))
            } catch {
                zero(page, from: 0)
                unreadableByteCount += page.count
            }
            done = end
        }
    }

    private func zero(_ target: UnsafeMutableRawBufferPointer, from offset: Int) {
        guard offset < target.count, let base = target.baseAddress else { return }
        memset(base + offset, 0, target.count - offset)
    }
}
