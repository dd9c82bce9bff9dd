import Dispatch
import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@Suite("On the real file system", .serialized)
struct RealFileTests {
    private func open(
        _ directory: TemporaryDirectory, _ options: SegmentLog.Options = SegmentLog.Options(),
        cleanEnd: LogPosition? = nil
    ) throws -> (SegmentLog, Replay, RecoveryReport) {
        let log = SegmentLog(
            directory: directory.path, identity: LogFixture.identity, options: options,
            environment: .system)
        var replay = Replay()
        let report = try log.recover(
            from: nil, durableEvidence: .zero, cleanEnd: cleanEnd, visitor: &replay)
        return (log, replay, report)
    }

    @Test("a log comes back after closing, and goes on in the same segment")
    func reopening() throws {
        let directory = TemporaryDirectory()
        var end: LogPosition?
        var expected: [TestRecord] = []
        for round in 0..<5 {
            let (log, replay, report) = try open(directory, cleanEnd: end)
            #expect(replay.transactions.flatMap(\.records) == expected)
            #expect(report.ignoredTail == nil)
            for number in 0..<100 { expected += try log.write([put(round * 100 + number)]).records }
            end = log.tail
            try log.close(punchingTail: true)
        }
        #expect(end?.segment.rawValue == 1)
        #expect(try RealFileSystem().list(directory.path).count == 1)
        let file = try RealFileSystem().open(directory.path + "/0000000001.segment", .readOnly)
        #expect(try file.byteCount() == 1 << 20)
        #expect(try file.allocatedByteCount() <= 72 << 10)
        file.close()
    }

    @Test("a lock has one holder, who is named to the others")
    func locks() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/lock"
        let first = try RealFileSystem().lock(path)
        try first.setHolder("process 17")
        do {
            _ = try RealFileSystem().lock(path)
            Issue.record("two holders")
        } catch {
            #expect(error.isLocked)
            #expect(error.lockHolder == "process 17")
        }
        first.release()
        try RealFileSystem().lock(path).release()
    }

    @Test("who locks a file that others remove is alone all the same")
    func removedLock() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/lock"
        let holderCount = Atomic<Int>(0)
        let takenCount = Atomic<Int>(0)
        let brokenCount = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let fileSystem = RealFileSystem()
            for _ in 0..<1000 {
                do throws(FileSystemError) {
                    let lock = try fileSystem.lock(path)
                    takenCount.add(1, ordering: .relaxed)
                    let others = holderCount.add(1, ordering: .sequentiallyConsistent).oldValue
                    if others > 0 { brokenCount.add(1, ordering: .relaxed) }
                    defer { lock.release() }
                    // Once it is removed, the next one may have its own file.
                    holderCount.subtract(1, ordering: .sequentiallyConsistent)
                    try fileSystem.remove(path)
                } catch {
                    if !error.isLocked { brokenCount.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(takenCount.load(ordering: .relaxed) > 0)
        #expect(brokenCount.load(ordering: .relaxed) == 0)
    }

    @Test("punched ranges read as zeros, keep the size, and are no data")
    func punching() throws {
        let directory = TemporaryDirectory()
        let file = try RealFileSystem().open(directory.path + "/file", .createNew)
        try file.allocate(byteCount: 1 << 20)
        let bytes = [UInt8](repeating: 7, count: 128 << 10)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.sync()
        try file.punchHole(from: 4096, byteCount: (1 << 20) - 4096)
        #expect(try file.byteCount() == 1 << 20)
        var read = [UInt8](repeating: 1, count: 8192)
        _ = try read.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        #expect(read[4095] == 7)
        #expect(read[4096...].allSatisfy { $0 == 0 })
        if try file.allocatedByteCount() < 1 << 20 {
            #expect(try file.nextData(from: 8192) == nil)
        }
        file.close()
    }

    @Test("missing files and directories are errors with a reason")
    func missing() throws {
        let directory = TemporaryDirectory()
        let fileSystem = RealFileSystem()
        #expect(throws: FileSystemError.self) {
            _ = try fileSystem.open(directory.path + "/none", .readOnly)
        }
        do {
            _ = try fileSystem.list(directory.path + "/none")
        } catch {
            #expect(error.isNotFound)
        }
        #expect(!fileSystem.exists(directory.path + "/none"))
        #expect(try fileSystem.freeBytes(at: directory.path) > 0)
        #expect(
            try fileSystem.identity(of: directory.path)
                == fileSystem.identity(of: directory.path + "/."))
    }

    @Test("readers see records while the writer goes on, from many threads")
    func concurrentReaders() throws {
        let directory = TemporaryDirectory()
        var options = SegmentLog.Options()
        options.segmentByteCount = 64 << 10
        let (log, _, _) = try open(directory, options)
        let published = PublishedLocations()
        let failures = runReaders(of: log, published, threadCount: 3)
        for number in 0..<20_000 { published.add(try log.write([put(number)]).records[0].location) }
        published.finish()
        #expect(failures() == 0)
        try log.close(punchingTail: true)
    }
}
