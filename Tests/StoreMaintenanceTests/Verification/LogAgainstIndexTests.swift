import OrderedIndex
import SegmentLog
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// The log of a store compared with its index, in both directions.
@Suite struct LogAgainstIndexTests {
    private let path = SimulatedMachine.path

    private func machine(_ history: History) -> SimulatedMachine {
        SimulatedMachine(history.image.files, seed: 1, fileCapacity: 1 << 20)
    }

    /// Reads a store's log against an index that was changed on purpose.
    private func subject(
        _ machine: SimulatedMachine? = nil, _ change: (IndexWriter) throws -> Void
    ) throws -> LogAgainstIndex.Subject {
        let machine = try machine ?? self.machine(History.make(seed: 7))
        let manifest = try #require(
            try ManifestFile.read(in: path, fileSystem: machine.environment.fileSystem))
        var options = machine.options()
        options.readMode = .verified
        let opening = StoreOpening(path: path, options: options)
        let opened = try opening.replay(
            after: nil, manifest, .empty, OpeningReport(source: .fullReplay), [])
        let writer = opened.index.beginWrite()
        try change(writer)
        opened.index.publish(writer.commit(tag: 1))
        let subject = try LogAgainstIndex.Subject(
            ReplayedStore(opened), name: "index",
            segments: machine.files.compactMap { StoreFiles.segmentNumber(of: $0.name) })
        var visitor = LogAgainstIndex(subject) { _ in }
        let log = SegmentLog(
            directory: path, identity: manifest.identity, options: opening.logOptions,
            environment: machine.environment)
        _ = try log.recover(
            from: nil, durableEvidence: manifest.durableLSN, cleanEnd: nil, visitor: &visitor)
        try visitor.finish()
        return subject
    }

    @Test("an index that is the log's agrees with it")
    func agreement() throws {
        let subject = try subject { _ in }
        #expect(subject.isInLog && subject.staleCount == 0 && subject.missing.isEmpty)
        #expect(subject.expectedCount > 20)
    }

    @Test("indexes of one log agree, and one that lacks a key or has another place does not")
    func indexesAgree() throws {
        let machine = machine(try History.make(seed: 7))
        let index = try subject(machine) { _ in }.store
        #expect(try index.agrees(with: subject(machine) { _ in }.store))
        let history = try History.make(seed: 7)
        let key = try #require(history.image.contents["default"]?.first).key
        let lacking = try subject(machine) { writer in
            try key.withUnsafeBytes { _ = try #require(try writer.remove($0, in: 1)) }
        }
        #expect(try !index.agrees(with: lacking.store) && !lacking.store.agrees(with: index))
        let other = try subject(machine) { writer in
            try key.withUnsafeBytes {
                let place = try #require(try writer.value(forKey: $0, in: 1))
                _ = try writer.insert($0, value: place &+ 4096, in: 1)
            }
        }
        #expect(try !index.agrees(with: other.store))
    }

    @Test("puts of a dropped keyspace need no tombstones after them")
    func droppedKeyspace() throws {
        let keyspace: KeyspaceID = KeyspaceID(rawValue: 2)
        let emptied = try subject { writer in writer.removeAll(in: keyspace.treeNumber) }
        #expect(!emptied.missing.isEmpty)
        let dropped = try subject { writer in
            writer.removeAll(in: keyspace.treeNumber)
            writer.trees[keyspace.treeNumber].flags |= TreeFlags.dropped
        }
        #expect(dropped.missing.isEmpty && dropped.staleCount == 0 && dropped.isInLog)
    }

    @Test(
        "a missing key, an older place, a foreign place and a deleted key are all found",
        arguments: [2, 7, 11, 14] as [UInt64])
    func disagreement(seed: UInt64) throws {
        // In some histories no key is replaced, or none stays deleted.
        let history = try History.make(seed: seed) { store in
            for round in 0..<2 {
                try store.write {
                    try $0.put([UInt8(round)], forKey: "replaced")
                    try $0.put([UInt8(round)], forKey: "deleted")
                }
            }
            try store.write { _ = try $0.delete("deleted") }
        }
        let machine = machine(history)
        let live = try #require(history.image.contents["default"]?.first)
        let versions = history.versions.filter { $0.keyspace == .default }
        func location(_ version: History.Version) -> UInt64 {
            let number = StoreFiles.segmentNumber(of: version.file) ?? 0
            return Location(
                segment: SegmentNumber(rawValue: number), offset: version.range.lowerBound,
                byteCount: (version.range.count + 7) & ~7
            ).rawValue
        }
        let missing = try subject(machine) { writer in
            try live.key.withUnsafeBytes { _ = try writer.remove($0, in: 1) }
        }
        #expect(missing.missing.count == 1)

        let replaced = try #require(
            versions.first { $0.key == Array("replaced".utf8) })
        let stale = try subject(machine) { writer in
            try replaced.key.withUnsafeBytes {
                _ = try writer.insert($0, value: location(replaced), in: 1)
            }
        }
        #expect(stale.staleCount > 0)

        let other = try #require(versions.last { $0.value != nil && $0.key != live.key })
        let foreign = try subject(machine) { writer in
            try live.key.withUnsafeBytes {
                _ = try writer.insert($0, value: location(other), in: 1)
            }
        }
        #expect(!foreign.isInLog)

        let deleted = try #require(
            versions.last { $0.value != nil && $0.key == Array("deleted".utf8) })
        let resurrected = try subject(machine) { writer in
            try deleted.key.withUnsafeBytes {
                _ = try writer.insert($0, value: location(deleted), in: 1)
            }
        }
        #expect(resurrected.staleCount > 0)
    }

    /// A store in which compaction has copied everything, a part of it was replaced and deleted
    /// then, and a deletion was copied too, because an older segment has the key.
    private func copied(isCold: Bool) throws -> SimulatedMachine {
        let machine = SimulatedMachine(seed: 23)
        var options = machine.options(segmentByteCount: 8 << 10)
        options.checkpointInterval = 10_000
        let store = try Store.open(at: path, options: options)
        store.pauseCompaction()
        if isCold { try store.write { try $0.setCompression(.cold, of: .default) } }
        for number in 0..<120 { try put(number, round: 0, in: store) }
        try store.compact()
        for number in 0..<30 { try put(number, round: 1, in: store) }
        for number in 100..<120 {
            try store.write(durability: .unsynced) { _ = try $0.delete("key \(number)") }
        }
        _ = try store.compactionFigures(sealing: true)
        for number in 0..<2 {
            try put(number, round: 2, in: store)
            try store.checkpoint()
        }
        let segments = try store.compactionFigures(sealing: false).segments.map(\.summary)
        let last = try #require(segments.last)
        let pass = CompactionPass([last], now: 0)
        while !pass.isDone { try pass.step(store) }
        #expect(try store.snapshot().count() == 100)
        try store.close()
        return machine
    }

    /// Puts 300 bytes that follow from the number and the round.
    private func put(_ number: Int, round: Int, in store: Store) throws {
        let value = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ round &* 7) }
        try store.write(durability: .unsynced) { try $0.put(value, forKey: "key \(number)") }
    }

    /// Every put and delete of the default keyspace in the log, copies included.
    private func records(
        _ machine: SimulatedMachine
    ) throws -> [(kind: RecordKind, key: [UInt8], location: Location)] {
        final class Collected: RecoveryVisitor {
            var records: [(kind: RecordKind, key: [UInt8], location: Location)] = []
            func beginTransaction(firstLSN: LSN) {}
            func endTransaction(lastLSN: LSN) {}
            func record(_ record: RecoveredRecord) {
                let kinds: [RecordKind] = [.put, .delete, .move, .tombstoneMove]
                guard record.keyspace == .default, kinds.contains(record.kind) else { return }
                records.append((record.kind, Array(record.key), record.location))
            }
        }
        let manifest = try #require(
            try ManifestFile.read(in: path, fileSystem: machine.environment.fileSystem))
        let opening = StoreOpening(path: path, options: machine.options())
        let log = SegmentLog(
            directory: path, identity: manifest.identity, options: opening.logOptions,
            environment: machine.environment)
        var collected = Collected()
        _ = try log.recover(
            from: nil, durableEvidence: manifest.durableLSN, cleanEnd: nil, visitor: &collected)
        return collected.records
    }

    // What compaction had copied was not compared: a key that the index lost was not missed.
    @Test(
        "in a compacted store too a missing key, an older place and a deleted key are found",
        arguments: [false, true])
    func compactedDisagreement(isCold: Bool) throws {
        let machine = try copied(isCold: isCold)
        let agreeing = try subject(machine) { _ in }
        #expect(agreeing.isInLog && agreeing.staleCount == 0 && agreeing.missing.isEmpty)
        let records = try records(machine)
        func set(_ key: [UInt8], _ location: Location) throws -> LogAgainstIndex.Subject {
            try subject(machine) { writer in
                try key.withUnsafeBytes {
                    _ = try writer.insert($0, value: location.rawValue, in: 1)
                }
            }
        }
        let kept = Array("key 50".utf8)
        let copy = try #require(records.last { $0.key == kept })
        #expect(copy.kind == .move && copy.location.isCompressed == isCold)
        let missing = try subject(machine) { writer in
            try kept.withUnsafeBytes { _ = try writer.remove($0, in: 1) }
        }
        #expect(missing.missing.count == 1)

        // A copy that was replaced, and a copied deletion.
        let replaced = Array("key 10".utf8)
        let older = try #require(records.first { $0.key == replaced })
        #expect(older.kind == .move)
        #expect(try set(replaced, older.location).staleCount > 0)
        let deleted = try #require(records.first { $0.kind == .tombstoneMove })
        let source = try #require(records.first { $0.key == deleted.key })
        #expect(source.kind == .move)
        #expect(try set(deleted.key, source.location).staleCount == 1)
    }

    @Test("a counter of a segment with an absurd number takes no memory for those before it")
    func absurdSegmentNumber() {
        var usage = SegmentUsage()
        usage.add(100, to: SegmentNumber(rawValue: 5))
        usage.add(7, to: SegmentNumber(rawValue: .max))
        usage.add(3, to: SegmentNumber(rawValue: 1))
        usage.add(-2, to: SegmentNumber(rawValue: .max))
        #expect(usage.segments.map(\.number) == [1, 5, .max])
        #expect(usage.segments.map(\.liveByteCount) == [3, 100, 5])
        #expect(usage.liveByteCount == 108)
        #expect(usage.liveByteCount(of: SegmentNumber(rawValue: .max)) == 5)
    }

    @Test("counters of segments that were retired take no memory, however many there were")
    func countersOfRetiredSegments() {
        var usage = SegmentUsage()
        var counts: [UInt32: Int] = [:]
        for number in UInt32(1)...2000 {
            usage.add(64, to: SegmentNumber(rawValue: number))
            counts[number] = 64
            if number > 5 {
                usage.clear(SegmentNumber(rawValue: number - 5))
                counts[number - 5] = nil
            }
            #expect(usage.counterCount <= 16)
        }
        // An older one may get live bytes, and has none in the meantime.
        usage.add(8, to: SegmentNumber(rawValue: 1900))
        usage.add(-8, to: SegmentNumber(rawValue: 1901))
        usage.add(8, to: SegmentNumber(rawValue: 1901))
        counts[1900] = 8
        #expect(usage.segments.map(\.number) == counts.keys.sorted())
        #expect(usage.liveByteCount == Int64(counts.values.reduce(0, +)))
        // Usages are equal that say the same, whatever was dropped.
        var other = SegmentUsage()
        for (number, count) in counts { other.add(count, to: SegmentNumber(rawValue: number)) }
        #expect(other == usage)
        usage.add(1, to: .maximum)
        usage.clear(.maximum)
        #expect(other == usage)
        #expect(usage.counterCount == usage.segments.last.map { Int($0.number) - 1900 + 1 })
    }
}
