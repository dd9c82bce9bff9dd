import Foundation
import Measurement
import Testing

/// In separate processes, as a limit holds for all that a process does.
@Suite("Memory limit")
struct MemoryLimitTests {
    @Test("what is read of a directory beyond the limit leaves memory again")
    func limit() async {
        await #expect(processExitsWith: .success) {
            guard MemoryLimit.isAvailable else { return }
            let directory =
                FileManager.default.currentDirectoryPath
                + "/.build-bench/limit-\(UUID().uuidString)"
            try DirectoryTree.create(directory)
            defer { DirectoryTree.remove(directory) }
            let path = directory + "/data"
            try Data(repeating: 7, count: 64 << 20).write(to: URL(filePath: path))
            let limit = try MemoryLimit(directory: directory, byteCount: 32 << 20)
            defer { limit.end() }
            let mapped = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            let sum = mapped.withUnsafeBytes { bytes in
                stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 &+ Int(bytes[$1]) }
            }
            try require(sum == 7 * (64 << 20) / 4096, "other bytes")
            let peak = limit.peakByteCount ?? 0
            try require(peak > 16 << 20 && peak <= 32 << 20, "a peak of \(peak)")
        }
    }

    @Test("a process that left its limit may allocate more than that again")
    func leaving() async {
        await #expect(processExitsWith: .success) {
            guard MemoryLimit.isAvailable else { return }
            let directory = FileManager.default.temporaryDirectory.path
            let limit = try MemoryLimit(
                directory: directory + "/none-\(UUID().uuidString)", byteCount: 64 << 20)
            limit.end()
            var bytes = [UInt8](repeating: 0, count: 128 << 20)
            for place in stride(from: 0, to: bytes.count, by: 4096) { bytes[place] = 1 }
            try require(bytes[4096] == 1, "other bytes")
        }
    }
}
