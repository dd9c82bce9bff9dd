#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A control group with a limit of memory, which this process is in while the limit lasts.
///
/// The kernel counts what the process allocates from then on, and what is read of files into the
/// page cache, and reclaims at the limit as it would on a machine that has no more. What the
/// process had before is not counted. Needs the right to make a group: root's, mostly.
public final class MemoryLimit {
    private let group: String
    private let formerGroup: String
    private let names: Names
    private var isOver = false

    /// What the files of a group are called.
    private struct Names {
        var limit: String
        var peak: String
        static let first = Names(limit: "memory.limit_in_bytes", peak: "memory.max_usage_in_bytes")
        static let second = Names(limit: "memory.max", peak: "memory.peak")
    }

    /// Where groups that count memory can be made.
    private struct Hierarchy {
        var mount: String
        /// The group, below the mount, that this process is in.
        var ownGroup: String
        var names: Names
    }

    /// Whether this process may put itself under a limit: makes a group to find out.
    public static var isAvailable: Bool {
        guard let limit = try? MemoryLimit(byteCount: 1 << 30) else { return false }
        limit.end()
        return true
    }

    /// Empties the page cache of the files of a directory, and puts this process, with all its
    /// threads, under a limit.
    public convenience init(directory: String, byteCount: Int) throws {
        for path in DirectoryTree.files(below: directory) { Self.dropPages(of: path) }
        try self.init(byteCount: byteCount)
    }

    private init(byteCount: Int) throws {
        guard let hierarchy = Self.hierarchy() else {
            throw BenchmarkError("No control groups that count memory are mounted.")
        }
        names = hierarchy.names
        formerGroup = hierarchy.mount + hierarchy.ownGroup
        group = hierarchy.mount + "/travertine-benchmark-\(getpid())"
        try require(
            mkdir(group, 0o755) == 0 || errno == EEXIST,
            "\(group) cannot be made: \(String(cString: strerror(errno)))")
        do {
            try TextFile.write("\(byteCount)", to: group + "/" + names.limit)
            try TextFile.write("\(getpid())", to: group + "/cgroup.procs")
        } catch {
            rmdir(group)
            throw error
        }
    }

    deinit {
        end()
    }

    /// The greatest sum of allocated memory and of pages of files that the kernel counted; nil
    /// where it does not report it.
    public var peakByteCount: Int? {
        TextFile.contents(of: group + "/" + names.peak)
            .flatMap { Int($0.split(separator: "\n").first ?? "") }
    }

    /// Puts this process back where it was.
    public func end() {
        if isOver { return }
        isOver = true
        try? TextFile.write("\(getpid())", to: formerGroup + "/cgroup.procs")
        rmdir(group)
    }

    private static func dropPages(of path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return }
        defer { close(descriptor) }
        #if os(Linux)
            fsync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    /// The hierarchy of the first version if memory is counted there, else that of the second.
    private static func hierarchy() -> Hierarchy? {
        let own = (TextFile.contents(of: "/proc/self/cgroup") ?? "").split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
            .filter { $0.count == 3 }
        let mounts = (TextFile.contents(of: "/proc/self/mounts") ?? "").split(separator: "\n")
            .map { $0.split(separator: " ") }.filter { $0.count >= 4 }
        for mount in mounts where mount[2] == "cgroup" {
            guard mount[3].split(separator: ",").contains("memory"),
                let line = own.first(where: { $0[1].split(separator: ",").contains("memory") })
            else { continue }
            return Hierarchy(
                mount: String(mount[1]), ownGroup: String(line[2]), names: .first)
        }
        for mount in mounts where mount[2] == "cgroup2" {
            let controllers = TextFile.contents(of: "\(mount[1])/cgroup.subtree_control") ?? ""
            guard controllers.split(whereSeparator: \.isWhitespace).contains("memory"),
                let line = own.first(where: { $0[0] == "0" })
            else { continue }
            return Hierarchy(
                mount: String(mount[1]), ownGroup: String(line[2]), names: .second)
        }
        return nil
    }
}
