import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What surrounds compressed keyspaces: dumps, salvage, counters of live bytes, memory of a pass.
@Suite struct ColdKeyspaceCareTests {
    private let fixture = CompactionFixture(seed: 62)

    /// A compacted store whose default keyspace is cold.
    private func prepare(_ store: Store) throws -> CompactionModel {
        try store.write { try $0.setCompression(.cold, of: .default) }
        var model = CompactionModel()
        for number in 0..<300 { try model.put(number, 1, store) }
        try store.compact()
        return model
    }

    @Test("a dump of a store whose default keyspace is or was cold loads, and says what is cold")
    func dump() throws {
        let directory = TemporaryDirectory()
        let store = try fixture.open()
        let model = try prepare(store)
        let logs = try store.write { try $0.keyspace(named: "logs", compression: .cold) }
        try store.write { try $0.put("line", forKey: "key", in: logs) }
        for isCold in [true, false] {
            try store.write { try $0.setCompression(isCold ? .cold : .off, of: .default) }
            let place = directory.path("cold \(isCold)")
            var dump: [UInt8] = []
            try store.snapshot().dump { dump.append(contentsOf: $0) }
            var rest = dump[...]
            try Store.load(at: place) { target in
                let piece = rest.prefix(target.count)
                target.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
            let copy = try Store.open(at: place)
            try model.check(copy)
            let snapshot = try copy.snapshot()
            #expect(snapshot.compression(of: .default) == (isCold ? .cold : .off))
            #expect(copy.allKeyspaces == store.allKeyspaces)
            #expect(snapshot.compression(of: logs) == .cold)
            #expect(try snapshot.get("key", in: logs) == Array("line".utf8))
            try copy.close()
        }
        try store.close()
    }

    @Test("salvage keeps the setting of the default keyspace")
    func salvage() throws {
        let store = try fixture.open()
        let model = try prepare(store)
        try store.close()
        _ = try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: "/saved", options: fixture.machine.options())
        let saved = try Store.open(at: "/saved", options: fixture.machine.options())
        #expect(try saved.snapshot().compression(of: .default) == .cold)
        try model.check(saved)
        try saved.close()
    }

    @Test("overwriting what is in an unreadable pack takes no more off a counter than it held")
    func unreadablePacks() throws {
        let store = try fixture.open()
        var model = try prepare(store)
        var cursor = try store.snapshot().access.cursor(in: KeyspaceID.default)
        _ = try cursor.seekToFirst()
        let segment = Location(rawValue: cursor.indexValue).segment
        let before = store.usage.liveByteCount(of: segment)
        #expect(before > 0)
        let path = SimulatedMachine.path + "/" + segment.fileName
        for offset in stride(from: 300, to: CompactionFixture.segmentByteCount, by: 4) {
            fixture.machine.disk.corrupt(path, at: offset)
        }
        store.pauseCompaction()
        for number in 0..<30 { try model.put(number, 2, store) }
        let after = store.usage.liveByteCount(of: segment)
        #expect(after < before)
        #expect(after >= 0)
        try store.close()
    }

    @Test("a replay of copies whose sources are removed looks once for each of their segments")
    func replayOfRemovedSources() throws {
        let model: CompactionModel
        do {
            let store = try fixture.open { $0.checkpointInterval = 1 << 30 }
            model = try prepare(store)
            try store.compact()
        }
        fixture.machine.crashAndRestart()
        let start = fixture.machine.disk.callCount
        let store = try fixture.open()
        let count = fixture.machine.disk.callCount - start
        #expect(count < 200, "\(count) calls")
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    @Test("a pass keeps the keys of packs in memory, and their values only while it copies them")
    func memoryOfPass() throws {
        let store = try fixture.open()
        try store.write { try $0.setCompression(.cold, of: .default) }
        let value = [UInt8](repeating: 9, count: 1000)
        for number in 0..<400 {
            try store.write(durability: Durability.unsynced) {
                try $0.put(value, forKey: CompactionModel.key(number))
            }
        }
        try store.compact()
        var liveRecords = LiveRecords()
        let pin = store.index.pin(note: 0)
        defer { store.index.unpin(pin) }
        for segment in store.log.sealedSegments {
            try liveRecords.add(try store.log.image(of: segment), access: store.readAccess(pin))
        }
        try liveRecords.sort()
        #expect(liveRecords.records.count >= 400)
        #expect(liveRecords.byteCount < 400 * 100)
        let values = LiveRecordValues(liveRecords.images)
        var wholeCount = 0
        for liveRecord in liveRecords.records where liveRecord.location.isCompressed {
            let whole = try values.whole(liveRecord)
            #expect(whole.record.key.elementsEqual(liveRecord.record.key))
            #expect(whole.record.value.elementsEqual(value))
            #expect(whole.record.originalLSN == liveRecord.record.originalLSN)
            wholeCount += 1
        }
        #expect(wholeCount == 400)
        try store.close()
    }
}
