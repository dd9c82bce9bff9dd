import Foundation
import Locks
import StoreWorkload
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Compaction on its own queue, beside writers and readers, on real files.
@Suite struct CompactionConcurrencyTests {
    private static let keyCount: UInt64 = 400

    /// A value that shows its key, and is whole or not.
    private static func value(_ key: UInt64, _ round: UInt64) -> [UInt8] {
        let word = withUnsafeBytes(of: (key << 32 | round).bigEndian, Array.init)
        return Array(repeatElement(word, count: 32).joined())
    }

    private static func isValue(_ bytes: [UInt8], of key: UInt64) -> Bool {
        guard bytes.count == 256 else { return false }
        let first = Array(bytes.prefix(8))
        let word = first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return word >> 32 == key && bytes == Array(repeatElement(first, count: 32).joined())
    }

    @Test("writers and readers see every value whole while segments come and go")
    func besideWritersAndReaders() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.checkpointInterval = 100_000
        options.durability = .unsynced
        let store = try Store.open(at: path, options: options)
        let failures = Locked<[String]>([])
        let isOver = Atomic<Bool>(false)
        let writerCount = Atomic<Int>(2)
        let group = DispatchGroup()
        func start(_ body: @escaping @Sendable () throws -> Void) {
            group.enter()
            Thread.detachNewThread {
                do { try body() } catch { failures.withLock { $0.append("\(error)") } }
                group.leave()
            }
        }
        for reader in 0..<2 as Range<UInt64> {
            start {
                var random = SeededRandom(seed: reader)
                while !isOver.load(ordering: .relaxed) {
                    let snapshot = try store.snapshot()
                    for _ in 0..<200 {
                        let key = random.next() % Self.keyCount
                        let value = try snapshot.get(key)
                        if let value, !Self.isValue(value, of: key) {
                            failures.withLock { $0.append("key \(key) has another's value") }
                        }
                    }
                }
            }
        }
        let rounds = 4_000 as UInt64
        for writer in 0..<2 as Range<UInt64> {
            start {
                defer { writerCount.wrappingSubtract(1, ordering: .releasing) }
                var random = SeededRandom(seed: 100 + writer)
                for round in 0..<rounds {
                    let key = random.next() % (Self.keyCount / 2) * 2 + writer
                    try store.write { transaction in
                        if round % 7 == 3 {
                            _ = try transaction.delete(key)
                        } else {
                            try transaction.put(Self.value(key, round), forKey: key)
                        }
                    }
                }
            }
        }
        start {
            for _ in 0..<3 { try store.compact() }
            while writerCount.load(ordering: .acquiring) > 0 { sched_yield() }
            isOver.store(true, ordering: .relaxed)
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        // However slow the threads were: nobody looks at the old segments any more.
        try store.compact()
        let statistics = try store.statistics
        #expect(statistics.compaction.total.removedSegmentCount > 0)
        #expect(statistics.compaction.lastFailure == nil)
        let count = try store.snapshot().count()
        #expect(try store.brokenInvariants() == [])
        try store.close()
        #expect(try StoreVerifier.verify(path: path).isSound)
        let again = try Store.open(at: path)
        #expect(try again.snapshot().count() == count)
        try again.close()
    }
}
