/// Reads single records through `pread`, verified: for opening, which maps nothing, so that a media
/// error there is an error and no SIGBUS.
///
/// Keeps a few files open. One thread.
package final class RecordFetcher {
    private let directory: String
    private let identity: StoreIdentity
    private let fileSystem: FileSystem
    private var files: [SegmentNumber: OpenSegment] = [:]
    private var buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 8 << 10, alignment: FileBlock.byteCount)
    /// The record that is in the buffer.
    private var current: (location: Location, record: RecordPointer)?

    private static let openFileCountMax = 4

    private struct OpenSegment {
        var file: File
        var byteCount: Int
        var saltChecksum: UInt32
    }

    /// Opens nothing yet.
    package init(of log: SegmentLog) {
        directory = log.directory
        identity = log.identity
        fileSystem = log.environment.fileSystem
    }

    deinit {
        for open in files.values { open.file.close() }
        buffer.deallocate()
    }

    /// The record at a location, or the pack that the entry there is in; valid until the next call.
    package func record(at location: Location) throws(LogError) -> RecordPointer {
        let place = location.isCompressed ? location.entry(0) : location
        if let current, current.location == place { return current.record }
        current = nil
        let path = location.segment.path(in: directory)
        do throws(FileSystemError) {
            let segment = try segment(location.segment, path)
            let record = try read(location.recordOffset, of: segment, path)
            current = (place, record)
            return record
        } catch {
            throw LogError(damageOrIO: error, at: UInt64(max(0, location.recordOffset)))
        }
    }

    private func segment(
        _ number: SegmentNumber, _ path: String
    ) throws(FileSystemError) -> OpenSegment {
        if let known = files[number] { return known }
        if files.count >= Self.openFileCountMax {
            for open in files.values { open.file.close() }
            files.removeAll()
        }
        let file = try fileSystem.open(path, .readOnly)
        do throws(FileSystemError) {
            let header = try SegmentHeader.read(from: file, number: number, identity: identity)
            let byteCount = Int(min(header.segmentByteCount, try file.byteCount()))
            let open = OpenSegment(
                file: file, byteCount: byteCount, saltChecksum: header.saltChecksum)
            files[number] = open
            return open
        } catch {
            file.close()
            throw error
        }
    }

    /// Most records come with the first read; of a longer one the rest follows.
    private func read(
        _ offset: Int, of segment: OpenSegment, _ path: String
    ) throws(FileSystemError) -> RecordPointer {
        var wanted = RecordLayout.headerByteCount
        var available = 0
        while true {
            guard offset >= SegmentHeader.byteCount, offset + wanted <= segment.byteCount else {
                throw .damage("no record can be here", in: path)
            }
            if available < wanted {
                makeRoom(for: wanted)
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(buffer.count, segment.byteCount - offset)])
                available = try segment.file.read(into: target, at: UInt64(offset))
                guard available >= wanted else { throw .damage("the file ends here", in: path) }
            }
            guard let base = buffer.baseAddress else { preconditionFailure("no buffer") }
            let record = RecordPointer(unsafeBase: UnsafeRawPointer(base), offset: offset)
            if wanted == RecordLayout.headerByteCount {
                wanted = record.contentByteCount
                if wanted > RecordLayout.headerByteCount { continue }
            }
            guard record.kind != nil, record.verify(saltChecksum: segment.saltChecksum) else {
                throw .damage("the record's checksum does not match", in: path)
            }
            return record
        }
    }

    private func makeRoom(for byteCount: Int) {
        if byteCount <= buffer.count { return }
        buffer.deallocate()
        buffer = .allocate(
            byteCount: FileBlock.roundedUp(byteCount), alignment: FileBlock.byteCount)
    }
}

extension SegmentHeader {
    /// Reads the header of a file that must be a segment of this number and store; anything else is
    /// thrown as damage.
    static func read(
        from file: File, number: SegmentNumber, identity: StoreIdentity
    ) throws(FileSystemError) -> SegmentHeader {
        switch try read(from: file) {
        case .header(let header):
            guard header.number == number, header.identity.isOfSameStore(as: identity) else {
                throw .damage("the segment header is another segment's", in: file.path)
            }
            return header
        case .spare: throw .damage("the segment is a spare and holds nothing", in: file.path)
        case .newerFormat(let version):
            throw .damage("the segment has format \(version)", in: file.path)
        case .damaged(let reason): throw .damage(reason, in: file.path)
        }
    }
}

extension FileSystemError {
    /// Damage, which travels as an error of code 0 where one error type is enough.
    static func damage(_ reason: String, in path: String) -> FileSystemError {
        FileSystemError(operation: "read", path: path, code: 0, message: reason)
    }
}

extension LogError {
    /// Damage, or a missing file, is `.damaged`; what the file system could not do is `.io`.
    init(damageOrIO error: FileSystemError, at offset: UInt64 = 0) {
        guard error.code == 0 || error.isNotFound else {
            self = .io(error)
            return
        }
        let reason = error.isNotFound ? "the segment is missing" : error.message
        self = .damaged(
            LogDamage(
                file: error.path, offset: error.isNotFound ? 0 : offset, lsn: nil, reason: reason))
    }
}
