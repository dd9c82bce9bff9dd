extension SimulatedDisk {
    /// A change of a directory that is not durable before the directory is synced.
    enum DirectoryOperation {
        case set(String, Int)
        case remove(String)
        case rename(String, String, Int)

        var directory: String {
            switch self {
            case .set(let path, _), .remove(let path), .rename(_, let path, _):
                SimulatedDisk.parent(of: path)
            }
        }

        /// The same in a directory that was renamed.
        func moved(_ move: (String) -> String) -> DirectoryOperation {
            switch self {
            case .set(let path, let number): .set(move(path), number)
            case .remove(let path): .remove(move(path))
            case .rename(let source, let target, let number):
                .rename(move(source), move(target), number)
            }
        }

        func makes(_ path: String) -> Bool {
            switch self {
            case .set(let made, _), .rename(_, let made, _): made == path
            case .remove: false
            }
        }

        func names(_ number: Int) -> Bool {
            switch self {
            case .set(_, let other), .rename(_, _, let other): other == number
            case .remove: false
            }
        }
    }

    /// A new name of a directory, as `DirectoryOperation`.
    struct DirectoryMove {
        var source: String
        var target: String
        /// Whether an empty directory had the new name.
        var replaces: Bool
    }
}
