import Foundation
import Locks
import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Many threads at one store, on the real file system; also run under the thread sanitizer by
/// `Tools/test --thread-sanitizer`.
@Suite struct ConcurrencyTests {
    /// Runs a body on so many threads at once and waits for all; errors become issues.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            let thread = Thread {
                do {
                    try body(number)
                } catch {
                    Issue.record("thread \(number): \(error)")
                }
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
    }

    private func options(checkpointInterval: Int = 20_000) -> StoreOptions {
        var options = StoreOptions()
        options.segmentByteCount = 256 << 10
        options.checkpointInterval = checkpointInterval
        return options
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    private func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    @Test(
        "threads read right values of an encrypted store beside a writer, where memory is let go of too",
        arguments: [nil, 200_000])
    func encrypted(memoryBudget: Int?) throws {
        let directory = TemporaryDirectory()
        var options = options(checkpointInterval: 200_000)
        options.encryptionKey = EncryptionKey(cipher: RecordingCipher())
        options.decryptedMemoryBudget = memoryBudget
        let store = try Store.open(at: directory.path("store"), options: options)
        let keyCount: UInt64 = 3000
        @Sendable func value(_ key: UInt64, _ round: UInt64) -> [UInt8] {
            bytes(round) + [UInt8](repeating: UInt8(truncatingIfNeeded: key &+ round), count: 200)
        }
        @Sendable func fill(_ round: UInt64) throws {
            for start in stride(from: 0, to: keyCount, by: 250) {
                try store.write(durability: Durability.unsynced) { transaction in
                    for key in start..<start + 250 {
                        try transaction.put(value(key, round), forKey: key)
                    }
                }
            }
        }
        try fill(0)
        let isDone = Atomic(false)
        onThreads(4) { [self] thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .releasing) }
                for round in 1...6 as ClosedRange<UInt64> { try fill(round) }
                try store.compact()
                return
            }
            var random = SeededRandom(seed: UInt64(thread))
            while !isDone.load(ordering: .acquiring) {
                let snapshot = try store.snapshot()
                for _ in 0..<100 {
                    let key = UInt64.random(in: 0..<keyCount, using: &random)
                    let found = try #require(try snapshot.get(bytes(key)))
                    #expect(found == value(key, number(Array(found.prefix(8)))))
                }
            }
        }
        try store.close()
    }

    @Test(
        "readers see whole transactions only, while writers of all levels and checkpoints run",
        arguments: [nil, 0, 6000])
    func readersBesideWriters(memoryBudget: Int?) throws {
        let directory = TemporaryDirectory()
        var options = options()
        // Leaves go back to page files under the readers: none, all, some.
        options.indexMemoryBudget = memoryBudget
        let store = try Store.open(at: directory.path("store"), options: options)
        let keyCount: UInt64 = 200
        // Every transaction writes one number under all keys that it touches, twice: a reader that
        // finds different numbers in a pair has seen a part.
        try store.write { transaction in
            for key in 0..<keyCount {
                try transaction.put(bytes(0), forKey: key)
                try transaction.put(bytes(0), forKey: key + 1000)
            }
        }
        let writersLeft = Atomic<Int>(3)
        onThreads(7) { thread in
            switch thread {
            case 0..<3:
                defer { writersLeft.subtract(1, ordering: .releasing) }
                let levels: [Durability] = [.commit, .unsynced, .interval(milliseconds: 1)]
                for round in 0..<300 as Range<UInt64> {
                    let value = UInt64(thread) << 32 | round
                    try store.write(durability: levels[Int(round) % 3]) { transaction in
                        for step in 0..<8 as Range<UInt64> {
                            let key = (round * 31 + step * 17 + UInt64(thread)) % keyCount
                            try transaction.put(bytes(value), forKey: key)
                            try transaction.put(bytes(value), forKey: key + 1000)
                        }
                    }
                }
            case 3:
                while writersLeft.load(ordering: .acquiring) > 0 {
                    try store.checkpoint()
                    _ = try store.statistics
                }
            default:
                while writersLeft.load(ordering: .acquiring) > 0 {
                    try checkPairs(try store.snapshot(), keyCount)
                }
            }
        }
        try checkPairs(try store.snapshot(), keyCount)
        try store.close()
        try #expect(StoreVerifier.verify(path: directory.path("store")).isSound)
    }

    private func checkPairs(_ snapshot: Snapshot, _ keyCount: UInt64) throws {
        #expect(snapshot.count() == Int(keyCount) * 2)
        let left = snapshot.cursor()
        let right = snapshot.cursor()
        var leftIsValid = try left.seekToFirst()
        var rightIsValid = try right.seek(to: 1000 as UInt64)
        var count: UInt64 = 0
        while leftIsValid, rightIsValid {
            let first = try left.value
            if try first != right.value {
                Issue.record("key \(count): half of a transaction")
                return
            }
            count += 1
            leftIsValid = try left.next()
            rightIsValid = try right.next()
        }
        #expect(count == keyCount)
    }

    @Test("a commit of any of eight threads is seen by the thread's next snapshot, and is kept")
    func groupCommit() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let roundCount: UInt64 = 60
        do {
            let store = try Store.open(at: path, options: options())
            onThreads(8) { thread in
                for round in 0..<roundCount {
                    let key = UInt64(thread) * 1000 + round
                    let level: Durability = round % 7 == 6 ? .unsynced : .commit
                    try store.write(durability: level) { try $0.put(bytes(key), forKey: key) }
                    let snapshot = try store.snapshot()
                    try #expect(snapshot.get(key) == bytes(key), "key \(key)")
                    if level == .commit { #expect(store.durableLSN >= 1) }
                }
            }
            let statistics = try store.statistics
            #expect(statistics.commits.count == 8 * roundCount)
            #expect(statistics.lastLSN == 8 * roundCount)
            try store.close()
        }
        let store = try Store.open(at: path)
        let snapshot = try store.snapshot()
        #expect(snapshot.count() == 8 * Int(roundCount))
        for thread in 0..<8 as Range<UInt64> {
            for round in 0..<roundCount {
                try #expect(snapshot.contains(thread * 1000 + round))
            }
        }
        try store.close()
    }

    @Test("a snapshot shared by threads stays as it is, whatever is written and removed")
    func constantSnapshots() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), options: options())
        for key in 0..<500 as Range<UInt64> {
            try store.write(durability: Durability.unsynced) { try $0.put(bytes(1), forKey: key) }
        }
        let snapshot = try store.snapshot()
        let isWriting = Atomic<Bool>(true)
        onThreads(4) { thread in
            if thread == 0 {
                defer { isWriting.store(false, ordering: .releasing) }
                for round in 2..<100 as Range<UInt64> {
                    try store.write(durability: Durability.unsynced) { transaction in
                        for key in 0..<50 as Range<UInt64> {
                            try transaction.put(bytes(round), forKey: key * 10)
                            try transaction.delete(key * 10 + round % 10)
                        }
                    }
                }
                return
            }
            repeat {
                #expect(snapshot.count() == 500)
                var count = 0
                try snapshot.forEach(options: thread == 1 ? .verified : .unverified) { _, value in
                    count += value.unsafeLoadUnaligned(as: UInt64.self).bigEndian == 1 ? 1 : 0
                    return true
                }
                #expect(count == 500)
                for key in stride(from: 0 as UInt64, to: 500, by: 37) {
                    try #expect(snapshot.get(key) == bytes(1))
                }
            } while isWriting.load(ordering: .acquiring)
        }
        try store.close()
        try #expect(snapshot.get(10 as UInt64) == bytes(1))
    }

    @Test("snapshots taken and released on many threads let old versions go")
    func reclamation() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(
            at: directory.path("store"), options: options(checkpointInterval: 1 << 30))
        let value = [UInt8](repeating: 1, count: 8)
        try store.write { transaction in
            for key in 0..<2000 as Range<UInt64> { try transaction.put(value, forKey: key) }
        }
        let fresh = try store.statistics.index.nodeByteCount
        let isWriting = Atomic<Bool>(true)
        onThreads(4) { thread in
            if thread == 0 {
                defer { isWriting.store(false, ordering: .releasing) }
                for round in 0..<400 as Range<UInt64> {
                    try store.write(durability: Durability.unsynced) {
                        try $0.put(value, forKey: round * 5)
                    }
                }
                return
            }
            while isWriting.load(ordering: .acquiring) {
                let snapshot = try store.snapshot()
                try #expect(snapshot.contains(UInt64(thread)))
            }
        }
        // The next commits find no pins and free what was retired.
        for round in 0..<5 as Range<UInt64> {
            try store.write(durability: Durability.unsynced) { try $0.put(value, forKey: round) }
        }
        let statistics = try store.statistics.index
        #expect(statistics.nodeByteCount <= fresh * 2, "\(statistics)")
        #expect(statistics.reservedByteCount <= 64 << 20)
        try store.close()
    }

    @Test("close waits for the transaction in progress, and later ones are refused")
    func closeWaits() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        let transaction = try store.beginWrite()
        try transaction.put("v", forKey: "k")
        let isClosed = Atomic<Bool>(false)
        let closed = DispatchSemaphore(value: 0)
        let thread = Thread {
            do {
                try store.close()
            } catch {
                Issue.record("close throws \(error)")
            }
            isClosed.store(true, ordering: .releasing)
            closed.signal()
        }
        thread.start()
        // However long the other thread has had: it can't be through while this one writes.
        for number in 0..<1000 as Range<UInt64> {
            try transaction.put("v", forKey: number)
            let isTooEarly = isClosed.load(ordering: .acquiring)
            #expect(!isTooEarly)
        }
        try transaction.commit()
        closed.wait()
        #expect { try store.beginWrite() } throws: { ($0 as? StoreError)?.code == .closed }
        #expect { try store.snapshot() } throws: { ($0 as? StoreError)?.code == .closed }
        let again = try Store.open(at: path)
        #expect(again.openingReport.replayedTransactions == 0)
        try #expect(again.snapshot().count() == 1001)
        try again.close()
    }

    @Test("writers that wait when the store closes get the error that it is closed")
    func closeBesideWaitingWriters() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path, options: options())
        let committed = Locked<[UInt64]>([])
        onThreads(6) { thread in
            for round in 0..<1000 as Range<UInt64> {
                let key = UInt64(thread) * 10_000 + round
                if thread == 0, round == 20 {
                    try store.close()
                    return
                }
                do {
                    try store.write { try $0.put("v", forKey: key) }
                    committed.withLock { $0.append(key) }
                } catch let error as StoreError where error.code == .closed {
                    return
                }
            }
        }
        let again = try Store.open(at: path)
        let snapshot = try again.snapshot()
        let keys = committed.withLock { $0 }
        #expect(snapshot.count() == keys.count)
        for key in keys { try #expect(snapshot.contains(key)) }
        try again.close()
    }

    @Test("a store that is dropped without close, with work in the background, closes itself")
    func dropped() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        for round in 0..<30 as Range<UInt64> {
            let events = EventLog()
            do {
                var options = options(checkpointInterval: 100)
                options.eventHandler = { events.add($0) }
                let store = try Store.open(at: path, options: options)
                #expect(store.openingReport.replayedTransactions == 0)
                for key in 0..<5 as Range<UInt64> {
                    try store.write(durability: .interval(milliseconds: 0)) {
                        try $0.put(bytes(round), forKey: key)
                    }
                }
            }
            // A job in the background may hold the last reference for a moment.
            let again = try openWhenFree(path)
            #expect(again.openingReport.source != .fullReplay)
            try #expect(again.get(3 as UInt64).map(number) == round)
            try again.close()
            for event in events.all {
                if case .closedWithError(let error) = event { Issue.record("\(error)") }
            }
        }
    }

    /// Opens a store as soon as its last holder has let go.
    private func openWhenFree(_ path: String) throws -> Store {
        while true {
            do {
                return try Store.open(at: path)
            } catch {
                guard error.code == .locked else { throw error }
                sched_yield()
            }
        }
    }

    @Test("closing waits for a checkpoint that another thread is writing")
    func closingDuringACheckpoint() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let (isWritten, mayEnd, hasEnded) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        var options = StoreOptions()
        options.eventHandler = { event in
            guard case .checkpointWritten = event else { return }
            isWritten.signal()
            mayEnd.wait()
        }
        let store = try Store.open(at: path, options: options)
        try store.write { try $0.put("v", forKey: "k") }
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try store.checkpoint() }
            hasEnded.signal()
        }
        isWritten.wait()
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try store.close() }
            hasEnded.signal()
        }
        // From here on closing has nothing to wait for but the checkpoint.
        while case .success = capture({ () throws(StoreError) in try store.snapshot() }) {
            sched_yield()
        }
        for _ in 0..<2000 {
            #expect { try Store.open(at: path) } throws: {
                ($0 as? StoreError)?.code == .locked
            }
        }
        mayEnd.signal()
        hasEnded.wait()
        hasEnded.wait()
        let again = try Store.open(at: path)
        #expect(again.openingReport.source == .newestCheckpoint)
        #expect(again.openingReport.replayedTransactions == 0)
        try #expect(again.get("k") == Array("v".utf8))
        try again.close()
    }

    @Test("a snapshot and its cursor outlive the store")
    func snapshotOutlivesStore() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let cursor: Cursor
        do {
            let store = try Store.open(at: path)
            try store.write { transaction in
                for key in 0..<100 as Range<UInt64> { try transaction.put(bytes(key), forKey: key) }
            }
            cursor = try store.snapshot().cursor()
            try store.close()
        }
        let other = try Store.open(at: path)
        try other.write { try $0.deleteAll() }
        var isValid = try cursor.seekToFirst()
        var count: UInt64 = 0
        while isValid {
            try #expect(cursor.value == bytes(count))
            count += 1
            isValid = try cursor.next()
        }
        #expect(count == 100)
        try other.close()
    }

    @Test(
        "what a snapshot sees of a closed store another opening may compact away",
        arguments: [ReadMode.mapped, .verified])
    func snapshotBesideACompaction(mode: ReadMode) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        var options = StoreOptions()
        options.readMode = mode
        options.segmentByteCount = 64 << 10
        let snapshot: Snapshot
        do {
            let store = try Store.open(at: path, options: options)
            for key in 0..<100 as Range<UInt64> {
                try store.write { try $0.put([UInt8](repeating: 1, count: 4000), forKey: key) }
            }
            snapshot = try store.snapshot()
            try store.close()
        }
        let other = try Store.open(at: path, options: options)
        for key in 0..<100 as Range<UInt64> {
            try other.write { try $0.put("changed", forKey: key) }
        }
        #expect(try other.compact().removedSegmentCount > 3)
        var refusedCount = 0
        for key in 0..<100 as Range<UInt64> {
            switch capture({ () throws(StoreError) in try snapshot.get(key) }) {
            case .success(let value): #expect(value == [UInt8](repeating: 1, count: 4000))
            case .failure(let error):
                refusedCount += 1
                #expect(error.code == .closed, "\(error)")
            }
        }
        #expect((refusedCount > 0) == (mode == .verified))
        try other.close()
    }
}
