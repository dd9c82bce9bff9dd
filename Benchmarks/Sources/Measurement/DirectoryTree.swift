#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The sizes of all files below a directory.
public struct DirectorySize: Sendable {
    /// Blocks that the file system allocated, in bytes.
    public var allocatedByteCount = 0
    /// The sum of the file lengths.
    public var byteCount = 0
}

/// What the benchmarks do to whole directories.
public enum DirectoryTree {
    /// Adds up the files below `path`; files that disappear in the meantime are left out.
    public static func size(of path: String) -> DirectorySize {
        var total = DirectorySize()
        visit(path) { _, status in
            total.allocatedByteCount += Int(status.st_blocks) * 512
            if status.st_mode & S_IFMT == S_IFREG { total.byteCount += Int(status.st_size) }
        }
        return total
    }

    /// The paths of all regular files below `path`.
    public static func files(below path: String) -> [String] {
        var paths: [String] = []
        visit(path) { name, status in
            if status.st_mode & S_IFMT == S_IFREG { paths.append(name) }
        }
        return paths
    }

    /// Syncs all files below `path`.
    public static func sync(_ path: String) throws {
        for name in files(below: path) {
            let descriptor = open(name, O_RDONLY | O_CLOEXEC)
            try require(descriptor >= 0, "\(name) cannot be opened for a sync.")
            defer { close(descriptor) }
            try require(fsync(descriptor) == 0, "\(name) cannot be synced.")
        }
    }

    /// Creates the directory and those above it.
    public static func create(_ path: String) throws {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            prefix += prefix.isEmpty || prefix.hasSuffix("/") ? component : "/\(component)"
            if mkdir(prefix, 0o755) != 0, errno != EEXIST {
                throw BenchmarkError(
                    "The directory \(prefix) cannot be created: \(String(cString: strerror(errno)))"
                )
            }
        }
    }

    /// Deletes the directory and everything in it; does nothing if it is not there.
    public static func remove(_ path: String) {
        visit(path) { name, status in
            if status.st_mode & S_IFMT == S_IFDIR { rmdir(name) } else { unlink(name) }
        }
    }

    /// Calls `body` with everything below and including `path`, contents before their directory.
    private static func visit(_ path: String, _ body: (String, stat) -> Void) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) {
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            closedir(directory)
            for name in names { visit("\(path)/\(name)", body) }
        }
        body(path, status)
    }
}
