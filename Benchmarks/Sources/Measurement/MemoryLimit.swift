import CMeasurement
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps what the page cache has of a directory, and what this process allocated since the limit
/// began, to a sum.
///
/// While there is too much, random pieces of 1 MiB go out of memory, with `MADV_PAGEOUT` where
/// this process has them mapped and with `posix_fadvise(DONTNEED)`, until an eighth of the limit is
/// free. So nothing of the machine's is changed, and other processes are left alone. It differs from
/// a kernel's limit: pages that go are random ones, not the oldest, and taking them is not in the
/// time of those who call `trim` between their measurements. What is behind a call that takes long is
/// looked after by a thread (`whileKeeping`), which may come late.
public final class MemoryLimit: @unchecked Sendable {
    private static let pieceByteCount: UInt64 = 1 << 20
    private let directory: String
    private let byteCount: Int
    private let baseline: Int
    private var files: DirectoryFiles
    private var stream = RandomStream(seed: 71)
    private var trimCount = 0
    /// The greatest sum that was seen, in bytes.
    public private(set) var peakByteCount = 0

    /// Whether this system can tell what is in the page cache of a directory that has files.
    public static func isAvailable(for directory: String) -> Bool {
        DirectoryFiles(directory).isPageCacheKnown
    }

    /// Empties the page cache of the directory, and counts memory from here on.
    public init(directory: String, byteCount: Int) throws {
        let resolved = realpath(directory, nil)
        defer { free(resolved) }
        self.directory = resolved.map { String(cString: $0) } ?? directory
        self.byteCount = byteCount
        files = DirectoryFiles(self.directory)
        for file in files.all {
            fsync(file.descriptor)
            _ = page_cache_drop(file.descriptor, 0, 0)
        }
        baseline = ProcessMemory.residentAnonymousByteCount() ?? 0
    }

    /// Takes pages out of memory as far as there are too many. One thread at a time.
    public func trim() {
        trimCount += 1
        if trimCount % 64 == 0 { files = DirectoryFiles(directory) }
        let anonymous = (ProcessMemory.residentAnonymousByteCount() ?? baseline) - baseline
        var resident = files.residentByteCount
        peakByteCount = max(peakByteCount, resident + anonymous)
        // An eighth is always there for files, or nothing could be read at all.
        let allowed = max(byteCount - anonymous, byteCount / 8)
        guard resident > allowed else { return }
        let mappings = FileMappings(below: directory)
        // What is dirty or in use stays; so this must end some time.
        for _ in 0..<64 where resident > allowed / 8 * 7 {
            for _ in 0..<16 { evictPiece(mappings) }
            resident = files.residentByteCount
        }
    }

    /// What the page cache has of the directory now.
    public var residentByteCount: Int { files.residentByteCount }

    /// Calls `body` while another thread trims every millisecond.
    public func whileKeeping<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let isOver = Atomic<Bool>(false)
        let outcome = Mutex<Result?>(nil)
        try WorkerThreads.run(count: 2) { index in
            if index == 0 {
                defer { isOver.store(true, ordering: .releasing) }
                let result = try body()
                outcome.withLock { $0 = result }
            } else {
                while !isOver.load(ordering: .acquiring) {
                    self.trim()
                    usleep(1000)
                }
            }
        }
        guard let result = outcome.withLock({ $0 }) else {
            throw BenchmarkError("A measurement with little memory gave nothing.")
        }
        return result
    }

    /// Takes a random piece of a random file out of memory; long files are chosen more often.
    private func evictPiece(_ mappings: FileMappings) {
        guard files.byteCount > 0 else { return }
        var place = stream.next(below: files.byteCount)
        for file in files.all {
            if place >= file.byteCount {
                place -= file.byteCount
                continue
            }
            let offset = place / Self.pieceByteCount * Self.pieceByteCount
            mappings.pageOut(file.path, offset: offset, byteCount: Self.pieceByteCount)
            _ = page_cache_drop(file.descriptor, offset, Self.pieceByteCount)
            return
        }
    }
}

/// The files of a directory and of those below it, open for reading.
private final class DirectoryFiles {
    struct File {
        var path: String
        var descriptor: Int32
        var byteCount: UInt64
    }

    private(set) var all: [File] = []
    private(set) var byteCount: UInt64 = 0

    init(_ directory: String) {
        for path in DirectoryTree.files(below: directory) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { continue }
            let end = lseek(descriptor, 0, SEEK_END)
            all.append(File(path: path, descriptor: descriptor, byteCount: UInt64(max(0, end))))
            byteCount += UInt64(max(0, end))
        }
    }

    deinit {
        for file in all { close(file.descriptor) }
    }

    var isPageCacheKnown: Bool {
        all.contains { page_cache_resident_bytes($0.descriptor) >= 0 }
    }

    var residentByteCount: Int {
        all.reduce(0) { $0 + max(0, Int(page_cache_resident_bytes($1.descriptor))) }
    }
}

/// Where this process has files of a directory mapped, from `/proc/self/maps`.
private struct FileMappings {
    private struct Mapping {
        var address: UInt64
        var end: UInt64
        var offset: UInt64
    }

    private var byPath: [String: [Mapping]] = [:]

    init(below directory: String) {
        let text = TextFile.contents(of: "/proc/self/maps") ?? ""
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6 else { continue }
            let path = String(fields[5].drop { $0 == " " })
            guard path.hasPrefix(directory) else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, let offset = UInt64(fields[2], radix: 16) else { continue }
            byPath[path, default: []].append(
                Mapping(address: ends[0], end: ends[1], offset: offset))
        }
    }

    /// A mapping that has gone meanwhile makes the call fail, which is as good.
    func pageOut(_ path: String, offset: UInt64, byteCount: UInt64) {
        for mapping in byPath[path] ?? [] {
            let mappedEnd = mapping.offset + (mapping.end - mapping.address)
            let from = max(offset, mapping.offset)
            let to = min(offset + byteCount, mappedEnd)
            guard from < to else { continue }
            _ = page_cache_page_out(
                UInt(mapping.address + (from - mapping.offset)), to - from)
        }
    }
}
