import SegmentLog

/// Brings files from one directory to another: by link, by clone or by copy, no faster than allowed.
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
    /// What was done so far.
    private(set) var report = BackupReport()

    private static let pieceByteCount = 1 << 20
    /// What a file has behind its name until it is whole.
    static let partSuffix = ".part"

    /// `buffer` is the caller's, of any size that is worth a system call.
    init(
        _ environment: Environment, _ options: BackupOptions, totalByteCount: UInt64,
        progress: ((BackupProgress) -> Void)?, buffer: UnsafeMutableRawBufferPointer
    ) {
        fileSystem = environment.fileSystem
        now = environment.now
        start = environment.now()
        self.options = options
        self.totalByteCount = totalByteCount
        self.progress = progress
        self.buffer = buffer
        method = options.method
    }

    /// Brings one file; its bytes are durable when this returns, its name is not.
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
            } else {
                try copy(file.byteCount, from: source, to: part)
            }
            // A file of that name, which an earlier backup may need, is there or replaced, whole.
            try fileSystem.rename(from: part, to: target)
        } catch {
            throw StoreError(error)
        }
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

    private mutating func copy(
        _ byteCount: UInt64, from source: String, to target: String
    ) throws(FileSystemError) {
        let input = try fileSystem.open(source, .readOnly)
        defer { input.close() }
        let output = try fileSystem.open(target, .createNew)
        defer { output.close() }
        var offset: UInt64 = 0
        while offset < byteCount {
            let wanted = Int(min(byteCount - offset, UInt64(buffer.count)))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try input.read(into: piece, at: offset)
            guard count == wanted else {
                throw FileSystemError(
                    operation: "copy", path: source, offset: offset + UInt64(count), code: 5,
                    message: "The file is shorter than it must be. Run `travertine fsck`.")
            }
            try output.write(UnsafeRawBufferPointer(piece), at: offset)
            offset += UInt64(count)
            report.copiedByteCount += UInt64(count)
            note(UInt64(count))
            keepToRate()
        }
        try output.sync()
        report.copiedFileCount += 1
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
