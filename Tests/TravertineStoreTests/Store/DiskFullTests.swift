import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A disk without room, while a store is open and when it is opened (rule 8).
@Suite struct DiskFullTests {
    private let machine = SimulatedMachine(seed: 8)

    private func open() throws -> Store {
        try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 16 << 10))
    }

    private func key(_ number: Int) -> UInt64 { UInt64(number) }

    /// Puts until the disk is full; returns how many puts there are.
    private func fill(_ store: Store, from start: Int = 0) throws -> Int {
        for number in start..<10_000 {
            do {
                try store.write {
                    try $0.put([UInt8](repeating: 7, count: 500), forKey: key(number))
                }
                machine.executor.drain()
            } catch let error as StoreError where error.code == .diskFull {
                return number
            }
        }
        Issue.record("the disk never was full")
        return 0
    }

    @Test("on a full disk put reports it, reads and deletes work, and puts work again with room")
    func fullDisk() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: 200_000)
        let count = try fill(store)
        #expect(count > 100)
        let snapshot = try store.snapshot()
        #expect(snapshot.count() == count)
        for number in 0..<count {
            try #expect(snapshot.get(key(number))?.count == 500)
        }
        // A put is refused again and again, and nothing of it stays.
        for _ in 0..<3 { try #expect(fill(store, from: count) == count) }
        // Deleting uses the reserve: a segment of tombstones, in small transactions or large ones.
        for number in 0..<50 { try store.write { try #expect($0.delete(key(number))) } }
        try store.write { transaction in
            for number in 50..<150 { try #expect(transaction.delete(key(number))) }
        }
        machine.executor.drain()
        try #expect(store.snapshot().count() == count - 150)
        #expect(snapshot.count() == count)
        machine.disk.setQuota(byteCount: .max)
        for number in 0..<150 { try store.write { try $0.put("again", forKey: key(number)) } }
        try #expect(store.snapshot().count() == count)
        try store.close()
        let reopened = try open()
        try #expect(reopened.snapshot().count() == count)
        try reopened.close()
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.isSound, "\(report.findings)")
    }

    @Test("a put that is refused takes none of the room that is kept, however large it is")
    func refusedPut() throws {
        let segmentByteCount = 64 << 10
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: segmentByteCount))
        machine.disk.setQuota(byteCount: 20 * segmentByteCount)
        let count = try fill(store)
        machine.executor.drain()
        let used = machine.disk.usedByteCount
        for byteCount in [segmentByteCount, 3 * segmentByteCount / 2, 3 * segmentByteCount] {
            #expect(
                errorCode {
                    try store.write {
                        try $0.put([UInt8](repeating: 7, count: byteCount), forKey: key(count))
                    }
                } == .diskFull)
            #expect(machine.disk.usedByteCount == used, "\(byteCount)")
        }
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    // Deleting freed nothing: too little log was written for a checkpoint to be due, without one no
    // segment may go, and for one there was no room.
    @Test(
        "a full store that is emptied has room again, however little others leave",
        arguments: [(128 << 10, false), (256 << 10, false), (256 << 10, true)])
    func emptied(segmentByteCount: Int, isTight: Bool) throws {
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: segmentByteCount))
        machine.disk.setQuota(byteCount: 12 * segmentByteCount)
        let count = try fill(store)
        if isTight { machine.disk.setQuota(byteCount: machine.disk.usedByteCount) }
        for start in stride(from: 0, to: count, by: 10) {
            try store.write { transaction in
                for number in start..<min(start + 10, count) {
                    try #expect(transaction.delete(key(number)))
                }
            }
        }
        machine.executor.drain()
        // A refused write asks for room; in the background it is made.
        var refusedCount = 0
        while true {
            let written = capture { () throws(StoreError) in
                let transaction = try store.beginWrite()
                defer { transaction.rollback() }
                try transaction.put([UInt8](repeating: 8, count: 500), forKey: key(0))
                try transaction.commit()
            }
            machine.executor.drain()
            if case .success = written { break }
            refusedCount += 1
            try #require(refusedCount < 4)
        }
        let again = try fill(store, from: 1)
        #expect(again > count / 3, "\(again) after \(count)")
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    /// A full store of small values whose keys come in no order.
    private func fillAtRandom(_ store: Store, _ random: inout SeededRandom) throws -> [UInt64] {
        var keys: [UInt64] = []
        while true {
            let new = (0..<50).map { _ in random.next() }
            do {
                try store.write { transaction in
                    for key in new {
                        try transaction.put([UInt8](repeating: 7, count: 100), forKey: key)
                    }
                }
            } catch let error as StoreError where error.code == .diskFull {
                return keys
            }
            keys += new
            machine.executor.drain()
            try #require(keys.count < 200_000)
        }
    }

    // Not one put was taken until 0.4 % of the keys were left: for checkpoints there was no room,
    // and so nothing could be compacted.
    @Test(
        "a full store takes puts again once a part of it is deleted and compacted, wherever the keys lie",
        arguments: [33, 67, 90, 97], [true, false])
    func partlyEmptied(percent: Int, compacts: Bool) throws {
        var random = SeededRandom(seed: UInt64(percent))
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 64 << 10))
        machine.disk.setQuota(byteCount: 3 << 20)
        var keys = try fillAtRandom(store, &random)
        #expect(keys.count > 8000, "most of the disk is used")
        keys.shuffle(using: &random)
        let goneCount = keys.count * percent / 100
        for start in stride(from: 0, to: goneCount, by: 20) {
            try store.write { transaction in
                for key in keys[start..<min(start + 20, goneCount)] {
                    try #expect(transaction.delete(key))
                }
            }
        }
        if compacts {
            try store.compact()
        } else {
            machine.executor.drain()
        }
        var refusedCount = 0
        while true {
            let written = capture { () throws(StoreError) in
                let transaction = try store.beginWrite()
                defer { transaction.rollback() }
                try transaction.put([UInt8](repeating: 8, count: 500), forKey: "new")
                try transaction.commit()
            }
            if case .success = written { break }
            machine.executor.drain()
            refusedCount += 1
            try #require(refusedCount < (compacts ? 1 : 4))
        }
        machine.executor.drain()
        var more = try fillAtRandom(store, &random)
        // Each refusal makes some more room.
        while true {
            machine.executor.drain()
            let next = try fillAtRandom(store, &random)
            if next.isEmpty { break }
            more += next
        }
        #expect(more.count > goneCount / 4, "\(more.count) after \(goneCount)")
        try #expect(store.snapshot().count() == keys.count - goneCount + more.count + 1)
        machine.disk.setQuota(byteCount: .max)
        try store.close()
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.isSound, "\(report.findings)")
    }

    @Test(
        "passes on a full disk do not use up what deleting needs while a snapshot keeps the segments"
    )
    func heldOnAFullDisk() throws {
        var random = SeededRandom(seed: 5)
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 64 << 10))
        machine.disk.setQuota(byteCount: 3 << 20)
        var keys = try fillAtRandom(store, &random)
        keys.shuffle(using: &random)
        let snapshot = try store.snapshot()
        for start in stride(from: 0, to: keys.count / 5, by: 20) {
            try store.write { transaction in
                for key in keys[start..<start + 20] { try #expect(transaction.delete(key)) }
            }
            machine.executor.drain()
        }
        try store.write { try #expect($0.delete(keys[keys.count - 1])) }
        #expect(snapshot.count() == keys.count)
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    @Test("when the reserve is used up, deletes are refused as well, until there is room again")
    func usedUpReserve() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: 200_000)
        let count = try fill(store)
        // Somebody else takes what the store has left free.
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount)
        var deleted = 0
        #expect {
            while deleted < count {
                try store.write { try #expect($0.delete(key(deleted))) }
                deleted += 1
            }
        } throws: { ($0 as? StoreError)?.code == .diskFull }
        #expect(deleted >= 100 && deleted < count)
        try #expect(store.snapshot().count() == count - deleted)
        machine.disk.setQuota(byteCount: .max)
        try store.write { try #expect($0.delete(key(deleted))) }
        try store.write { try $0.put("again", forKey: key(0)) }
        try #expect(store.snapshot().count() == count - deleted)
        try store.close()
    }

    @Test("a transaction that puts anything leaves the reserve to those that only delete")
    func mixedTransaction() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: 200_000)
        let count = try fill(store)
        for number in 0..<200 {
            #expect {
                try store.write { transaction in
                    try transaction.delete(key(number))
                    try transaction.put([UInt8](repeating: 9, count: 500), forKey: "other")
                }
            } throws: { ($0 as? StoreError)?.code == .diskFull }
        }
        try #expect(store.snapshot().count() == count)
        for number in 0..<100 { try store.write { try #expect($0.delete(key(number))) } }
        try #expect(store.snapshot().count() == count - 100)
    }

    @Test("ranges and whole keyspaces are deleted on a full disk, and after opening on one")
    func largeDeletions() throws {
        var store = try open()
        let second = try store.write { transaction in
            let second = try transaction.keyspace(named: "second")
            for number in 0..<20 { try transaction.put("v", forKey: key(number), in: second) }
            return second
        }
        machine.disk.setQuota(byteCount: 200_000)
        let count = try fill(store)
        try store.write { try $0.deleteRange(from: key(0), to: key(30)) }
        try #expect(store.snapshot().count() == count - 30)
        // Room for two segments; for a checkpoint perhaps.
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount + (32 << 10))
        _ = capture { () throws(StoreError) in try store.close() }
        store = try open()
        try store.write { try $0.deleteRange(from: key(30), to: key(60)) }
        try store.write { try $0.dropKeyspace(second) }
        try #expect(store.snapshot().count() == count - 60)
        #expect(store.keyspaces.map(\.name) == ["default"])
        machine.disk.setQuota(byteCount: .max)
        try store.close()
        store = try open()
        try #expect(store.snapshot().count() == count - 60)
        #expect(store.keyspaces.map(\.name) == ["default"])
        try store.close()
    }

    @Test("where there is no room for a whole segment, deletes begin a smaller one")
    func smallSegment() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: 400_000)
        let count = try fill(store)
        var deleted = 0
        func deleteOne() throws {
            try store.write { try #expect($0.delete(key(deleted))) }
            deleted += 1
        }
        #expect(throws: StoreError.self) { while deleted < count { try deleteOne() } }
        try #require(deleted + 50 < count)
        // Half of a segment.
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount + 8192)
        for _ in 0..<50 { try deleteOne() }
        try #expect(store.snapshot().count() == count - deleted)
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    @Test("a checkpoint on a full disk takes the room after the end of the log")
    func roomForACheckpoint() throws {
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 128 << 10))
        try store.write { try $0.put("v", forKey: "k") }
        machine.executor.drain()
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount)
        try store.checkpoint()
        try #expect(store.statistics.lastCheckpointFailure == nil)
        // With a second one that shares its pages, so that no older ones stay.
        try #expect(store.statistics.checkpointCount == 2)
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    @Test("a transaction that reaches a full disk half-way leaves no trace")
    func fullDiskInsideATransaction() throws {
        let store = try open()
        try store.write { try $0.put("before", forKey: "k") }
        machine.disk.setQuota(byteCount: 200_000)
        #expect {
            try store.write { transaction in
                for number in 0..<10_000 {
                    try transaction.put([UInt8](repeating: 7, count: 500), forKey: key(number))
                    try transaction.put("half", forKey: "k")
                }
            }
        } throws: { ($0 as? StoreError)?.code == .diskFull }
        #expect(store.readsAsText("k") == "before")
        try #expect(store.snapshot().count() == 1)
        try store.write { try #expect($0.delete("k")) }
        machine.disk.setQuota(byteCount: .max)
        try store.write { try $0.put("after", forKey: "k") }
        try store.close()
        let reopened = try open()
        #expect(reopened.readsAsText("k") == "after")
        try #expect(reopened.snapshot().count() == 1)
    }

    @Test("a checkpoint without room fails, is reported, and is written when there is room")
    func checkpointWithoutRoom() throws {
        let store = try open()
        try store.write { try $0.put("v", forKey: "k") }
        machine.executor.drain()
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount)
        let error = try #require(throws: StoreError.self) { try store.checkpoint() }
        #expect(error.code == .diskFull)
        #expect(try store.statistics.lastCheckpointFailure == error.description)
        machine.disk.setQuota(byteCount: .max)
        try store.checkpoint()
        try #expect(store.statistics.lastCheckpointFailure == nil)
        try #expect(store.statistics.checkpointCount == 1)
        try store.close()
    }

    @Test("a store on a full disk closes with an error, and opens again with everything")
    func closeOnAFullDisk() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: 200_000)
        let count = try fill(store)
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount)
        #expect { try store.close() } throws: { ($0 as? StoreError)?.code == .diskFull }
        // Opening and reading need no room.
        let reopened = try open()
        try #expect(reopened.snapshot().count() == count)
        #expect(reopened.openingReport.replayedTransactions == count)
        machine.disk.setQuota(byteCount: .max)
        try reopened.close()
    }
}
