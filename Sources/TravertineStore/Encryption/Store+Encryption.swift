import SegmentLog

extension Store {
    /// Whether the store, or the backup, in a directory is encrypted; nil if there is none, or
    /// nothing in it shows that. Reads the first bytes of files, and takes no lock.
    ///
    /// - Throws: `.permissionDenied`, `.io`.
    public static func isEncrypted(at path: String) throws(StoreError) -> Bool? {
        let fileSystem = Environment.system.fileSystem
        do throws(FileSystemError) {
            for (name, sealed, plain) in [
                (StoreFiles.manifest, Manifest.magic, Manifest.magic),
                (BackupTarget.listName, SealedFileHeader.magic, BackupManifest.magic),
            ] {
                let file = path + "/" + name
                guard fileSystem.exists(file) else { continue }
                if try SealedFileHeader(ofFile: file, magic: sealed, fileSystem) != nil {
                    return true
                }
                let start = try FileStart(of: file, fileSystem) { $0.starts(with: plain) }
                if start == .ours, sealed != plain { return false }
            }
            return try isEncryptedBySegments(path, fileSystem)
        } catch {
            if error.isNotFound || error.isNotDirectory || error.isNoFile { return nil }
            throw StoreError(error)
        }
    }

    /// What the headers of segments say: a manifest may be damaged, also in its version.
    package static func isEncryptedBySegments(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool? {
        for name in try fileSystem.list(path).sorted()
        where StoreFiles.segmentNumber(of: name) != nil {
            let file = try fileSystem.open(path + "/" + name, .readOnly)
            defer { file.close() }
            if case .header(let header) = try SegmentHeader.read(from: file) {
                return header.algorithm != nil
            }
        }
        return fileSystem.exists(path + "/" + StoreFiles.manifest) ? false : nil
    }
}
