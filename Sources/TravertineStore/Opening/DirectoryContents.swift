import SegmentLog

/// What a directory holds that may be a store or become one, found out by reading alone.
///
/// Nothing is created or changed in a directory, its lock included, before this has said that it is
/// a store's, or empty. Names alone don't prove it where the file is one that other programs use
/// too (`lock`, `manifest`): then the first bytes decide.
enum DirectoryContents: Equatable {
    /// Nothing.
    case empty
    /// A manifest that begins as one.
    case store
    /// What the interrupted creation of a store leaves: nothing but its lock, a part of a
    /// manifest, or `building`.
    case unfinishedStore
    /// What the interrupted removal of a store leaves.
    case removedStore
    /// A segment or page file, by its name, and no manifest.
    case storeWithoutManifest(String)
    /// The list of a backup.
    case backup
    /// A file of something else.
    case foreign(String)

    /// Looks into a directory, which must exist.
    ///
    /// - Throws: `.notFound`, `.notADirectory`, `.permissionDenied`, `.io`.
    init(of path: String, _ fileSystem: FileSystem) throws(StoreError) {
        // Names that are gone when the verdict is there: another process makes or removes a store
        // here just now.
        var attempt = 0
        var found: (contents: DirectoryContents, name: String?)
        repeat {
            do {
                found = try Self.look(at: path, fileSystem)
            } catch {
                throw StoreError(error)
            }
            attempt += 1
        } while attempt < 8 && found.name.map { !fileSystem.exists(path + "/" + $0) } ?? false
        self = found.contents
    }

    /// The contents, and the name that they were judged by if it must still be there.
    private static func look(
        at path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> (contents: DirectoryContents, name: String?) {
        let names = try fileSystem.list(path)
        // By their own names, not from the list: they may have been renamed while it was made.
        switch try FileStart(ofManifest: path + "/" + StoreFiles.manifest, fileSystem) {
        case .ours, .blank: return (.store, nil)
        case .other: return (.foreign(StoreFiles.manifest), StoreFiles.manifest)
        case .absent: break
        }
        if try isRemoved(path, names, fileSystem) { return (.removedStore, nil) }
        if names.contains(BackupTarget.listName) { return (.backup, BackupTarget.listName) }
        // Before any other file: whatever else lies there, this was a store.
        if let name = names.first(where: { StoreFiles.isSegmentOrPages($0) }) {
            return (.storeWithoutManifest(name), name)
        }
        for name in names where try !isLeftOver(name, path, fileSystem) {
            return (.foreign(name), name)
        }
        return (names.isEmpty ? .empty : .unfinishedStore, nil)
    }

    private static func isRemoved(
        _ path: String, _ names: [String], _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        let mark = path + "/" + StoreFiles.removedManifest
        switch try FileStart(ofManifest: mark, fileSystem) {
        case .absent: return false
        case .ours: return true
        // A damaged manifest of a store that was removed, if anything else is a store's. It has
        // the name by a renaming: an interruption leaves no empty one.
        case .other, .blank:
            if names.contains(where: { StoreFiles.isSegmentOrPages($0) }) { return true }
            return try FileStart(ofLock: path + "/" + StoreFiles.lock, fileSystem) == .ours
        }
    }

    /// Whether a file may be what an interrupted creation left.
    private static func isLeftOver(
        _ name: String, _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> Bool {
        let start: FileStart
        switch name {
        case StoreFiles.lock:
            start = try FileStart(ofLock: path + "/" + name, fileSystem)
        case StoreFiles.newManifest:
            start = try FileStart(ofUnfinishedManifest: path + "/" + name, fileSystem)
        case StoreFiles.building:
            start = try FileStart(of: path + "/" + name, fileSystem) { _ in false }
        default: return false
        }
        return start != .other
    }

    /// Throws what the contents have against a store that opens, or is made, here.
    ///
    /// - Parameter mayCreate: whether a directory without a store may get one.
    func check(_ path: String, mayCreate: Bool) throws(StoreError) {
        switch self {
        case .store: return
        case .empty, .unfinishedStore:
            if mayCreate { return }
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        case .removedStore:
            if mayCreate { return }
            throw StoreError(
                .notAStore, "The directory holds the rest of a store that was being removed.",
                file: path)
        case .backup:
            throw StoreError(
                .notAStore,
                "The directory holds a backup. Make a store of it with `travertine restore`.",
                file: path)
        case .storeWithoutManifest(let name):
            throw StoreError(
                .damaged,
                "The manifest is missing, but \(name) is there. Run `travertine fsck`, and "
                    + "restore the manifest from a backup.",
                file: path + "/" + StoreFiles.manifest)
        case .foreign(let name):
            throw StoreError(
                .notAStore,
                "The directory holds other files (\(name)) and no store. Choose an empty directory "
                    + "or a new path.", file: path)
        }
    }
}
