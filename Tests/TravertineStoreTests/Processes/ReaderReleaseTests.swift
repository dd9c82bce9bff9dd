import Foundation
import Locks
import Synchronization
import TestSupport
import Testing

@testable import TravertineStore

/// R7: what a reader lets go of when the writer has compacted.
@Suite("Readers that let go of what the writer has removed")
struct ReaderReleaseTests {
    private let directory: TemporaryDirectory

    init() throws { directory = TemporaryDirectory() }

    private func open() throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.checkpointInterval = 1 << 30
        return try Store.open(at: directory.path("store"), options: options)
    }

    private static let keyCount = 300

    /// Writes all keys anew, so that nothing before is live, lets a reader read that, and compacts:
    /// what the reader has not read may be removed before it does, and then it opens anew.
    private func replace(_ store: Store, round: Int, _ reader: StoreReader? = nil) throws {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 700)
        // Not one batch, which would have a segment to itself.
        for start in stride(from: 0, to: Self.keyCount, by: 50) {
            try store.write(durability: Durability.unsynced) { transaction in
                for key in start..<start + 50 { try transaction.put(value, forKey: UInt64(key)) }
            }
        }
        try store.sync()
        if let reader {
            try reader.refresh()
            try expect(reader.snapshot(), round: round)
        }
        try store.compact()
    }

    /// Reads all keys, which brings their segments into memory.
    private func expect(_ snapshot: Snapshot, round: Int) throws {
        for key in 0..<Self.keyCount {
            let value = try snapshot.get(UInt64(key))
            try #require(value?.count == 700 && value?.first == UInt8(truncatingIfNeeded: round))
        }
    }

    private func mappedCount(_ reader: StoreReader) -> Int { reader.mappedSegmentCounts.all }

    @Test("beside a writer that compacts over and over a reader maps no more than what is needed")
    func compactingWriter() throws {
        let store = try open()
        try replace(store, round: 0)
        let reader = try StoreReader.open(at: directory.path("store"))
        let opened = reader.currentStore
        var most = 0
        for round in 1...40 {
            try replace(store, round: round, reader)
            #expect(try reader.refresh())
            try expect(reader.snapshot(), round: round)
            most = max(most, mappedCount(reader))
        }
        // One round takes four segments or five.
        #expect(most <= 12, "\(most) segments are mapped")
        #expect(reader.mappedSegmentCounts.retired == 0)
        #expect(reader.currentStore === opened, "it has followed the log all the time")
        #expect(try reader.statistics.segments.count <= 12)
        reader.close()
        try store.close()
    }

    @Test("what an old snapshot needs stays mapped as long as it is open, and no longer")
    func oldSnapshot() throws {
        let store = try open()
        try replace(store, round: 0)
        let reader = try StoreReader.open(at: directory.path("store"))
        var old: Snapshot? = try reader.snapshot()
        try expect(#require(old), round: 0)
        let needed = mappedCount(reader)
        for round in 1...10 {
            try replace(store, round: round, reader)
            try reader.refresh()
            try expect(reader.snapshot(), round: round)
            try expect(#require(old), round: 0)
        }
        #expect(mappedCount(reader) <= needed + 12)
        #expect((1...needed).contains(reader.mappedSegmentCounts.retired))
        old = nil
        let pin = store.externalPins()
        #expect(try !reader.refresh(), "nothing was committed")
        #expect(store.externalPins() != pin, "the writer may remove more, too")
        try expect(reader.snapshot(), round: 10)
        #expect(reader.mappedSegmentCounts.retired == 0)
        reader.close()
        try store.close()
    }

    @Test("snapshots of random ages read right while segments are let go of", arguments: 0..<4)
    func randomAges(number: UInt64) throws {
        var random = SeededRandom(scattering: 9_107 + number)
        let store = try open()
        try replace(store, round: 0)
        let reader = try StoreReader.open(at: directory.path("store"))
        var kept: [(snapshot: Snapshot, round: Int)] = []
        for round in 1...20 {
            try replace(store, round: round, reader)
            try reader.refresh()
            let snapshot = try reader.snapshot()
            try expect(snapshot, round: round)
            if random.next() % 2 == 0 { kept.append((snapshot, round)) }
            if !kept.isEmpty, random.next() % 2 == 0 {
                kept.remove(at: Int(random.next() % UInt64(kept.count)))
            }
            if random.next() % 8 == 0 { try reader.refresh(isFollowing: false) }
            for (snapshot, round) in kept { try expect(snapshot, round: round) }
        }
        kept = []
        try replace(store, round: 21, reader)
        try reader.refresh()
        #expect(mappedCount(reader) <= 12)
        reader.close()
        try store.close()
    }

    @Test("snapshots taken on other threads during refreshes read right")
    func otherThreads() throws {
        let store = try open()
        try replace(store, round: 0)
        let reader = try StoreReader.open(at: directory.path("store"))
        let isOver = Atomic<Bool>(false)
        let lookCount = Atomic<Int>(0)
        let failure = Locked<String?>(nil)
        let group = DispatchGroup()
        for _ in 0..<2 {
            DispatchQueue.global().async(group: group) {
                while !isOver.load(ordering: .relaxed) {
                    do {
                        // Also without the reader's lock.
                        let number = lookCount.add(1, ordering: .relaxed).newValue
                        let snapshot =
                            number % 2 == 0
                            ? try reader.snapshot() : try reader.currentStore?.snapshot()
                        let first = try snapshot?.get(UInt64(0))?.first
                        let last = try snapshot?.get(UInt64(49))?.first
                        if first == nil || first != last {
                            failure.withLock { $0 = "\(first as Any) \(last as Any)" }
                        }
                    } catch {
                        failure.withLock { $0 = "\(error)" }
                    }
                }
            }
        }
        var round = 0
        while round < 30 || lookCount.load(ordering: .relaxed) < 100 {
            round += 1
            try replace(store, round: round, reader)
            try reader.refresh()
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(failure.withLock { $0 } == nil)
        reader.close()
        try store.close()
    }
}
