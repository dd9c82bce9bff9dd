import Foundation
import Locks
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What opening a store does to its files and with its descriptors, and what it makes of options.
@Suite struct OpeningTests {
    private let machine = SimulatedMachine(seed: 31)

    private func open(
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws(StoreError) -> Store {
        var options = machine.options(segmentByteCount: 16 << 10)
        change(&options)
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
        if case .failure(let error) = capture(body) { return error.code }
        return nil
    }

    /// A store with several page files, large values that were overwritten after the newest
    /// checkpoint, keyspaces, and a log that must be replayed.
    private func prepare() throws {
        let store = try open()
        for round in 0..<6 {
            try store.write { transaction in
                let large = try transaction.keyspace(named: "large \(round)")
                for number in 0..<120 {
                    let key = "key \(round) \(number)"
                    try transaction.put([UInt8](repeating: UInt8(round), count: 90), forKey: key)
                }
                try transaction.put([UInt8](repeating: 1, count: 6000), forKey: "a", in: large)
            }
            try store.checkpoint()
        }
        try store.write { transaction in
            for round in 0..<6 {
                let large = try transaction.keyspace(named: "large \(round)")
                try transaction.put([UInt8](repeating: 2, count: 6000), forKey: "a", in: large)
            }
        }
        machine.crashAndRestart()
    }

    private func check(_ store: Store) throws {
        try #expect(store.snapshot().count() == 720)
        for round in 0..<6 {
            let large = try #require(try store.keyspace(named: "large \(round)"))
            let value = try store.get("a", in: large)
            #expect(value == [UInt8](repeating: 2, count: 6000))
        }
    }

    @Test("opening reads segments by pread only", arguments: [ReadMode.mapped, .verified])
    func nothingMapped(mode: ReadMode) throws {
        try prepare()
        let mapped = Locked<[String]>([])
        machine.disk.setObserver { name in
            guard name.hasPrefix("map "), name.hasSuffix(".segment") else { return }
            mapped.withLock { $0.append(name) }
        }
        let store = try open { $0.readMode = mode }
        #expect(mapped.withLock { $0.isEmpty })
        machine.disk.setObserver(nil)
        #expect(store.openingReport.replayedTransactions == 1)
        try check(store)
        try store.close()
    }

    @Test("page files that are mapped hold no descriptors")
    func mappedPageFiles() throws {
        try prepare()
        let store = try open()
        #expect(store.checkpoints.pageFiles.numbers.count > 2)
        // The lock's table of readers, and the directory.
        #expect(machine.disk.openFiles <= 2)
        try check(store)
        try store.close()
        #expect(machine.disk.openFiles == 0)
    }

    @Test("without descriptors opening fails, and damages nothing")
    func noDescriptors() throws {
        try prepare()
        var failureCount = 0
        var limit = 0
        while true {
            machine.disk.setOpenFileLimit(limit)
            let opened = capture { () throws(StoreError) in try open() }
            machine.disk.setOpenFileLimit(.max)
            limit += 1
            switch opened {
            case .failure(let error):
                failureCount += 1
                #expect(error.code == .tooManyOpenFiles, "\(limit): \(error)")
            case .success(let store):
                #expect(store.openingReport.source == .newestCheckpoint)
                #expect(store.openingReport.damagedCheckpoints.isEmpty)
                try check(store)
                try store.close()
                #expect(failureCount > 3)
                return
            }
        }
    }

    @Test("a call without permission is reported as such, and opening changes nothing")
    func noPermission() throws {
        try prepare()
        let files = machine.files
        var call = 0
        var refusedCount = 0
        while true {
            let machine = SimulatedMachine(files, seed: 33, fileCapacity: 1 << 20)
            let options = machine.options(segmentByteCount: 16 << 10)
            let before = machine.disk.callCount
            machine.disk.setFault(.noPermission, atCall: call)
            let opened = capture { () throws(StoreError) in
                try Store.open(at: SimulatedMachine.path, options: options)
            }
            let isBehindEnd = machine.disk.callCount - before <= call
            machine.disk.clearFaults()
            switch opened {
            case .failure(let error):
                refusedCount += 1
                #expect(error.code == .permissionDenied, "call \(call): \(error)")
                let again = try Store.open(at: SimulatedMachine.path, options: options)
                #expect(again.openingReport.source == .newestCheckpoint, "call \(call)")
                try check(again)
                try again.close()
            case .success(let store):
                // What opening can do without, as removing files.
                #expect(store.openingReport.source == .newestCheckpoint, "call \(call)")
                try check(store)
                try store.close()
            }
            if isBehindEnd { break }
            call += 1
        }
        #expect(refusedCount > 20)
    }

    @Test("a page file of a newer format ends the opening, and no file goes")
    func newerPageFile() throws {
        try prepare()
        let name = try #require(machine.files.map(\.name).last { $0.hasSuffix(".pages") })
        let path = SimulatedMachine.path + "/" + name
        var bytes = try #require(machine.disk.contents(of: path))
        bytes[8] = UInt8(PageFileHeader.formatVersion) + 1
        let sum = checksum(of: Array(bytes[..<4092]))
        bytes.replaceSubrange(4092..<4096, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        machine.disk.setContents(of: path, bytes)
        let paths = machine.disk.paths
        #expect(code { () throws(StoreError) in _ = try open() } == .newerFormat)
        #expect(machine.disk.paths == paths)
        #expect(machine.disk.contents(of: path) == bytes)
    }

    @Test("a segment of a newer format ends the opening, and no file goes")
    func newerSegment() throws {
        try prepare()
        let segments = machine.files.filter { $0.name.hasSuffix(".segment") }
        let file = try #require(segments.last { $0.bytes.starts(with: Array("TRVSEGMT".utf8)) })
        let path = SimulatedMachine.path + "/" + file.name
        var bytes = file.bytes
        bytes[8] = UInt8(SegmentHeader.sealedFormatVersion) + 1
        let sum = checksum(of: Array(bytes[..<124]))
        bytes.replaceSubrange(124..<128, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        machine.disk.setContents(of: path, bytes)
        let paths = machine.disk.paths
        #expect(code { () throws(StoreError) in _ = try open() } == .newerFormat)
        #expect(machine.disk.paths == paths)
    }

    @Test("counters of segments with great numbers are kept")
    func greatNumbers() throws {
        var usage = SegmentUsage()
        usage.add(4096, to: SegmentNumber(rawValue: 1 << 28 + 7))
        usage.add(64, to: .maximum)
        let file = CheckpointDescriptor.PageFileReference(number: 1, pageCount: 0, seed: 1)
        let encoded = CheckpointDescriptor(
            lsn: LSN(rawValue: 1), version: 1, replayStart: nil, trees: [.empty, .empty],
            usage: usage, pageFiles: [file]
        ).encoded
        let decoded = try #require(encoded.withUnsafeBytes { CheckpointDescriptor(decoding: $0) })
        #expect(decoded.usage.liveByteCount(of: .maximum) == 64)
    }

    @Test("invalid options are a misuse, extreme ones are not")
    func options() throws {
        let wrong: [(inout StoreOptions) -> Void] = [
            { $0.checkpointInterval = -1 }, { $0.indexMemoryBudget = -1 },
            { $0.segmentByteCount = 0 }, { $0.segmentByteCount = .min },
            { $0.bufferByteCount = -5 }, { $0.spaceBound = .nan },
        ]
        for change in wrong {
            #expect(code { () throws(StoreError) in _ = try open(change) } == .misuse)
        }
        #expect(!machine.disk.paths.contains { $0.hasSuffix("manifest") })
        let extreme: [(inout StoreOptions) -> Void] = [
            { $0.checkpointInterval = 0 }, { $0.checkpointInterval = .max },
            { $0.indexMemoryBudget = 0 }, { $0.spaceBound = .infinity },
            { $0.spaceBound = -.infinity }, { $0.bufferByteCount = .max },
        ]
        for change in extreme {
            let store = try open(change)
            try store.write { try $0.put("v", forKey: "k") }
            machine.executor.drain()
            _ = try store.compactionFigures(sealing: true).choice(spaceBound: .infinity).excess
            #expect(store.readsAsText("k") == "v")
            try store.close()
        }
    }

    @Test("a size of segments beyond the greatest counts as that")
    func hugeSegments() throws {
        let machine = SimulatedMachine(seed: 32, fileCapacity: 64 << 20)
        var options = machine.options()
        options.segmentByteCount = .max
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("v", forKey: "k") }
        #expect(try store.compactionFigures(sealing: false).floorByteCount == 4 * (64 << 20))
        try store.close()
    }

    @Test("a reader that opened under an earlier opening keeps the page files that it may need")
    func readerBeforeOpening() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        var store = try Store.open(at: path)
        let table = try ReaderTable(
            readerOf: path, lineage: store.log.identity.lineage, fileSystem: RealFileSystem())
        for round in 0..<5 as Range<UInt64> {
            try store.write { try $0.put(round, forKey: round) }
            try store.checkpoint()
        }
        try store.close()
        let before = try directory.names(in: "store").filter { $0.hasSuffix(".pages") }
        #expect(before.count >= 5)
        store = try Store.open(at: path)
        let after = try directory.names(in: "store").filter { $0.hasSuffix(".pages") }
        #expect(after == before)
        table.close()
        try store.checkpoint()
        #expect(try directory.names(in: "store").filter { $0.hasSuffix(".pages") }.count <= 3)
        try store.close()
    }

    @Test("a closed empty store takes at most 64 KiB")
    func emptyStore() throws {
        let directory = TemporaryDirectory()
        for hasData in [false, true] {
            let path = directory.path("store \(hasData)")
            let store = try Store.open(at: path)
            if hasData {
                try store.write { try $0.put([UInt8](repeating: 1, count: 5000), forKey: "k") }
                try store.write { _ = try $0.delete("k") }
            }
            try store.close()
            let fileSystem = RealFileSystem()
            let byteCount = try fileSystem.list(path).reduce(0) {
                $0 + fileSystem.allocatedByteCount(of: path + "/" + $1)
            }
            #expect(byteCount <= 64 << 10, "\(byteCount)")
        }
    }
}
