import Dispatch
import SegmentLog
import TestSupport
import Testing

/// Watching a file for changes.
@Suite struct FileWatchTests {
    private let directory = TemporaryDirectory()
    private let fileSystem = RealFileSystem()

    private func write(_ path: String, _ mode: OpenMode) throws {
        let file = try fileSystem.open(path, mode)
        defer { file.close() }
        try withUnsafeBytes(of: UInt8(1)) { (bytes) throws(FileSystemError) in
            try file.write(bytes, at: 0)
        }
    }

    @Test("a body is called after each change, by each watch of the file, until it is cancelled")
    func changes() throws {
        let path = directory.path("file")
        try write(path, .createNew)
        let calls = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let watches = try calls.map { call in
            try #require(fileSystem.watch(path) { call.signal() })
        }
        for _ in 0..<10 {
            try write(path, .readWrite)
            for call in calls { #expect(call.wait(timeout: .now() + 60) == .success) }
        }
        watches[0].cancel()
        while calls[0].wait(timeout: .now()) == .success {}
        while calls[1].wait(timeout: .now()) == .success {}
        try write(path, .readWrite)
        #expect(calls[1].wait(timeout: .now() + 60) == .success)
        #expect(calls[0].wait(timeout: .now()) == .timedOut)
        watches[1].cancel()
        watches[1].renew()
    }

    @Test("a file that comes in the place of another is watched once the watch is renewed")
    func replacement() throws {
        let path = directory.path("file")
        try write(path, .createNew)
        let call = DispatchSemaphore(value: 0)
        let watch = try #require(fileSystem.watch(path) { call.signal() })
        try write(path + " 2", .createNew)
        try fileSystem.rename(from: path + " 2", to: path)
        #expect(call.wait(timeout: .now() + 60) == .success, "the replacement is a change")
        watch.renew()
        while call.wait(timeout: .now()) == .success {}
        try write(path, .readWrite)
        #expect(call.wait(timeout: .now() + 60) == .success)
        try fileSystem.remove(path)
        watch.renew()
        try write(path, .createNew)
        watch.renew()
        while call.wait(timeout: .now()) == .success {}
        try write(path, .readWrite)
        #expect(call.wait(timeout: .now() + 60) == .success)
        watch.cancel()
    }

    @Test("what is not there can be watched for")
    func missingFile() throws {
        let path = directory.path("file")
        let call = DispatchSemaphore(value: 0)
        let watch = try #require(fileSystem.watch(path) { call.signal() })
        try write(path, .createNew)
        watch.renew()
        try write(path, .readWrite)
        #expect(call.wait(timeout: .now() + 60) == .success)
        watch.cancel()
    }
}
