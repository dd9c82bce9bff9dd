import SegmentLog

/// Brings files from one directory to another: by link, by clone or by copy, no faster than
/// allowed.
///
/// The system writes what was copied to the device while more is copied, and a file is waited for
/// when some others have been copied after it: so reading, copying and writing go on beside each
/// other.
struct FileCarrier {
    private let fileSystem: FileSystem
    private let options: BackupOptions
    private let now: @Sendable () -> UInt64
    private let start: UInt64
    private let progress: ((BackupProgress) -> Void)?
    private let totalByteCount: UInt64
    private var doneByteCount: UInt64 = 0
    private var method: BackupOptions.Method
    private let buffer: UnsafeMutableRawBufferPointer
    /// Files that are copied and not yet known to be durable, the oldest first.
    private var unsynced: [(file: File, target: String)] = []
    /// What was done so far.
    private(set) var report = BackupReport()

    private static let pieceByteCount = 1 << 20
    private static let unsyncedCountMax = 8
    /// What a file has after its name until it is whole.
    static let partSuffix = ".part"

    /// `buffer` is the caller's, of any size that is worth a system call.
    init(
        _ environment: Environment, _ options: BackupOptions, totalByteCount: UInt64,
        progress: ((BackupProgress) -> Void)?, buffer: UnsafeMutableRawBufferPointer
    ) {
        // Files are carried as they are stored.
        fileSystem = environment.fileSystem.stored
        now = environment.now
        start = environment.now()
        self.options = options
        self.totalByteCount = totalByteCount
        self.progress = progress
        self.buffer = buffer
        method = options.method
    }

    /// Brings one file; it has its name, and its bytes are durable, when `finish` has returned.
    ///
    /// One that `grows` is copied up to the bytes that count, whatever the options say.
    mutating func carry(
        _ file: BackupFile, from source: String, to target: String, grows: Bool = false
    ) throws(StoreError) {
        let (source, target) = (source + "/" + file.name, target + "/" + file.name)
        let part = target + Self.partSuffix
        do throws(FileSystemError) {
            if fileSystem.exists(part) { try fileSystem.remove(part) }
            let isShared = try grows ? false : share(from: source, to: part)
            if isShared {
                // What counts of it, as in the sum of all; the file itself may be longer.
                note(file.byteCount)
                // A file of that name, which an earlier backup may need, is there or replaced,
                // whole.
                try fileSystem.rename(from: part, to: target)
            } else {
                unsynced.append((try copy(file.byteCount, from: source, to: part), target))
                if unsynced.count > Self.unsyncedCountMax { try settleOldest() }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes all that was carried durable, and gives it its names; the names are not durable.
    mutating func finish() throws(StoreError) {
        do throws(FileSystemError) {
            while !unsynced.isEmpty { try settleOldest() }
        } catch {
            throw StoreError(error)
        }
    }

    private mutating func settleOldest() throws(FileSystemError) {
        let (file, target) = unsynced.removeFirst()
        defer { file.close() }
        try file.sync()
        try fileSystem.rename(from: target + Self.partSuffix, to: target)
    }

    /// Links or clones, whichever still seems possible; false if neither is.
    private mutating func share(
        from source: String, to target: String
    ) throws(FileSystemError) -> Bool {
        if method == .link {
            if succeeds({ () throws(FileSystemError) in
                try fileSystem.link(from: source, to: target)
            }) {
                report.linkedFileCount += 1
                return true
            }
            method = .clone
        }
        if method == .clone {
            if succeeds({ () throws(FileSystemError) in
                try fileSystem.clone(from: source, to: target)
            }) {
                let file = try fileSystem.open(target, .readWrite)
                defer { file.close() }
                try file.sync()
                report.clonedFileCount += 1
                return true
            }
            // A file system that can't clone one file can't clone the next.
            method = .copy
        }
        return false
    }

    private func succeeds(_ step: () throws(FileSystemError) -> Void) -> Bool {
        if case .success = capture(step) { return true }
        return false
    }

    /// Copies a file; it is not synced.
    private mutating func copy(
        _ byteCount: UInt64, from source: String, to target: String
    ) throws(FileSystemError) -> File {
        let input = try fileSystem.open(source, .readOnly)
        defer { input.close() }
        let output = try fileSystem.open(target, .createNew)
        var offset: UInt64 = 0
        while offset < byteCount {
            let wanted = Int(min(byteCount - offset, UInt64(buffer.count)))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try input.copy(to: output, at: offset, through: piece)
            guard count == wanted else {
                throw FileSystemError(
                    operation: "copy", path: source, offset: offset + UInt64(count), code: 5,
                    message: "The file is shorter than it must be. Run `travertine fsck`.")
            }
            output.beginWriteback(from: offset, byteCount: UInt64(count))
            offset += UInt64(count)
            report.copiedByteCount += UInt64(count)
            note(UInt64(count))
            keepToRate()
        }
        report.copiedFileCount += 1
        return output
    }

    private mutating func note(_ byteCount: UInt64) {
        doneByteCount += byteCount
        progress?(
            BackupProgress(
                byteCount: min(doneByteCount, totalByteCount), totalByteCount: totalByteCount))
    }

    /// Waits until what was copied so far may have been copied.
    private func keepToRate() {
        guard let rate = options.bytesPerSecond, rate > 0 else { return }
        let due = Double(report.copiedByteCount) / Double(rate) * 1e9
        let elapsed = now() &- start
        if UInt64(due) > elapsed { options.sleep(UInt64(due) - elapsed) }
    }

    /// Runs `body` with a buffer that is good for copying.
    static func withBuffer<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieceByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        return try body(buffer)
    }
}
