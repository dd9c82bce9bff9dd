import Locks
import SegmentLog

/// Takes images of a store, one after the other, while another process writes it or nobody does.
///
/// It is a reader of the store (R1 to R5) that hands out files instead of values:
///
///     released --take--> held --release--> released
///
/// While an image is *held* no file of the store is removed, so that the image can be opened and
/// carried elsewhere; a file that was opened stays readable after that. While *released* it keeps
/// no file.
///
/// 1. `take` pins everything (pin 0, R3) before it reads the manifest.
/// 2. It reads the log on to the durable LSN, or anew from the newest checkpoint where the manifest
///    was replaced, and lists the files as a live backup does.
///
/// It has a slot in the file `lock` of the store as long as it is open, which therefore must be
/// writable: without one it could say what it needs only by keeping every writer away.
///
/// Any thread may call any method; `take` and `release` in turn.
public final class BackupSource: Sendable {
    /// The directory of the store.
    public let path: String
    private let options: StoreOptions
    private let table: ReaderTable
    private let state = Locked(State())

    private struct State {
        var followed: FollowedStore?
        /// The sequence number of the manifest that it was opened by.
        var sequence: UInt64 = 0
        var isClosed = false
    }

    /// Opens a store for taking images; takes no lock that others would wait for.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.newerFormat`, `.damaged`, `.invalidEncryptionKey`,
    ///   `.permissionDenied` (the file `lock` of the store must be writable, and the directory
    ///   where that file is missing), `.locked` if there are 128 readers already, `.io`.
    public convenience init(
        of path: String, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) {
        try self.init(of: path, environment: .system(encryptionKey))
    }

    package init(of path: String, environment: Environment) throws(StoreError) {
        var options = StoreOptions()
        options.environment = environment
        try environment.startExecutor()
        let fileSystem = environment.fileSystem
        guard fileSystem.exists(path) else {
            throw StoreError(.notFound, "There is no store at this path.", file: path)
        }
        guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        self.path = path
        self.options = options
        table = try ReaderTable(
            readerOf: path, lineage: manifest.identity.lineage, fileSystem: fileSystem,
            mustHaveSlot: true)
        do {
            try release()
        } catch {
            table.close()
            throw error
        }
    }

    deinit { table.close() }

