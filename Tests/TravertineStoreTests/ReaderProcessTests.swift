import Foundation
import StoreWorkload
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Readers and writers in processes of their own, which are killed.
@Suite("Readers in other processes")
struct ReaderProcessTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    /// A process that ends with its last reference.
    private final class Child {
        let process = Process()
        private let output = Pipe()
        private let input = Pipe()
        private var text = Data()

        init(_ arguments: String...) throws {
            process.executableURL = try Self.executable()
            process.arguments = arguments
            process.standardOutput = output
            process.standardInput = input
            try process.run()
        }

        deinit { end() }

        func end() {
            guard process.isRunning else { return }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Asks a reader for the LSN that it sees after a refresh.
        func refreshedLSN() throws -> UInt64 {
            input.fileHandleForWriting.write(Data("\n".utf8))
            return try #require(readLine().flatMap { UInt64($0) })
        }

        /// The next line that the process prints; nil when it has ended.
        func readLine() -> String? {
            while true {
                if let end = text.firstIndex(of: 10) {
                    defer { text.removeSubrange(...end) }
                    return String(decoding: text[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return nil }
                text.append(more)
            }
        }

        private static func executable() throws -> URL {
            let folders = [
                Bundle.main.executableURL?.deletingLastPathComponent(),
                Bundle(for: TemporaryDirectory.self).bundleURL.deletingLastPathComponent(),
            ]
            for folder in folders.compactMap({ $0 }) {
                let url = folder.appendingPathComponent("store-crash-writer")
                if FileManager.default.isExecutableFile(atPath: url.path) { return url }
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }

    @Test("a reader beside a writing process sees whole commits only, each not older than the last")
    func readerDuringWrites() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let writer = try Child(path, "\(seed)")
        _ = writer.readLine()
        let reader = try StoreReader.open(at: path)
        var model = WorkloadModel(Workload(seed: seed))
        var last: UInt64 = 0
        var moves = 0
        while moves < 40 {
            for _ in 0..<5 { _ = try #require(writer.readLine(), "seed \(seed)") }
            if try reader.refresh() { moves += 1 }
            let snapshot = try reader.snapshot()
            let number = try Workload.counter(in: snapshot)
            #expect(number >= last, "seed \(seed)")
            last = number
            model.advance(to: number)
            let difference = try Workload.difference(of: snapshot, from: model) {
                reader.keyspace(named: $0)
            }
            try #require(difference == nil, "transaction \(number), seed \(seed)")
        }
    }

    @Test(
        "a backup of a store that another process writes shows whole commits",
        arguments: [BackupOptions.Method.link, .copy])
    func backupDuringWrites(method: BackupOptions.Method) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let writer = try Child(path, "\(seed)")
        _ = writer.readLine()
        var model = WorkloadModel(Workload(seed: seed))
        var last: UInt64 = 0
        var (acknowledged, durable) = (UInt64(0), UInt64(0))
        let backup = directory.path("backup")
        for round in 0..<6 {
            for _ in 0..<25 {
                let line = try #require(writer.readLine(), "seed \(seed)")
                // Every third one is durable when it is acknowledged; readers may be told of it a
                // moment later, but before the next one is durable.
                guard let number = UInt64(line), number % 3 == 0 else { continue }
                (acknowledged, durable) = (durable, number)
            }
            // The store is one like any other once the writer is gone.
            if round == 5 { writer.end() }
            try StoreBackup.make(of: path, to: backup, options: BackupOptions(method: method))
            let verified = try StoreBackup.verify(path: backup)
            #expect(verified.findings.isEmpty, "seed \(seed), \(verified.findings)")
            let copy = directory.path("copy\(round)")
            try StoreBackup.restore(from: backup, to: copy)
            let store = try Store.open(at: copy)
            #expect(store.openingReport.ignoredTail == nil, "seed \(seed)")
            let number = try Workload.counter(in: store.snapshot())
            #expect(number >= max(last, acknowledged), "round \(round), seed \(seed)")
            last = number
            model.advance(to: number)
            let difference = try Workload.difference(of: store.snapshot(), from: model) {
                try store.keyspace(named: $0)
            }
            #expect(difference == nil, "transaction \(number), seed \(seed)")
            try store.close()
        }
        let store = try Store.open(at: path)
        #expect(try Workload.counter(in: store.snapshot()) >= last, "seed \(seed)")
        // Into the same directory: what is there of sealed segments stays.
        #expect(try store.backup(to: backup).reusedFileCount > 0, "seed \(seed)")
        try store.close()
        #expect(try StoreBackup.verify(path: backup).findings.isEmpty, "seed \(seed)")
        #expect(try StoreVerifier.verify(path: path).isSound, "seed \(seed)")
    }

    @Test("readers go on when the writer is killed, and with the next one")
    func writerKilled() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var reader: StoreReader?
        var last: UInt64 = 0
        for round in 0..<5 {
            let writer = try Child(path, "\(seed)")
            for _ in 0..<20 { _ = try #require(writer.readLine()) }
            if reader == nil { reader = try StoreReader.open(at: path) }
            writer.end()
            let opened = try #require(reader)
            try opened.refresh()
            let snapshot = try opened.snapshot()
            let number = try Workload.counter(in: snapshot)
            #expect(number > last, "round \(round), seed \(seed)")
            last = number
            var model = WorkloadModel(Workload(seed: seed))
            model.advance(to: number)
            let difference = try Workload.difference(of: snapshot, from: model) {
                opened.keyspace(named: $0)
            }
            #expect(difference == nil, "round \(round), seed \(seed)")
        }
        reader?.close()
        let store = try Store.open(at: path)
        #expect(try Workload.counter(in: store.snapshot()) >= last, "seed \(seed)")
        try store.close()
    }

    @Test("a killed reader's pin is found dead and cleared")
    func readerKilled() throws {
        let store = try Store.open(at: path)
        try store.write { try $0.put("1", forKey: "a") }
        let child = try Child(path, "follow")
        #expect(try child.refreshedLSN() == store.durableLSN)
        #expect(store.externalPins() == [store.durableLSN])
        try store.write { try $0.put("2", forKey: "a") }
        #expect(try child.refreshedLSN() == store.durableLSN)
        #expect(store.externalPins() == [store.durableLSN])
        child.end()
        #expect(store.externalPins().isEmpty)
        let file = try Data(contentsOf: URL(fileURLWithPath: path + "/lock"))
        #expect(file.dropFirst(512).allSatisfy { $0 == 0 }, "the slot is free again")
        try store.close()
    }

    @Test("many readers come and go beside a writing process")
    func manyReaders() throws {
        let writer = try Child(path, "7")
        // The third transaction is the first whose acknowledgement says that it is durable.
        for _ in 0..<3 { _ = writer.readLine() }
        let children = try (0..<6).map { _ in try Child(path, "follow") }
        var last: UInt64 = 0
        for round in 0..<30 {
            _ = writer.readLine()
            let lsn = try children[round % 6].refreshedLSN()
            #expect(lsn > 0)
            if round % 6 == 0 {
                #expect(lsn >= last)
                last = lsn
            }
            if round == 20 { children[5].end() }
            if round == 22 { break }
        }
        #expect(last > 0)
    }

    @Test("a backup and readers of many segments need few descriptors")
    func fewDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.path("store")
            var limit = rlimit(rlim_cur: 40, rlim_max: 40)
            #if canImport(Glibc)
                let result = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                let result = setrlimit(RLIMIT_NOFILE, &limit)
            #endif
            try #require(result == 0)
            var options = StoreOptions()
            options.segmentByteCount = 1 << 20
            let store = try Store.open(at: path, options: options)
            let value = [UInt8](repeating: 3, count: 100_000)
            let reader = try StoreReader.open(at: path)
            for key in 0..<UInt64(600) {
                try store.write(durability: key % 50 == 49 ? .commit : Durability.unsynced) {
                    try $0.put(value, forKey: key)
                }
                if key % 100 == 99 { try reader.refresh() }
            }
            let snapshot = try reader.snapshot()
            for key in 0..<UInt64(600) { try #require(try snapshot.get(key) == value) }
            try store.backup(
                to: directory.path("backup"), options: BackupOptions(method: .copy))
            try #require(try StoreBackup.verify(path: directory.path("backup")).isSound)
            try #require(try directory.names(in: "backup").count > 50)
            try store.close()
        }
    }
}
