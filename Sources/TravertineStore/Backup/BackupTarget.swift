import SegmentLog

/// The directory that a backup is written to.
///
/// States of the directory, with the function at each arrow:
///
///     missing or empty --init--> unfinished --publish--> backup --write, publish--> newer backup
///
/// *Unfinished* has the file `backup.unfinished` and no `backup`; nothing takes it for a backup.
/// While a newer backup is written, `backup` names the files of the earlier one, all of which stay
/// until it is replaced.
package struct BackupTarget {
    /// The name of the file that lists the others.
    package static let listName = "backup"
    static let newListName = "backup.new"
    private static let markName = "backup.unfinished"
    /// The files of a backup that no store has.
    package static let fileNames = [listName, newListName, markName]

    private let path: String
    private let fileSystem: FileSystem
    private let lock: FileLock
    /// The backup that is there already.
    private let previous: BackupManifest?

    /// Prepares the directory, and checks that a backup of the store at `source` may go there.
    init(
        path: String, apartFrom source: String, identity: StoreIdentity, fileSystem: FileSystem
    ) throws(StoreError) {
        if StorePlace.isNested(path, source, fileSystem) {
            throw StoreError(
                .misuse,
                "The backup would lie in the directory of the store, or the other way round. Choose "
                    + "a path apart from it.", file: path)
        }
        self.path = path
        self.fileSystem = fileSystem
        do throws(FileSystemError) {
            if !fileSystem.exists(path) {
                try fileSystem.createDirectory(path)
                try fileSystem.syncDirectory(StoreFiles.parent(of: path))
            }
        } catch {
            throw StoreError(error)
        }
        try Self.checkContents(path, fileSystem)
        // Before the lock, so that nothing is made in a directory that holds none of this store.
        if let found = try Self.read(in: path, fileSystem: fileSystem) {
            try Self.check(found, identity, path)
        }
        lock = try Self.takeLock(path, fileSystem)
        do throws(StoreError) {
            previous = try Self.read(in: path, fileSystem: fileSystem)
            if let previous { try Self.check(previous, identity, path) }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Lets others write a backup there.
    func close() { lock.release() }

    /// Nothing but a backup, whole or unfinished, may be there.
    private static func checkContents(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) {
        let names: [String]
        // The lock of a backup has no text in it.
        let lock: FileStart
        do throws(FileSystemError) {
            names = try fileSystem.list(path)
            lock = try FileStart(ofLock: path + "/" + StoreFiles.lock, fileSystem)
        } catch {
            throw StoreError(error)
        }
        if names.contains(listName) { return }
        for name in names {
            if name == StoreFiles.lock, lock != .other { continue }
            if name == markName || isOurs(name), names.contains(markName) { continue }
            throw StoreError(
                .notAStore,
                "The directory holds other files (\(name)) and no backup. Choose an empty "
                    + "directory or a new path.", file: path)
        }
    }

    /// Whether a file of this name comes from a backup, if it lies in the directory of one.
    private static func isOurs(_ name: String) -> Bool {
        let whole =
            name.hasSuffix(FileCarrier.partSuffix)
            ? String(name.dropLast(FileCarrier.partSuffix.count)) : name
        return StoreFiles.segmentNumber(of: whole) != nil
            || StoreFiles.pageFileNumber(of: whole) != nil
            || [newListName, markName].contains(name)
    }

    private static func takeLock(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> FileLock {
        do throws(FileSystemError) {
            return try fileSystem.lock(path + "/" + StoreFiles.lock)
        } catch {
            if error.isLocked {
                throw StoreError(
                    .locked, "Another backup is written to this directory.", file: path)
            }
            throw StoreError(error)
        }
    }

    private static func check(
        _ previous: BackupManifest, _ identity: StoreIdentity, _ path: String
    ) throws(StoreError) {
        let found = previous.manifest.identity
        if found == identity { return }
        let isOther = found.uuidLow != identity.uuidLow || found.uuidHigh != identity.uuidHigh
        throw StoreError(
            .wrongStore,
            isOther
                ? "The directory holds a backup of the store \(found.text), not of "
                    + "\(identity.text). Choose another directory."
                : "The directory holds a backup of this store from before it was restored or "
                    + "copied. Choose another directory: the two have gone different ways since.",
            file: path)
    }

    /// Refuses an image that is not what became of the earlier backup: one of a store that was put
    /// back to an older state by other means than a restore, so that it has the same lineage.
    ///
    /// What a backup holds was durable, so that its last bytes are where they were as long as their
    /// segment is there.
    private func checkIsContinued(
        _ previous: BackupManifest, by image: BackupManifest, from source: String
    ) throws(StoreError) {
        let difference: String
        if previous.lsn > image.lsn {
            difference = "is of LSN \(previous.lsn), and the store is at LSN \(image.lsn)"
        } else if let last = previous.files.last(where: { $0.kind == .segment }),
            let same = image.files.first(where: { $0.name == last.name }),
            fileSystem.exists(path + "/" + last.name),
            try !same.continues(last, from: source, in: path, fileSystem)
        {
            difference = "ends in \(last.name) with other bytes than the store has there"
        } else {
            return
        }
        throw StoreError(
            .wrongStore,
            "The directory holds a backup that this store does not continue: it \(difference). An "
                + "older copy was put in the store's place, or a file is damaged (`travertine "
                + "verify` finds). Choose another directory.", file: path)
    }

    /// Reads the list of a backup; nil if there is none.
    static func read(
        in path: String, fileSystem: FileSystem
    ) throws(StoreError) -> BackupManifest? {
        let list = path + "/" + listName
        guard fileSystem.exists(list) else { return nil }
        do {
            let file = try fileSystem.open(list, .readOnly)
            defer { file.close() }
            let byteCount = min(try file.byteCount(), 1 << 30)
            var bytes = [UInt8](repeating: 0, count: Int(byteCount))
            let count = try bytes.withUnsafeMutableBytes { (buffer) throws(FileSystemError) in
                try file.read(into: buffer, at: 0)
            }
            let decoded = bytes[..<count].withUnsafeBytes { buffer in
                capture { () throws(StoreError) in
                    try BackupManifest(decoding: buffer, file: list)
                }
            }
            return try decoded.get()
        } catch {
            throw StoreError(anyError: error)
        }
    }

    // MARK: Writing

    /// Brings the files that are not there yet, makes the list the backup, and removes what is left
    /// over of the earlier one.
    ///
    /// - Parameter growing: the segment that another process may append to at the same time.
    func write(
        _ image: BackupManifest, from source: String, growing: UInt32? = nil,
        _ environment: Environment, _ options: BackupOptions,
        _ progress: ((BackupProgress) -> Void)?
    ) throws(StoreError) -> BackupReport {
        if let previous { try checkIsContinued(previous, by: image, from: source) }
        if previous == nil { try markUnfinished() }
        var missing: [BackupFile] = []
        let known = Set(previous?.files ?? [])
        for file in image.files {
            if known.contains(file),
                try file.isPresent(
                    in: path, identity: image.manifest.identity, fileSystem: fileSystem)
            {
                continue
            }
            missing.append(file)
        }
        var report = try FileCarrier.withBuffer { (buffer) throws(StoreError) in
            var carrier = FileCarrier(
                environment, options, totalByteCount: missing.reduce(0) { $0 + $1.byteCount },
                progress: progress, buffer: buffer)
            for file in missing {
                let grows = file.kind == .segment && file.number == growing
                try carrier.carry(file, from: source, to: path, grows: grows)
            }
            try carrier.finish()
            return carrier.report
        }
        try publish(image)
        removeOthers(image)
        report.lsn = image.lsn.rawValue
        report.fileCount = image.files.count
        report.byteCount = image.files.reduce(0) { $0 + $1.byteCount }
        report.reusedFileCount = image.files.count - missing.count
        return report
    }

    /// Says, before the first file, that this directory is to become a backup.
    private func markUnfinished() throws(StoreError) {
        do throws(FileSystemError) {
            let mark = path + "/" + Self.markName
            if fileSystem.exists(mark) { return }
            let file = try fileSystem.open(mark, .createNew)
            file.close()
            try fileSystem.syncDirectory(path)
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes the names of all files durable, then replaces the list.
    private func publish(_ image: BackupManifest) throws(StoreError) {
        let new = path + "/" + Self.newListName
        do throws(FileSystemError) {
            try fileSystem.syncDirectory(path)
            if fileSystem.exists(new) { try fileSystem.remove(new) }
            let file = try fileSystem.open(new, .createNew)
            defer { file.close() }
            try image.encoded.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: 0)
            }
            try file.sync()
            try fileSystem.rename(from: new, to: path + "/" + Self.listName)
            try fileSystem.syncDirectory(path)
        } catch {
            throw StoreError(error)
        }
    }

    /// Removes files of earlier backups; what can't be removed is tried again by the next one.
    private func removeOthers(_ image: BackupManifest) {
        let names = Set(image.files.map(\.name))
        _ = capture { () throws(FileSystemError) in
            for name in try fileSystem.list(path)
            where !names.contains(name) && Self.isOurs(name) {
                try fileSystem.remove(path + "/" + name)
            }
        }
    }
}
