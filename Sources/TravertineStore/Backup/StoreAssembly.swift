import Locks
import SegmentLog

/// Makes a store of the files of a `BackupImage` that a program brings from elsewhere.
///
/// The store is built beside its place, under the path with `.restoring` after it, and gets its
/// name when it is whole and durable (`StorePlace`):
///
///     init --makeFile, setManifest, rollForward--> being built --finish--> a store
///                                                    |
///                                                    +--abandon--> nothing (an interruption: the
///                                                                  next init)
///
/// One thread at a time calls its methods, but files may be written by several.
public final class StoreAssembly: Sendable {
    private let place: StorePlace
    private let environment: Environment
    private let image: Locked<BackupManifest?>

    /// Begins to build a store for a path that is missing or an empty directory.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - encryptionKey: the key of an encrypted store, if it is known. With it, and for stores
    ///     that are not encrypted, the store can be verified.
    /// - Throws: `.misuse` when something is at the path, `.locked` while another restore builds
    ///   there, `.permissionDenied`, `.notFound` without the directory above it, `.io`.
    public convenience init(
        at path: String, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) {
        try self.init(at: path, environment: .system(encryptionKey))
    }

    package init(at path: String, environment: Environment) throws(StoreError) {
        self.environment = environment
        image = Locked(nil)
        place = try StorePlace(
            path: path, for: .restoring, apartFrom: [], fileSystem: environment.fileSystem)
    }

    /// Where the store is built.
    public var directory: String { place.workPath }

    package var fileSystem: FileSystem { environment.fileSystem }
    package var verifyingEnvironment: Environment { environment }
    /// What was built, once `setManifest` could read it.
    package var list: BackupManifest? { image.withLock { $0 } }

    func setList(_ list: BackupManifest) { image.withLock { $0 = list } }

    /// Whether the manifest of an image can be read, so that the store can be verified; false for
    /// one that is encrypted, without its key. So a wrong key is found before files are brought.
    ///
    /// - Throws: `.damaged`, `.wrongStore` where the manifest is not that of the image;
    ///   `.newerFormat`, `.invalidEncryptionKey` with another key.
    public func canRead(_ image: BackupImage) throws(StoreError) -> Bool {
        if environment.fileSystem.segmentAlgorithm == nil, image.isEncrypted { return false }
        _ = try manifest(of: image)
        return true
    }

    /// The manifest of an image, which was encrypted or not.
    func manifest(of image: BackupImage) throws(StoreError) -> Manifest {
        let memory = MemoryFile(path: StoreFiles.manifest, bytes: image.manifest)
        let found = try ManifestFile.read(
            in: directory, fileSystem: environment.fileSystem.over(MemoryFileSystem(memory)))
        guard let manifest = found, manifest.identity.text == image.storeUUID,
            manifest.identity.lineage == image.lineage, manifest.durableLSN.rawValue == image.lsn
        else {
            throw StoreError(
                .wrongStore, "The manifest is not that of the other files.",
                file: directory + "/" + StoreFiles.manifest)
        }
        return manifest
    }

    /// Makes a file that is then written, in any order.
    ///
    /// - Throws: `.diskFull`, `.io`, `.tooManyOpenFiles`.
    public func makeFile(_ file: BackupImage.File) throws(StoreError) -> StoreAssemblyFile {
        do throws(FileSystemError) {
            let path = directory + "/" + file.name
            return StoreAssemblyFile(try environment.fileSystem.stored.open(path, .createNew))
        } catch {
            throw StoreError(error)
        }
    }

    /// Writes the manifest of an image all of whose files were made and finished.
    ///
    /// - Returns: whether the manifest could be read, so that the store can be verified; false for
    ///   one that is encrypted, without its key.
    /// - Throws: `.damaged`, `.wrongStore` where it is not that of the image; `.newerFormat`,
    ///   `.invalidEncryptionKey` with another key, `.diskFull`, `.io`.
    public func setManifest(_ image: BackupImage) throws(StoreError) -> Bool {
        let path = directory + "/" + StoreFiles.manifest
        do throws(FileSystemError) {
            let file = try environment.fileSystem.stored.open(path, .createNew)
            defer { file.close() }
            try image.manifest.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: 0)
            }
            try file.sync()
            try environment.fileSystem.syncDirectory(directory)
        } catch {
            throw StoreError(error)
        }
        guard try canRead(image) else { return false }
        setList(
            BackupManifest(
                lsn: LSN(rawValue: image.lsn), manifest: try manifest(of: image),
                files: image.files.map(\.entry)))
        return true
    }

    /// Gives the store its name, durably.
    ///
    /// It gets its own lineage, now or, where its manifest could not be read, when it is opened for
    /// writing the first time: its directory is another one then (Engine 4.7).
    ///
    /// - Throws: `.misuse` when something came to lie at the path in the meantime, `.io`.
    public func finish() throws(StoreError) {
        if let list {
            var manifest = list.manifest
            manifest.identity.lineage = manifest.identity.anotherLineage(environment.random)
            do throws(FileSystemError) {
                manifest.directory = DirectoryMark(
                    try environment.fileSystem.identity(of: directory))
            } catch {
                throw StoreError(error)
            }
            manifest.sequence += 1
            try ManifestFile.replace(
                manifest, in: directory, fileSystem: environment.fileSystem)
        }
        try place.finish()
    }

    /// Removes what was built; what can't be removed is cleared away by the next restore.
    public func abandon() { place.abandon() }
}

/// A file of a store that is being built.
///
/// Any thread may write it; it is closed with the object.
public final class StoreAssemblyFile: Sendable {
    private let file: File

    init(_ file: File) { self.file = file }

    deinit { file.close() }

    /// Writes bytes at an offset.
    ///
    /// - Throws: `.diskFull`, `.io`.
    public func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
        do throws(FileSystemError) {
            try bytes.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: offset)
            }
            file.beginWriteback(from: offset, byteCount: UInt64(bytes.count))
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes all that was written durable.
    ///
    /// - Throws: `.io`, `.diskFull`.
    public func sync() throws(StoreError) {
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            throw StoreError(error)
        }
    }
}
