import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Segments that compaction retired.
extension SalvageTests {
    @Test("a compacted store is sound at every level and comes back whole")
    func compacted() throws {
        let machine = SimulatedMachine(seed: 91, fileCapacity: 64 << 10)
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4096))
        for round in 0..<6 {
            for number in 0..<20 {
                let value = [UInt8](repeating: UInt8(round), count: 100 + number)
                try store.write { try $0.put(value, forKey: "key \(number)") }
            }
            try store.write { try $0.delete("key \(round)") }
            try store.checkpoint()
        }
        let report = try store.compact()
        #expect(report.removedSegmentCount > 0, "\(report)")
        let contents = try StoreImage.contents(of: store)
        try store.close()
        for level in VerificationLevel.allCases {
            let found = try StoreVerifier.verify(
                path: SimulatedMachine.path, level: level, environment: machine.environment)
            #expect(found.worst == nil, "\(level): \(found.findings)")
        }
        let found = try salvage(machine.files)
        expectSame(found.contents, contents)
        #expect(found.report.isComplete, "\(found.report)")
    }

    @Test("a segment that was retired is not missing; another is")
    func retiredSegments() throws {
        let machine = SimulatedMachine(seed: 81, fileCapacity: 64 << 10)
        let options = machine.options(segmentByteCount: 4096)
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        for number in 0..<12 {
            try store.write {
                try $0.put([UInt8](repeating: 1, count: 900), forKey: "\(number % 4)")
            }
        }
        try store.write { transaction in
            let number: [UInt8] = [1, 0, 0, 0]
            try number.withBytes { (number) throws(StoreError) in
                _ = try transaction.append(
                    .retireSegment, keyspace: .system,
                    key: UnsafeRawBufferPointer(start: nil, count: 0), value: number)
            }
        }
        try store.close()
        let segments = machine.files.filter { $0.name.hasSuffix(".segment") }
        try #require(segments.count >= 3)
        let found = try salvage(Array(segments.dropFirst()))
        #expect(found.report.isCompleteUpToEnd, "\(found.report)")
        #expect(found.contents["default"]?.count == 4)
        let second = segments.filter { $0.name != "0000000002.segment" }
        #expect(try salvage(second).report.gaps.count == 1)
    }

    @Test(
        "a transaction that ended in a retired segment counts there or not at all",
        arguments: [false, true])
    func transactionIntoRetired(commits: Bool) throws {
        struct Stop: Error {}
        let machine = SimulatedMachine(seed: 52, fileCapacity: 64 << 10)
        var options = machine.options(segmentByteCount: 4096)
        options.bufferByteCount = 256
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("kept", forKey: "a") }
        let value = [UInt8](repeating: 1, count: 200)
        do {
            try store.write { transaction in
                for number in 0..<40 { try transaction.put(value, forKey: "key \(number)") }
                if !commits { throw Stop() }
            }
        } catch is Stop {}
        let segmentCount = store.log.segments.count
        try #require(segmentCount >= 3)
        // As compaction does, for what is only in segments that go.
        let first = try #require(store.log.segments.first)
        store.log.seal()
        let last = store.log.sealedSegments.count
        for number in 0..<40 where commits {
            let key = Array("key \(number)".utf8)
            try store.write { transaction in
                let place = try key.withBytes { (key) throws(StoreError) in
                    try transaction.location(forKey: key, in: .default)
                }
                let location = Location(rawValue: try #require(place))
                if location.segment == first.number { return }
                try transaction.put([2, UInt8(number)], forKey: key)
            }
        }
        var list: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)] = []
        for summary in store.log.sealedSegments.prefix(last).dropFirst() {
            var continuation = RetirementTable.Continuation()
            continuation.outcome = .open
            list.append((summary, continuation))
        }
        list[list.count - 1].continuation.outcome = commits ? .committed : .ended
        let hasRetired = try store.retire(list) != nil
        #expect(hasRetired)
        let retired = list.map(\.summary.number.fileName)
        let contents = try StoreImage.contents(of: store)
        try store.close()
        for isRemoved in [true, false] {
            let files = machine.files.filter { !isRemoved || !retired.contains($0.name) }
            for preference in [StoreSalvage.Preference.newest, .consistent] {
                let found = try salvage(files, preference: preference)
                expectSame(found.contents, contents, "removed: \(isRemoved), \(preference)")
                #expect(found.report.isComplete, "\(found.report)")
                #expect(found.report.partialTransactionCount == 0 && found.report.cutLSN == nil)
                #expect(found.report.deadTransactionCount == (commits ? 0 : 1))
            }
        }
    }

    @Test("a deleted key stays deleted though a retired segment has it, unless a copy may be lost")
    func deletedInRetired() throws {
        let machine = SimulatedMachine(seed: 53, fileCapacity: 64 << 10)
        let options = machine.options(segmentByteCount: 4096)
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("value", forKey: "deleted") }
        try store.write { try $0.put("old", forKey: "other") }
        store.log.seal()
        try store.write { try $0.delete("deleted") }
        store.log.seal()
        try store.write { try $0.put("a copy", forKey: "other") }
        try store.write { try $0.put("the end", forKey: "last") }
        let list = store.log.sealedSegments.prefix(2).map {
            (summary: $0, continuation: RetirementTable.Continuation())
        }
        let hasRetired = try store.retire(Array(list)) != nil
        #expect(hasRetired)
        let contents = try StoreImage.contents(of: store)
        try store.close()
        // The tombstone's segment is gone, the put's is found.
        let tombstones = try #require(list.last).summary.number.fileName
        let files = machine.files.filter { $0.name != tombstones }
        let whole = try salvage(files)
        expectSame(whole.contents, contents)
        #expect(whole.report.isComplete && whole.report.retiredVersionCount == 0)
        // With a batch missing before the table, it may have held copies.
        let damaged = files.map { file in
            var bytes = file.bytes
            if let place = bytes.firstRange(of: Array("a copy".utf8)) {
                bytes[place.lowerBound] ^= 1
            }
            return StoreImage.File(name: file.name, bytes: bytes)
        }
        let found = try salvage(damaged)
        #expect(
            found.contents["default"]?.map { String(decoding: $0.value, as: UTF8.self) }
                == ["value", "the end", "old"])
        #expect(found.report.retiredVersionCount == 2 && !found.report.isComplete)
    }
}
