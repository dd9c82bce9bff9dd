import SegmentLog

extension Store {
    /// Whether the store, or the backup, in a directory is encrypted; nil if there is none. Reads
    /// the first bytes of one file, and takes no lock.
    ///
    /// - Throws: `.permissionDenied`, `.io`.
    public static func isEncrypted(at path: String) throws(StoreError) -> Bool? {
        let fileSystem = Environment.system.fileSystem
        for (name, magic) in [
            (StoreFiles.manifest, Manifest.magic),
            (BackupTarget.listName, SealedFileHeader.magic),
        ] {
            let file = path + "/" + name
            do throws(FileSystemError) {
                guard fileSystem.exists(file) else { continue }
                return try SealedFileHeader(ofFile: file, magic: magic, fileSystem) != nil
            } catch {
                if error.isNotFound || error.isNotDirectory { continue }
                throw StoreError(error)
            }
        }
        return nil
    }
}
