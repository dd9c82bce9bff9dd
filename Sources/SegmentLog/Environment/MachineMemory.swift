#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much memory this process can have.
package enum MachineMemory {
    /// Bytes: the machine's memory, or less where a control group of Linux limits this process.
    /// Found out once.
    package static let byteCount: Int = min(physicalByteCount, controlGroupLimit() ?? .max)

    private static var physicalByteCount: Int {
        let pageCount = sysconf(Int32(_SC_PHYS_PAGES))
        let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
        guard pageCount > 0, pageByteCount > 0 else { return 8 << 30 }
        return pageCount * pageByteCount
    }

    /// The least limit of the groups that this process is in, both versions; nil without any.
    private static func controlGroupLimit() -> Int? {
        guard let own = text(of: "/proc/self/cgroup") else { return nil }
        return controlGroupLimit(own) { text(of: $0) }
    }

    /// `own` is the text of `/proc/self/cgroup`: number, controllers and path of each group.
    static func controlGroupLimit(_ own: String, _ text: (String) -> String?) -> Int? {
        var least: Int?
        for line in own.split(separator: "\n") {
            let fields = line.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let mount: String
            let name: String
            if fields[1].isEmpty {
                (mount, name) = ("/sys/fs/cgroup", "memory.max")
            } else if fields[1].split(separator: ",").contains("memory") {
                (mount, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            } else {
                continue
            }
            // A group is held to the limits of those above it; in a container the path may begin
            // above what is mounted there.
            var path = fields[2]
            while true {
                let file = mount + (path == "/" ? "" : String(path)) + "/" + name
                if let limit = text(file).flatMap({ Int($0.prefix { $0.isNumber }) }) {
                    least = min(least ?? .max, limit)
                }
                guard let slash = path.lastIndex(of: "/"), path != "/", !path.isEmpty else { break }
                path = slash == path.startIndex ? "/" : path[..<slash]
            }
        }
        return least
    }

    /// The first bytes of a small file.
    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
    }
}
