import Foundation
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What `Store.statistics` says, against a model of it.
@Suite struct StatisticsTests {
    /// The stored size of a record: header, key, value, padding.
    private func recordByteCount(_ key: [UInt8], _ value: [UInt8]) -> Int {
        (20 + key.count + value.count + 7) / 8 * 8
    }

    @Test("live bytes are those of the newest records, whatever was overwritten or deleted")
    func liveBytes() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let machine = SimulatedMachine(seed: seed)
        var model: [[UInt8]: [UInt8]] = [:]
        for round in 0..<9 {
            var options = machine.options(segmentByteCount: 16 << 10)
            options.checkpointInterval = 20_000
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            // A copy is larger than its source.
            store.pauseCompaction()
            try check(store, model, "opening, round \(round), seed \(seed)")
            for _ in 0..<15 {
                try change(store, &model, &random)
                machine.executor.drain()
                try check(store, model, "round \(round), seed \(seed)")
            }
            if round % 3 == 0 {
                try store.sync()
                machine.crashAndRestart()
            } else {
                try store.close()
            }
        }
    }

    @Test("a reader reports the same log and key figures as the writer, at each commit")
    func ofReaders() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let machine = SimulatedMachine(seed: seed)
        var model: [[UInt8]: [UInt8]] = [:]
        for round in 0..<6 {
            var options = machine.options(segmentByteCount: 16 << 10)
            options.checkpointInterval = 20_000
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            if round % 2 == 0 { store.pauseCompaction() }
            // Opened once at the beginning and followed, or each time anew.
            var reader = try StoreReader.open(at: SimulatedMachine.path, options: options)
            for step in 0..<15 {
                try change(store, &model, &random)
                machine.executor.drain()
                try store.sync()
                if step % 4 == 3 {
                    reader.close()
                    reader = try StoreReader.open(at: SimulatedMachine.path, options: options)
                } else {
                    try reader.refresh()
                }
                let (found, known) = (try reader.statistics, try store.statistics)
                let place: Comment = "round \(round), step \(step), seed \(seed)"
                #expect(found.lastLSN == known.lastLSN && found.durableLSN == known.lastLSN, place)
                #expect(found.keyspaces.map(\.keyCount) == known.keyspaces.map(\.keyCount), place)
                #expect(found.index.keyCount == known.index.keyCount, place)
                #expect(found.liveByteCount == known.liveByteCount, place)
                #expect(found.uuid == known.uuid && found.writes.logByteCount == 0, place)
                #expect(try figures(found.segments) == figures(known.segments), place)
                #expect(
                    try reader.measureSpace().valueByteCount == store.measureSpace().valueByteCount,
                    place)
            }
            reader.close()
            #expect(throws: StoreError.self) { try reader.statistics }
            try store.close()
        }
    }

    /// The figures of the segments that are not retired, which are the same in reader and writer.
    private func figures(_ segments: [StoreStatistics.SegmentStatistics]) throws -> [[UInt64]] {
        segments.filter { !$0.isRetired }.map {
            [
                UInt64($0.number), UInt64($0.liveByteCount), UInt64($0.writtenByteCount),
                $0.firstLSN, $0.lastLSN, $0.isActive ? 1 : 0,
            ]
        }
    }

    /// A transaction of puts and deletes.
    private func change(
        _ store: Store, _ model: inout [[UInt8]: [UInt8]], _ random: inout SeededRandom
    ) throws {
        try store.write(durability: Durability.unsynced) { transaction in
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let key = random.bytes(1) + Array("key".utf8)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try transaction.delete(key)
                    model[key] = nil
                } else {
                    // Above 4 KiB the size is not in the location but in the record.
                    let isLarge = Int.random(in: 0..<20, using: &random) == 0
                    let value = random.bytes(
                        Int.random(in: 0...(isLarge ? 6000 : 300), using: &random))
                    try transaction.put(value, forKey: key)
                    model[key] = value
                }
            }
        }
    }

    private func check(_ store: Store, _ model: [[UInt8]: [UInt8]], _ place: String) throws {
        let statistics = try store.statistics
        let live = model.reduce(0) { $0 + recordByteCount($1.key, $1.value) }
        #expect(statistics.liveByteCount == live, "\(place)")
        #expect(statistics.segments.reduce(0) { $0 + $1.liveByteCount } == live, "\(place)")
        #expect(
            statistics.segments.allSatisfy { $0.liveByteCount <= $0.writtenByteCount }, "\(place)")
        #expect(statistics.index.keyCount == model.count, "\(place)")
        #expect(try store.brokenInvariants() == [], "\(place)")
    }

    /// Options that leave the size of segments to the store.
    private func ownSizes(_ fixture: CompactionFixture) -> StoreOptions {
        var options = fixture.machine.options()
        options.segmentByteCount = nil
        return options
    }

    @Test("segments, keyspaces and counters are reported as they are")
    func figures() throws {
        let directory = TemporaryDirectory()
        var options = StoreOptions()
        options.segmentByteCount = 1 << 20
        let store = try Store.open(at: directory.path("store"), options: options)
        let value = [UInt8](repeating: 5, count: 10_000)
        for number in 0..<250 as Range<UInt64> {
            try store.write(durability: Durability.unsynced) { transaction in
                try transaction.put(value, forKey: number)
                let names = try transaction.keyspace(named: "names")
                try transaction.put("n", forKey: number, in: names)
            }
        }
        try store.sync()
        let statistics = try store.statistics
        #expect(statistics.keyspaces.map(\.name) == ["default", "names"])
        #expect(statistics.keyspaces.map(\.keyCount) == [250, 250])
        #expect(statistics.keyspaces.allSatisfy { !$0.isDerived })
        #expect(statistics.segments.count == 3)
        #expect(statistics.segments.map(\.isActive) == [false, false, true])
        for (left, right) in zip(statistics.segments, statistics.segments.dropFirst()) {
            #expect(left.number < right.number)
            #expect(left.lastLSN + 1 == right.firstLSN)
        }
        #expect(statistics.segments.last?.lastLSN == statistics.lastLSN)
        #expect(statistics.lastLSN == 250)
        #expect(statistics.durableLSN == 250)
        for segment in statistics.segments {
            #expect(segment.writtenByteCount <= 1 << 20)
            #expect(segment.liveByteCount > 400_000)
            #expect(segment.deadByteCount + segment.liveByteCount == segment.writtenByteCount)
        }
        #expect(statistics.commits.count == 250)
        #expect(statistics.syncs.count >= 1)
        #expect(statistics.commits.percentile(0.5) <= statistics.commits.maximumNanoseconds)
        #expect(statistics.allocatedByteCount >= statistics.liveByteCount)
        #expect(statistics.spaceAmplification > 1 && statistics.spaceAmplification < 2)
        #expect(statistics.uuid.count == 36)
        #expect(!statistics.isPoisoned)
        #expect(statistics.index.anonymousBytesPerKey > 0)
        let text = try JSONEncoder().encode(statistics)
        let decoded = try JSONDecoder().decode(StoreStatistics.self, from: text)
        #expect(decoded.lastLSN == statistics.lastLSN)
        try store.close()
    }

    @Test(
        "space is measured in bytes of keys and values, compressed or not",
        arguments: [false, true])
    func measuredSpace(isCold: Bool) throws {
        let machine = SimulatedMachine(seed: 37)
        var store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(try store.measureSpace().amplification == 0)
        if isCold { try store.write { try $0.setCompression(.cold, of: .default) } }
        for round in 0..<3 {
            try store.write { transaction in
                for number in 0..<500 as Range<UInt64> {
                    let value = String(repeating: "\(round)", count: Int(number) % 200)
                    try transaction.put(value, forKey: number)
                }
                let derived = try transaction.keyspace(named: "derived", kind: .derived)
                try [1, 2].withBytes { (key) throws(StoreError) in
                    _ = try transaction.indexPut(key, value: 3, in: derived.identifier)
                }
            }
        }
        try store.compact()
        // What compaction moved is in memory; the checkpoint that closing writes has it in pages.
        try store.close()
        store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let measured = try store.measureSpace()
        let statistics = try store.statistics
        #expect(measured.keyByteCount == 500 * 8)
        #expect(measured.valueByteCount == (0..<500).reduce(0) { $0 + $1 % 200 })
        #expect(
            measured.diskByteCount
                == statistics.allocatedByteCount + statistics.pageFileByteCount)
        #expect(measured.livePageCount > 0 && measured.pageAmplification <= 2)
        #expect(measured.pageCount >= measured.livePageCount)
        let text = try JSONEncoder().encode(measured)
        let decoded = try JSONDecoder().decode(SpaceMeasurement.self, from: text)
        #expect(decoded == measured)
        try store.close()
    }

    @Test("the floor of the space bound is the one that compaction goes by")
    func floor() throws {
        let fixture = CompactionFixture(seed: 11)
        let store = try fixture.open()
        store.pauseCompaction()
        var model = CompactionModel()
        for round in 0..<3 { for number in 0..<60 { try model.put(number, round, store) } }
        for number in 0..<2 {
            try model.put(number, 9, store)
            try store.checkpoint()
        }
        let statistics = try store.statistics
        let figures = try store.compactionFigures(sealing: false)
        #expect(statistics.spaceFloorByteCount == figures.floorByteCount)
        #expect(statistics.spaceFloorByteCount == 4 * CompactionFixture.segmentByteCount)
        let bounded = statistics.boundedSpaceAmplification
        let live = Double(statistics.liveByteCount)
        // The store is beyond a bound exactly where the statistics report it.
        for bound in [bounded - 0.01, bounded + 0.01] {
            let excess = figures.choice(spaceBound: bound).excess
            #expect((excess > 0) == (bound < bounded), "\(bound), \(bounded), live \(live)")
        }
        try store.close()
        let own = try Store.open(at: SimulatedMachine.path, options: ownSizes(fixture))
        #expect(try own.statistics.spaceFloorByteCount == 4 << 20)
        try own.close()
    }

    @Test("open snapshots are reported with their version and age, until they are released")
    func snapshots() throws {
        let machine = SimulatedMachine(seed: 4)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        // The snapshot that the statistics take for themselves is one of them.
        let own = try store.statistics.snapshots.count
        try store.write { try $0.put("1", forKey: "a") }
        var first: Snapshot? = try store.snapshot()
        let version = first?.version
        try store.write { try $0.put("2", forKey: "a") }
        var second: Snapshot? = try store.snapshot()
        let all = try store.statistics.snapshots
        #expect(all.count == own + 2)
        let oldest = try #require(all.first { $0.version == version })
        #expect(oldest.ageNanoseconds > 0)
        #expect(oldest.ageNanoseconds == all.map(\.ageNanoseconds).max())
        withExtendedLifetime((first, second)) {}
        first = nil
        try #expect(store.statistics.snapshots.allSatisfy { $0.version != version })
        second = nil
        try #expect(store.statistics.snapshots.count == own)
        try store.close()
    }
}