    /// Whether a commit may be durable that the last image did not have, or the image has commits
    /// that the store has no more. Costs a few small reads.
    ///
    /// - Throws: `.closed`, `.io`; `.wrongStore` where the directory was replaced.
    public func hasNews() throws(StoreError) -> Bool {
        try state.withLock { (state) throws(StoreError) in
            guard !state.isClosed else { throw StoreError.closedStore }
            try checkIsNotReplaced()
            guard let followed = state.followed else { return true }
            let fileSystem = options.environment.fileSystem
            guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
                throw StoreError(.notAStore, "The directory holds no store.", file: path)
            }
            if manifest.identity != followed.store.log.identity { return true }
            let durable = try durableLSN(manifest)
            return durable.lsn > followed.readLSN || isPutBack(followed, durable)
        }
    }

    /// Takes an image as of the newest durable commit, and holds its files until `release`.
    ///
    /// Costs reading what the log got since the last one, and the header of each segment.
    ///
    /// - Throws: `.closed`, `.damaged`, `.io`; `.wrongStore` where the directory was replaced: then
    ///   open another source.
    public func take() throws(StoreError) -> BackupImage {
        try state.withLock { (state) throws(StoreError) in
            guard !state.isClosed else { throw StoreError.closedStore }
            try checkIsNotReplaced()
            try table.pin(.all)
            do {
                return try image(&state)
            } catch {
                // The writer may have replaced the manifest just before it saw the pin.
                state.followed = nil
                return try image(&state)
            }
        }
    }

    /// Lets the writer remove files again.
    public func release() throws(StoreError) {
        // An LSN that no segment was retired after: it keeps nothing.
        try table.pin(ReaderPin(lsn: .max, reach: nil))
    }

    /// Opens a file of the image that was taken last, for reading. It stays readable when the
    /// image is no longer held.
    ///
    /// - Throws: `.io`, `.tooManyOpenFiles`, `.permissionDenied`.
    public func open(_ file: BackupImage.File) throws(StoreError) -> BackupSourceFile {
        do throws(FileSystemError) {
            let stored = options.environment.fileSystem.stored
            return BackupSourceFile(
                try stored.open(path + "/" + file.name, .readOnly), byteCount: file.byteCount)
        } catch {
            throw StoreError(error)
        }
    }

    /// Ends it, and what it holds. Does nothing the second time.
    public func close() {
        state.withLock { $0 = State(isClosed: true) }
        table.close()
    }

    // MARK: The image

    /// Throws unless the file in which it has its slot is the one that a writer looks into.
    private func checkIsNotReplaced() throws(StoreError) {
        let now = ReaderTable.identity(
            of: path + "/" + StoreFiles.lock, options.environment.fileSystem)
        if now != table.identity { throw .replacedStore(path) }
    }

    /// The durable LSN, and whether a block that is torn may have said more.
    private func durableLSN(
        _ manifest: Manifest
    ) throws(StoreError) -> (lsn: LSN, isCertain: Bool) {
        table.durable.follow(lineage: manifest.identity.lineage)
        let (published, isCertain) = try table.durable.publication()
        return (max(manifest.durableLSN, published), isCertain)
    }

    /// Whether older files were written over those of the store, `lock` among them: nothing else
    /// takes a durable LSN back. Where another `lock` is there, or the one that was, the store is
    /// another one, or has another lineage.
    private func isPutBack(
        _ followed: FollowedStore, _ durable: (lsn: LSN, isCertain: Bool)
    ) -> Bool { durable.isCertain && durable.lsn < followed.readLSN }

    private func image(_ state: inout State) throws(StoreError) -> BackupImage {
        let fileSystem = options.environment.fileSystem
        guard let manifest = try ManifestFile.read(in: path, fileSystem: fileSystem) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        let durable = try durableLSN(manifest)
        var isOpenedAnew = false
        if let followed = state.followed, state.sequence == manifest.sequence,
            followed.store.log.identity == manifest.identity, !isPutBack(followed, durable)
        {
            if durable.lsn > followed.readLSN { try followed.follow(through: durable.lsn) }
        } else {
            state.followed = nil
            let opened = try StoreReader.openNewest(path, options, table)
            state.followed = opened
            isOpenedAnew = true
            state.sequence = opened.store.checkpoints.manifest.sequence
        }
        guard let followed = state.followed else { preconditionFailure("nothing was opened") }
        followed.release()
        let (list, segments) = try followed.imageWithSegments()
        // The list has the segments first, in the same order.
        let files = list.files.enumerated().map { place, file in
            let segment = place < segments.count ? segments[place] : nil
            return BackupImage.File(file, log: segment.map { BackupImage.LogRange($0) })
        }
        return BackupImage(
            storeUUID: list.manifest.identity.text, lineage: list.manifest.identity.lineage,
            lsn: list.lsn.rawValue, manifest: try stored(list.manifest),
            files: files, growingFile: segments.last?.number.fileName,
            isOpenedAnew: isOpenedAnew)
    }

    /// The bytes of a manifest as the store's file system stores them.
    private func stored(_ manifest: Manifest) throws(StoreError) -> [UInt8] {
        let memory = MemoryFile(path: StoreFiles.manifest)
        do throws(FileSystemError) {
            let fileSystem = options.environment.fileSystem.over(MemoryFileSystem(memory))
            let file = try fileSystem.open(StoreFiles.manifest, .createNew)
            try manifest.encoded.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: 0)
            }
        } catch {
            throw StoreError(error)
        }
        return memory.bytes
    }
}
