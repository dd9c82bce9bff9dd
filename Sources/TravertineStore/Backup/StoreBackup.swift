import SegmentLog

/// Backups that `Store.backup` made: what can be done with them without a store.
public enum StoreBackup {
    /// Makes a store of a backup, in a directory that is missing or empty.
    ///
    /// The store has its own lineage from here on: it never changes a file that came from the
    /// backup, and is not backed up into the same directory. Files are cloned, or else copied,
    /// unless the options allow links. The store is built under the path with `.restoring` after
    /// it, and gets its name when it is whole and durable; the next restore clears away what an
    /// interrupted one left, unless that was whole.
    ///
    /// - Throws: `.notFound`, `.notAStore` when the source holds no complete backup,
    ///   `.permissionDenied`, `.newerFormat`, `.damaged` when its list can't be read; `.misuse`
    ///   when the directory is not empty; `.locked` while another restore builds there;
    ///   `.diskFull`, `.io`. Nothing is left then.
    @discardableResult
    public static func restore(
        from path: String, to directory: String,
        options: BackupOptions = BackupOptions(method: .clone),
        progress: ((BackupProgress) -> Void)? = nil
    ) throws(StoreError) -> BackupReport {
        try restore(
            from: path, to: directory, options: options,
            environment: .system(options.encryptionKey), progress: progress)
    }

    @discardableResult
    package static func restore(
        from path: String, to directory: String, options: BackupOptions,
        environment: Environment, progress: ((BackupProgress) -> Void)? = nil
    ) throws(StoreError) -> BackupReport {
        let fileSystem = environment.fileSystem
        let list = try list(of: path, fileSystem)
        let place = try StorePlace(
            path: directory, for: .restoring, apartFrom: [path], fileSystem: fileSystem)
        var report: BackupReport
        do {
            report = try bring(list, from: path, to: place.workPath, options, environment, progress)
        } catch {
            place.abandon()
            throw error
        }
        try place.finish()
        report.lsn = list.lsn.rawValue
        report.fileCount = list.files.count
        report.byteCount = list.files.reduce(0) { $0 + $1.byteCount }
        return report
    }

    /// Makes the files of a store of those of a backup, durable.
    private static func bring(
        _ list: BackupManifest, from path: String, to directory: String, _ options: BackupOptions,
        _ environment: Environment, _ progress: ((BackupProgress) -> Void)?
    ) throws(StoreError) -> BackupReport {
        let fileSystem = environment.fileSystem
        let report = try FileCarrier.withBuffer { (buffer) throws(StoreError) in
            var carrier = FileCarrier(
                environment, options, totalByteCount: list.files.reduce(0) { $0 + $1.byteCount },
                progress: progress, buffer: buffer)
            for file in list.files { try carrier.carry(file, from: path, to: directory) }
            try carrier.finish()
            return carrier.report
        }
        var manifest = list.manifest
        manifest.identity.lineage = manifest.identity.anotherLineage(environment.random)
        do {
            manifest.directory = DirectoryMark(try fileSystem.identity(of: directory))
            // The names of the files first: a store with a manifest is whole.
            try fileSystem.syncDirectory(directory)
            try ManifestFile.replace(manifest, in: directory, fileSystem: fileSystem)
        } catch {
            throw StoreError(anyError: error)
        }
        return report
    }

    /// The list of a backup's files.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.permissionDenied`, `.newerFormat`, `.damaged`.
    package static func list(
        of path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> BackupManifest {
        guard fileSystem.exists(path) else {
            throw StoreError(.notFound, "There is no backup at this path.", file: path)
        }
        guard let list = try BackupTarget.read(in: path, fileSystem: fileSystem) else {
            // Where the directory can't be read nothing is known of what is in it.
            do throws(FileSystemError) {
                _ = try fileSystem.list(path)
            } catch {
                throw StoreError(error)
            }
            let isStore = fileSystem.exists(path + "/" + StoreFiles.manifest)
            throw StoreError(
                .notAStore,
                isStore
                    ? "The directory holds a store, not a backup. Verify a store with `travertine "
                        + "fsck`; make a backup of it with `travertine backup`."
                    : "The directory holds no complete backup: there is no file “backup” in it.",
                file: path)
        }
        return list
    }
}
