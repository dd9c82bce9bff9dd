import Foundation
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Readers and writers in separate processes, which are killed.
@Suite("Readers in other processes")
struct ReaderProcessTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = TemporaryDirectory() }

    /// Starts the program that writes to a store for ever, or reads one.
    private func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(BuiltProgram.url("store-crash-writer"), arguments)
    }

    /// Asks a reader for the LSN that it sees after a refresh.
    private func refreshedLSN(_ reader: RunningProgram) throws -> UInt64 {
        reader.writeLine()
        return try #require(reader.readLine().flatMap { UInt64($0) })
    }

    @Test("a reader beside a writing process sees whole commits only, each not older than the last")
    func readerDuringWrites() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let writer = try start(path, "\(seed)")
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
        let writer = try start(path, "\(seed)")
        _ = writer.readLine()
        var model = WorkloadModel(Workload(seed: seed))
        var last: UInt64 = 0
        var (acknowledged, durable) = (UInt64(0), UInt64(0))
        let backup = directory.path("backup")
        for round in 0..<6 {
            for _ in 0..<25 {
                let line = try #require(writer.readLine(), "seed \(seed)")
                // Every third one is durable when it is acknowledged; readers may be notified of it
                // a moment later, but before the next one is durable.
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
            let writer = try start(path, "\(seed)")
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
        let child = try start(path, "follow")
        #expect(try refreshedLSN(child) == store.durableLSN)
        #expect(store.externalPins() == [store.durableLSN])
        try store.write { try $0.put("2", forKey: "a") }
        #expect(try refreshedLSN(child) == store.durableLSN)
        #expect(store.externalPins() == [store.durableLSN])
        child.end()
        #expect(store.externalPins().isEmpty)
        let file = try Data(contentsOf: URL(fileURLWithPath: path + "/lock"))
        #expect(file.dropFirst(512).allSatisfy { $0 == 0 }, "the slot is free again")
        try store.close()
    }

    @Test("many readers come and go beside a writing process")
    func manyReaders() throws {
        let writer = try start(path, "7")
        // The third transaction is the first whose acknowledgement says that it is durable.
        for _ in 0..<3 { _ = writer.readLine() }
        let children = try (0..<6).map { _ in try start(path, "follow") }
        var last: UInt64 = 0
        for round in 0..<30 {
            _ = writer.readLine()
            let lsn = try refreshedLSN(children[round % 6])
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
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            try #require(limitDescriptors(to: 40))
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
