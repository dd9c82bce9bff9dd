import SegmentLog

/// The file `NAME.feed` in the directory of a store: how far the consumer of a feed has come, and
/// which process reads it.
///
/// Two blocks are written in turn, each synced, so that one is whole after any crash. The byte at
/// `FeedRecord.lockOffset` is locked by the process that reads the feed. The writer of the store
/// looks at the blocks before it compacts (`LogKept`).
final class FeedFile {
    private let file: File
    private(set) var record: FeedRecord?
    private let name: String
    private var isClosed = false

    /// Opens the file of a feed and locks it; makes it if it is missing, without a block.
    ///
    /// - Throws: `.locked` when another one reads the feed, `.misuse` for a name that is none,
    ///   `.permissionDenied`, `.diskFull`, `.io`.
    init(named name: String, in directory: String, _ fileSystem: FileSystem) throws(StoreError) {
        try StoreFiles.checkFeedName(name)
        self.name = name
        let path = directory + "/" + StoreFiles.feed(name)
        do throws(FileSystemError) {
            if let locked = try Self.openLocked(path, directory, fileSystem) {
                (file, record) = locked
                return
            }
        } catch {
            throw StoreError(error)
        }
        throw StoreError(
            .locked,
            "Somebody reads the feed \(name) already. A feed has one consumer: give each one its "
                + "own name.", file: path)
    }

    deinit { close() }

    /// Lets others read the feed. Closing twice does nothing.
    func close() {
        if isClosed { return }
        isClosed = true
        // A process that this one is just starting has the file too, until its program begins: the
        // lock is given up for both.
        _ = capture { () throws(FileSystemError) in
            try file.unlock(from: FeedRecord.lockOffset, byteCount: 1)
        }
        file.close()
    }

    /// Opens and locks the file; nil if another one has it.
    private static func openLocked(
        _ path: String, _ directory: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> (file: File, record: FeedRecord?)? {
        var attemptsLeft = 3
        while true {
            attemptsLeft -= 1
            let file: File
            do throws(FileSystemError) {
                file = try open(path, directory, fileSystem)
            } catch {
                // It was removed just now.
                if error.isNotFound, attemptsLeft > 0 { continue }
                throw error
            }
            do throws(FileSystemError) {
                guard try file.tryLock(from: FeedRecord.lockOffset, byteCount: 1) else {
                    file.close()
                    return nil
                }
                if try file.linkCount() > 0 {
                    let record = try read(file)
                    // A process that ended in between may have written it and not synced it.
                    if record != nil { try file.sync() }
                    return (file, record)
                }
            } catch {
                file.close()
                throw error
            }
            // It was removed between the two: then another file has the name, or none.
            file.close()
        }
    }

    private static func open(
        _ path: String, _ directory: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> File {
        guard let file = try make(path, fileSystem) else {
            return try fileSystem.open(path, .readWrite)
        }
        do throws(FileSystemError) {
            try file.allocate(byteCount: UInt64(FeedRecord.fileByteCount))
            try file.sync()
            try fileSystem.syncDirectory(directory)
            return file
        } catch {
            file.close()
            throw error
        }
    }

    /// Makes the file; nil if there is one.
    private static func make(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> File? {
        if fileSystem.exists(path) { return nil }
        do throws(FileSystemError) {
            return try fileSystem.open(path, .createNew)
        } catch {
            // Another one was faster.
            if error.isExisting { return nil }
            throw error
        }
    }

    /// Replaces what is remembered, durably: the older of the two blocks.
    func write(_ new: FeedRecord) throws(StoreError) {
        var new = new
        new.sequence = (record?.sequence ?? 0) + 1
        let offset = FeedRecord.offsets[Int(new.sequence % 2)]
        do throws(FileSystemError) {
            try new.encoded.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: offset)
            }
            try file.sync()
        } catch {
            throw StoreError(error)
        }
        record = new
    }

    /// The newer of the blocks that are whole; nil if none is.
    private static func read(_ file: File) throws(FileSystemError) -> FeedRecord? {
        var newest: FeedRecord?
        for offset in FeedRecord.offsets {
            var bytes = [UInt8](repeating: 0, count: FeedRecord.byteCount)
            let read = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
            }
            guard try read.get() == FeedRecord.byteCount,
                let found = bytes.withUnsafeBytes({ FeedRecord(decoding: $0) })
            else { continue }
            if found.sequence > newest?.sequence ?? 0 { newest = found }
        }
        return newest
    }

    /// Whether somebody has a feed open. Locks nothing.
    static func isOpen(
        _ name: String, in directory: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        do throws(FileSystemError) {
            let file = try fileSystem.open(directory + "/" + StoreFiles.feed(name), .readOnly)
            defer { file.close() }
            return try file.isLocked(from: FeedRecord.lockOffset, byteCount: 1)
        } catch {
            if error.isNotFound { return false }
            throw error
        }
    }

    /// What a file remembers, without locking it; nil where there is none, no block of it is whole,
    /// or this user may not read it.
    static func record(
        of name: String, in directory: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> FeedRecord? {
        do throws(FileSystemError) {
            let file = try fileSystem.open(directory + "/" + StoreFiles.feed(name), .readOnly)
            defer { file.close() }
            return try read(file)
        } catch {
            if error.isNotFound || error.isPermissionDenied { return nil }
            throw error
        }
    }
}

extension StoreFiles {
    private static let feedSuffix = ".feed"
    private static let feedNameByteCountMax = 64

    /// The name of the file of a feed.
    package static func feed(_ name: String) -> String { name + feedSuffix }

    /// The name of the feed whose file this is, or nil.
    package static func feedName(of name: String) -> String? {
        guard name.hasSuffix(feedSuffix) else { return nil }
        let feed = String(name.dropLast(feedSuffix.count))
        return isFeedName(feed) ? feed : nil
    }

    private static func isFeedName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count <= feedNameByteCountMax, bytes[0] != UInt8(ascii: "."),
            bytes[0] != UInt8(ascii: "-")
        else { return false }
        return bytes.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// Throws `.misuse` for what can't be the name of a feed.
    static func checkFeedName(_ name: String) throws(StoreError) {
        if isFeedName(name) { return }
        throw StoreError(
            .misuse,
            "“\(name)” can't be the name of a feed: it has 1 to \(feedNameByteCountMax) of the "
                + "characters a–z, A–Z, 0–9, “.”, “-” and “_”, and begins with a letter or digit "
                + "or “_”.")
    }
}
