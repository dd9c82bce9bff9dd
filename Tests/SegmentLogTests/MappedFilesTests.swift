import Foundation
import TestSupport
import Testing

@testable import SegmentLog

@Suite("Mapped files")
struct MappedFilesTests {
    @Test("files that are more than memory are all read page by page, and the others not")
    func advice() throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let files = MappedFiles(memoryByteCount: 4 << 20)
        var bases: [UnsafeRawPointer] = []
        var handles: [Int32] = []
        for number in 0..<3 {
            let path = directory.path + "/\(number)"
            try Data(count: 2 << 20).write(to: URL(filePath: path))
            let descriptor = open(path, O_RDONLY)
            try #require(descriptor >= 0)
            handles.append(descriptor)
            let base = mmap(nil, 2 << 20, PROT_READ, MAP_SHARED, descriptor, 0)
            bases.append(UnsafeRawPointer(try #require(base)))
        }
        defer {
            for base in bases { munmap(UnsafeMutableRawPointer(mutating: base), 2 << 20) }
            for handle in handles { close(handle) }
        }
        files.add(bases[0], byteCount: 2 << 20)
        #expect(!files.exceedMemory)
        #expect(isReadAtRandom(bases[0]) != true)
        files.add(bases[1], byteCount: 2 << 20)
        #expect(files.exceedMemory)
        files.remove(bases[1])
        files.add(bases[2], byteCount: 2 << 20)
        for base in [bases[0], bases[1], bases[2]] { #expect(isReadAtRandom(base) != false) }
    }

    /// Whether a mapping has the flag that `MADV_RANDOM` sets; nil where the system does not say.
    private func isReadAtRandom(_ base: UnsafeRawPointer) -> Bool? {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8) else {
            return nil
        }
        let address = UInt(bitPattern: base)
        var isInside = false
        for line in text.split(separator: "\n") {
            let ends = line.prefix { $0 != " " }.split(separator: "-")
                .compactMap { UInt($0, radix: 16) }
            if ends.count == 2 { isInside = (ends[0]..<ends[1]).contains(address) }
            if isInside, line.hasPrefix("VmFlags:") {
                return line.split(separator: " ").contains("rr")
            }
        }
        return nil
    }
}

@Suite("Machine memory")
struct MachineMemoryTests {
    @Test("the least limit of the control groups above a process counts, of either version")
    func controlGroups() {
        func limit(_ own: String, _ files: [String: String]) -> Int? {
            MachineMemory.controlGroupLimit(own) { files[$0] }
        }
        #expect(limit("", [:]) == nil)
        #expect(limit("0::/app/db\n", ["/sys/fs/cgroup/app/db/memory.max": "max\n"]) == nil)
        #expect(
            limit(
                "0::/app/db\n",
                [
                    "/sys/fs/cgroup/app/db/memory.max": "max\n",
                    "/sys/fs/cgroup/app/memory.max": "1048576\n",
                ]) == 1 << 20)
        #expect(
            limit(
                "5:cpu:/x\n4:memory,hugetlb:/x/y\n0::/\n",
                [
                    "/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes": "4096\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                ]) == 4096)
        #expect(limit("0::/\n", ["/sys/fs/cgroup/memory.max": "77\n"]) == 77)
        #expect(limit("nonsense\n4:memory\n", [:]) == nil)
    }

    @Test("a process has some memory")
    func machine() {
        #expect(MachineMemory.byteCount >= 1 << 20)
    }
}
