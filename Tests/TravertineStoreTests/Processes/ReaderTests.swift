import Foundation
import Locks
import SegmentLog
import StoreWorkload
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

@Suite("Readers beside a writer")
struct ReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = TemporaryDirectory() }

    private func open(_ name: String = "store") throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.checkpointInterval = 1 << 30
        return try Store.open(at: directory.path(name), options: options)
    }

    private func options(_ mode: ReadMode) -> StoreOptions {
        var options = StoreOptions()
        options.readMode = mode
        return options
    }

    @Test(
        "a reader sees what was durable when it was opened, and later commits after a refresh",
        arguments: [ReadMode.mapped, .verified])
    func refresh(mode: ReadMode) throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        let reader = try StoreReader.open(at: directory.path("store"), options: options(mode))
        let first = try reader.snapshot()
        #expect(try first.get("a") == Array("1".utf8))
        try store.write { transaction in
            try transaction.put("2", forKey: "a")
            let more = try transaction.keyspace(named: "more")
            try transaction.put("x", forKey: "b", in: more)
        }
        #expect(try reader.snapshot().get("a") == Array("1".utf8))
        #expect(reader.keyspace(named: "more") == nil)
        #expect(try reader.refresh())
        #expect(reader.lsn == store.durableLSN)
        let more = try #require(reader.keyspace(named: "more"))
        let second = try reader.snapshot()
        #expect(try second.get("a") == Array("2".utf8))
        #expect(try second.get("b", in: more) == Array("x".utf8))
        #expect(try first.get("a") == Array("1".utf8))
        #expect(try !reader.refresh())
        reader.close()
        #expect(errorCode { _ = try reader.snapshot() } == .closed)
        #expect(try second.get("a") == Array("2".utf8))
        try store.close()
    }

    @Test("commits that are not durable are not seen, not even whole in the log")
    func durableOnly() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        let reader = try StoreReader.open(at: directory.path("store"))
        try store.write(durability: Durability.unsynced) { try $0.put("2", forKey: "a") }
        #expect(try !reader.refresh())
        let late = try StoreReader.open(at: directory.path("store"))
        #expect(try late.snapshot().get("a") == Array("1".utf8))
        try store.sync()
        #expect(try reader.refresh())
        #expect(try reader.snapshot().get("a") == Array("2".utf8))
        try store.close()
    }

    @Test("a transaction that is durable in part only is not seen")
    func spilledTransaction() throws {
        var options = StoreOptions()
        options.bufferByteCount = 500
        let store = try Store.open(at: directory.path("store"), options: options)
        try store.write { try $0.put("1", forKey: "a") }
        let reader = try StoreReader.open(at: directory.path("store"))
        let transaction = try store.beginWrite()
        let value = [UInt8](repeating: 7, count: 100)
        for key in 0..<50 { try transaction.put(value, forKey: UInt64(key)) }
        try store.waitUntilDurable(store.log.writtenLSN)
        #expect(store.log.durableLSN.rawValue > 5)
        try transaction.commit(durability: Durability.unsynced)
        _ = try reader.refresh()
        #expect(try reader.snapshot().count() == 1, "its end is not durable")
        try store.sync()
        #expect(try reader.refresh())
        #expect(try reader.snapshot().count() == 51)
        try store.close()
    }

    @Test("a store without a writer is read too, also after it was restored from a backup")
    func alone() throws {
        let store = try open()
        try store.write { for key in 0..<500 { try $0.put("v", forKey: UInt64(key)) } }
        try store.backup(to: directory.path("backup"))
        try store.close()
        let reader = try StoreReader.open(at: directory.path("store"))
        #expect(try reader.snapshot().count() == 500)
        try StoreBackup.restore(from: directory.path("backup"), to: directory.path("copy"))
        let other = try StoreReader.open(at: directory.path("copy"))
        #expect(try other.snapshot().count() == 500)
        let error = #expect(throws: StoreError.self) {
            try StoreReader.open(at: directory.path("nowhere"))
        }
        #expect(error?.code == .notFound)
    }

    @Test("every call that writes fails in the store inside a reader")
    func nothingIsWritten() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        try store.close()
        let names = try directory.names(in: "store")
        let reader = try StoreReader.open(at: directory.path("store"))
        let inner = try reader.snapshot().store
        let writing = #expect(throws: StoreError.self) {
            try inner.write { try $0.put("2", forKey: "a") }
        }
        #expect(writing?.code == .closed)
        #expect(writing?.message.contains("opened for reading only") == true)
        #expect(errorCode { try inner.checkpoint() } != nil)
        #expect(errorCode { try inner.backup(to: directory.path("backup")) } != nil)
        try inner.close()
        reader.close()
        #expect(try directory.names(in: "store") == names)
        #expect(try StoreVerifier.verify(path: directory.path("store")).isSound)
    }

    @Test("a reader goes on through checkpoints, segments, and the store's closing and opening")
    func longLife() throws {
        var store = try open()
        try store.write { try $0.put("0", forKey: "round") }
        let reader = try StoreReader.open(at: directory.path("store"))
        for round in 1...8 {
            try store.write { transaction in
                try transaction.put("\(round)", forKey: "round")
                let value = [UInt8](repeating: UInt8(round), count: 300)
                for key in 0..<200 { try transaction.put(value, forKey: UInt64(key)) }
            }
            if round % 2 == 0 { try store.checkpoint() }
            if round % 3 == 0 {
                try store.close()
                store = try open()
            }
            #expect(try reader.refresh())
            #expect(try reader.snapshot().get("round") == Array("\(round)".utf8))
            #expect(try reader.snapshot().get(UInt64(7))?.first == UInt8(round))
        }
        try store.close()
    }

    @Test("the writer knows what readers need, and forgets it with them")
    func pins() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        #expect(store.externalPins().isEmpty)
        let reader = try StoreReader.open(at: directory.path("store"))
        #expect(store.externalPins() == [reader.lsn])
        var old: Snapshot? = try reader.snapshot()
        let oldLSN = reader.lsn
        try store.write { try $0.put("2", forKey: "a") }
        try reader.refresh()
        #expect(store.externalPins() == [oldLSN], "the old snapshot still needs its segments")
        #expect(old?.lsn == oldLSN)
        old = nil
        try store.write { try $0.put("3", forKey: "a") }
        try reader.refresh()
        #expect(store.externalPins() == [reader.lsn])
        let second = try StoreReader.open(at: directory.path("store"))
        #expect(store.externalPins().count == 2)
        reader.close()
        #expect(store.externalPins() == [second.lsn])
        second.close()
        #expect(store.externalPins().isEmpty)
        try store.close()
    }

    @Test("a reader of an empty store keeps the writer from removing no more than another one")
    func emptyStore() throws {
        let store = try open()
        let reader = try StoreReader.open(at: directory.path("store"))
        #expect(store.externalPins() == [1])
        try reader.refresh()
        #expect(store.externalPins() == [1])
        reader.close()
        try store.close()
    }

    @Test("a snapshot that is taken during a refresh keeps what it sees")
    func snapshotsDuringRefreshes() throws {
        let store = try open()
        try store.write { try $0.put("0", forKey: "a") }
        let reader = try StoreReader.open(at: directory.path("store"))
        let isOver = Atomic<Bool>(false)
        let group = DispatchGroup()
        let unpinned = Locked<[UInt64]>([])
        let lookCount = Atomic<Int>(0)
        DispatchQueue.global().async(group: group) {
            while !isOver.load(ordering: .relaxed) {
                guard let snapshot = try? reader.snapshot() else { continue }
                _ = try? reader.refresh()
                let pins = store.externalPins()
                let lsn = snapshot.lsn
                if !pins.allSatisfy({ $0 <= lsn }) { unpinned.withLock { $0.append(lsn) } }
                lookCount.add(1, ordering: .relaxed)
            }
        }
        // Until the other thread has looked, however late it begins.
        var round = 0
        while round < 300 || lookCount.load(ordering: .relaxed) < 10 {
            try store.write(durability: Durability.unsynced) { try $0.put("\(round)", forKey: "a") }
            try store.sync()
            try reader.refresh()
            round += 1
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(unpinned.withLock { $0 } == [])
        reader.close()
        try store.close()
    }

    @Test("what a dead reader left is cleared; a slot that can't be read pins everything")
    func staleSlots() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        let path = directory.path("store/lock")
        let file = try RealFileSystem().open(path, .readWrite)
        defer { file.close() }
        let garbage = [UInt8](repeating: 0xa5, count: 64)
        try garbage.withUnsafeBytes { try file.write($0, at: 512 + 64 * 3) }
        #expect(store.externalPins().isEmpty, "nobody has it locked")
        try garbage.withUnsafeBytes { try file.write($0, at: 512 + 64 * 3) }
        #expect(try file.tryLock(from: 512 + 64 * 3, byteCount: 64))
        #expect(store.externalPins() == [0])
        try store.close()
    }

    @Test("a published LSN of another lineage, or a damaged one, is not believed")
    func foreignPublication() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        try store.close()
        let path = directory.path("store")
        let table = try ReaderTable(
            directory: path, lineage: 42, fileSystem: RealFileSystem())
        table.durable.publish(LSN(rawValue: 1000))
        table.close()
        let reader = try StoreReader.open(at: path)
        #expect(try reader.snapshot().get("a") == Array("1".utf8))
        reader.close()
        let file = try RealFileSystem().open(path + "/lock", .readWrite)
        try [UInt8](repeating: 0x33, count: 28).withUnsafeBytes { try file.write($0, at: 256) }
        file.close()
        #expect(try StoreReader.open(at: path).snapshot().get("a") == Array("1".utf8))
    }

    // After a power cut had torn the former, a reader looked for records in a segment that was gone
    // (seed 20013308 of the simulation).
    @Test("what was made durable is found where a block is torn, whichever it is")
    func tornPublication() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        try store.close()
        let path = directory.path("store")
        func told() throws -> UInt64 {
            let table = try ReaderTable(directory: path, lineage: 7, fileSystem: RealFileSystem())
            defer { table.close() }
            return try table.durable.publishedLSN().rawValue
        }
        func tear(_ offsets: UInt64...) throws {
            let file = try RealFileSystem().open(path + "/lock", .readWrite)
            defer { file.close() }
            for offset in offsets {
                try [UInt8](repeating: 0x33, count: 20).withUnsafeBytes {
                    try file.write($0, at: offset)
                }
            }
        }
        func settle(_ lsn: UInt64) throws {
            let table = try ReaderTable(directory: path, lineage: 7, fileSystem: RealFileSystem())
            defer { table.close() }
            table.durable.publish(LSN(rawValue: lsn))
            try table.durable.settle(LSN(rawValue: lsn), durableLSN: LSN(rawValue: lsn))
            table.durable.publish(LSN(rawValue: lsn + 1))
        }
        try settle(5)
        #expect(try told() == 6)
        try tear(256)
        #expect(try told() == 6)
        try tear(320)
        #expect(try told() == 5)
        try settle(12)
        #expect(try told() == 13)
        try tear(256, 320, 9216)
        #expect(try told() == 5)
        try settle(20)
        try tear(256, 320, 8704)
        #expect(try told() == 20)
        try settle(30)
        try settle(40)
        try tear(256, 320)
        #expect(try told() == 40)
    }

    @Test("what an older state, put back, does not hold is not reported any more")
    func stateThatWasPutBack() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        try store.close()
        let path = directory.path("store")
        let lineage = store.log.identity.lineage
        let table = try ReaderTable(
            directory: path, lineage: lineage, fileSystem: RealFileSystem())
        for lsn in [90, 91, 92] as [UInt64] {
            table.durable.publish(LSN(rawValue: lsn))
            try table.durable.settle(LSN(rawValue: lsn), durableLSN: LSN(rawValue: lsn))
        }
        table.close()
        let again = try open()
        defer { _ = try? again.close() }
        for offsets in [[], [256], [320], [256, 320]] as [[UInt64]] {
            let file = try RealFileSystem().open(path + "/lock", .readWrite)
            for offset in offsets {
                try [UInt8](repeating: 0x33, count: 20).withUnsafeBytes {
                    try file.write($0, at: offset)
                }
            }
            file.close()
            let reader = try StoreReader.open(at: path)
            #expect(try reader.snapshot().get("a") == Array("1".utf8))
            #expect(reader.lsn == again.log.durableLSN.rawValue)
            reader.close()
        }
    }

    @Test("no byte of the lock file stops a reader or makes it see what is not so")
    func damagedLockFile() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        let first = try StoreReader.open(at: directory.path("store"))
        defer { first.close() }
        store.readers?.durable.publish(store.log.durableLSN)
        try store.readers?.durable.settle(
            store.log.durableLSN, durableLSN: store.log.durableLSN)
        let path = directory.path("store")
        let file = try RealFileSystem().open(path + "/lock", .readWrite)
        defer { file.close() }
        let places = [256..<284, 320..<348, 512..<576, 8704..<8732, 9216..<9244]
        for place in places.joined() {
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) {
                try file.read(into: $0, at: UInt64(place))
            }
            try withUnsafeBytes(of: byte ^ 0x10) { try file.write($0, at: UInt64(place)) }
            let reader = try StoreReader.open(at: path)
            #expect(try reader.snapshot().get("a") == Array("1".utf8), "offset \(place)")
            #expect(store.externalPins().count == 2, "offset \(place)")
            reader.close()
            try withUnsafeBytes(of: byte) { try file.write($0, at: UInt64(place)) }
        }
        try store.close()
    }

    @Test("after a failing disk the next attempt settles what readers know, unless a sync failed")
    func failingSettlement() throws {
        var retryCount = 0
        for call in 0..<20 {
            let machine = SimulatedMachine(seed: 3)
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            try store.write { try $0.put("1", forKey: "a") }
            let (table, lsn) = (try #require(store.readers), store.log.durableLSN)
            let before = machine.disk.callCount
            machine.disk.setFault(.inputOutput, atCall: call)
            let settled = capture { () throws(StoreError) in
                try table.durable.settle(lsn, durableLSN: lsn)
            }
            let isOver = machine.disk.callCount - before <= call
            machine.disk.clearFaults()
            if table.durable.hasFailedSync {
                #expect(throws: StoreError.self) { try table.durable.settle(lsn, durableLSN: lsn) }
            } else {
                try table.durable.settle(lsn, durableLSN: lsn)
                if case .failure = settled { retryCount += 1 }
                machine.crashAndRestart()
                let reader = try StoreReader.open(
                    at: SimulatedMachine.path, options: machine.options())
                #expect(reader.lsn == lsn.rawValue)
            }
            if isOver { break }
            #expect(call < 19, "it never ended")
        }
        #expect(retryCount > 2)
    }

    @Test("files that a checkpoint replaced stay while a reader opens")
    func openingReaderHoldsFiles() throws {
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        let opening = try ReaderTable(
            readerOf: store.path, lineage: store.log.identity.lineage,
            fileSystem: RealFileSystem())
        for round in 0..<4 {
            try store.write { try $0.put("\(round)", forKey: "a") }
            try store.checkpoint()
        }
        func pageFileCount() throws -> Int {
            try directory.names(in: "store").filter { $0.hasSuffix(".pages") }.count
        }
        #expect(try pageFileCount() == 4)
        opening.close()
        try store.write { try $0.put("x", forKey: "a") }
        try store.checkpoint()
        #expect(try pageFileCount() == 2)
        try store.close()
    }
}
