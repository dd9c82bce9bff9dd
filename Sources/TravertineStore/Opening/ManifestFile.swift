import SegmentLog

/// Reads and atomically replaces the manifest.
package enum ManifestFile {
    /// Reads the manifest; nil if there is none.
    package static func read(
        in directory: String, fileSystem: FileSystem
    ) throws(StoreError) -> Manifest? {
        let path = directory + "/" + StoreFiles.manifest
        do {
            guard fileSystem.exists(path) else { return nil }
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            // One byte more than a manifest has, to see that there is no more.
            var bytes = [UInt8](repeating: 0, count: Manifest.byteCount + 1)
            let count = try bytes.withUnsafeMutableBytes { (buffer) throws(FileSystemError) in
                try file.read(into: buffer, at: 0)
            }
            let decoded = bytes[..<count].withUnsafeBytes { buffer in
                capture { () throws(StoreError) in try Manifest(decoding: buffer, file: path) }
            }
            return try decoded.get()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Replaces the manifest: write, sync, rename, sync the directory.
    ///
    /// An error before `willSync` is called has changed nothing.
    package static func replace(
        _ manifest: Manifest, in directory: String, fileSystem: FileSystem,
        willSync: () -> Void = {}
    ) throws(StoreError) {
        assert(manifest.canBeRead, "the manifest could not be read again")
        let new = directory + "/" + StoreFiles.newManifest
        do throws(FileSystemError) {
            if fileSystem.exists(new) { try fileSystem.remove(new) }
            let file = try fileSystem.open(new, .createNew)
            defer { file.close() }
            let entries = try fileSystem.openDirectory(directory)
            defer { entries.close() }
            try manifest.encoded.withBytes { (buffer) throws(FileSystemError) in
                try file.write(buffer, at: 0)
            }
            willSync()
            try file.sync()
            try fileSystem.rename(from: new, to: directory + "/" + StoreFiles.manifest)
            try entries.sync()
        } catch {
            throw StoreError(error)
        }
    }
}
