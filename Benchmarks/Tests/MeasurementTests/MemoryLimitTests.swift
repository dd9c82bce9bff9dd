import Foundation
import Measurement
import Testing

@Suite("Memory limit")
struct MemoryLimitTests {
    @Test("what is read of a directory leaves memory again, mapped or not")
    func trimming() throws {
        let directory =
            FileManager.default.currentDirectoryPath + "/.build-bench/limit-\(UUID().uuidString)"
        try DirectoryTree.create(directory)
        defer { DirectoryTree.remove(directory) }
        let path = directory + "/data"
        try Data(repeating: 7, count: 16 << 20).write(to: URL(filePath: path))
        guard MemoryLimit.isAvailable(for: directory) else { return }
        let limit = try MemoryLimit(directory: directory, byteCount: 4 << 20)
        let mapped = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        #expect(mapped.reduce(0) { $0 &+ Int($1) } == 7 * (16 << 20))
        limit.trim()
        #expect(limit.peakByteCount >= 16 << 20)
        #expect(limit.residentByteCount <= 4 << 20)
        #expect(mapped.reduce(0) { $0 &+ Int($1) } == 7 * (16 << 20))
    }
}
