import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Keyspaces whose values compaction compresses or packs (P27): every way to the values gives them
/// back, and whatever is done to them at the same time counts.
@Suite struct ColdKeyspaceTests {
    private let fixture = CompactionFixture(seed: 61)

    private func setCold(
        _ store: Store, _ compression: KeyspaceCompression = .cold
    ) throws {
        try store.write { try $0.setCompression(compression, of: .default) }
    }

    /// A compacted store whose default keyspace is cold, or packed.
    private func prepare(
        _ store: Store, _ numbers: Range<Int> = 0..<300,
        _ compression: KeyspaceCompression = .cold
    ) throws -> CompactionModel {
        try setCold(store, compression)
        var model = CompactionModel()
        for number in numbers { try model.put(number, 1, store) }
        try store.compact()
        return model
    }

    /// The keys of the default keyspace whose values are compressed, or packed.
    private func compressedCount(_ store: Store) throws -> Int {
        let snapshot = try store.snapshot()
        var cursor = snapshot.access.cursor(in: KeyspaceID.default)
        var count = 0
        var isValid = try cursor.seekToFirst()
        while isValid {
            if Location(rawValue: cursor.indexValue).isCompressed { count += 1 }
            isValid = try cursor.next()
        }
        return count
    }

    @Test("compaction compresses a cold keyspace and no other, and fresh writes stay as they are")
    func whatIsCompressed() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        try setCold(store)
        for number in 0..<300 { try model.put(number, 1, store) }
        #expect(try compressedCount(store) == 0)
        let before = try store.statistics.liveByteCount
        let other = try store.write { transaction in
            let other = try transaction.keyspace(named: "other")
            for number in 0..<50 {
                try transaction.put(
                    CompactionModel.value(number, 1), forKey: CompactionModel.key(number), in: other
                )
            }
            return other
        }
        let report = try store.compact()
        #expect(try compressedCount(store) == 300)
        #expect(report.writtenByteCount < report.movedByteCount / 2)
        let statistics = try store.statistics
        #expect(statistics.liveByteCount < before / 2)
        #expect(statistics.keyspaces.map(\.compression) == [.cold, .off])
        let snapshot = try store.snapshot()
        var cursor = snapshot.access.cursor(in: other.identifier)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let isCompressed = Location(rawValue: cursor.indexValue).isCompressed
            #expect(!isCompressed)
            isValid = try cursor.next()
        }
        try model.put(7, 2, store)
        #expect(try compressedCount(store) == 299)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    @Test(
        "get, withValue, cursors, forEach, transactions and readers see the values",
        arguments: [
            ReadMode.mapped, .verified,
        ], [KeyspaceCompression.cold, .packed])
    func everyWayToRead(mode: ReadMode, compression: KeyspaceCompression) throws {
        var store = try fixture.open()
        let model = try prepare(store, 0..<300, compression)
        try store.close()
        store = try fixture.open { $0.readMode = mode }
        #expect(try compressedCount(store) == 300)
        try model.check(store)
        let snapshot = try store.snapshot()
        let keys = (0..<300).map { CompactionModel.key($0) }
        for number in stride(from: 0, to: 290, by: 7) {
            // One value stays whole while others are read inside.
            let isWhole = try snapshot.withValue(forKey: keys[number]) { outer in
                let first = outer.withUnsafeBytes { [UInt8]($0) }
                let inner = try snapshot.withValue(forKey: keys[number + 9]) { inner in
                    let third = try snapshot.get(keys[number + 3])
                    #expect(third == CompactionModel.value(number + 3, 1))
                    return inner.withUnsafeBytes { [UInt8]($0) }
                }
                #expect(inner == CompactionModel.value(number + 9, 1))
                return outer.withUnsafeBytes { [UInt8]($0) } == first
                    && first == CompactionModel.value(number, 1)
            }
            #expect(isWhole == true)
            let newest = try store.withValue(forKey: keys[number]) { value in
                value.withUnsafeBytes { [UInt8]($0) }
            }
            #expect(newest == CompactionModel.value(number, 1))
        }
        let cursor = snapshot.cursor()
        var isValid = try cursor.seekToLast()
        var number = 299
        while isValid {
            #expect(try cursor.value == CompactionModel.value(number, 1))
            try cursor.withValue(options: .verified) { value in
                let other = try snapshot.get(keys[(number + 100) % 300])
                #expect(other == CompactionModel.value((number + 100) % 300, 1))
                let bytes = value.withUnsafeBytes { [UInt8]($0) }
                #expect(bytes == CompactionModel.value(number, 1))
            }
            number -= 1
            isValid = try cursor.previous()
        }
        #expect(number == -1)
        var count = 0
        try snapshot.forEach(options: .verified) { _, value in
            _ = try snapshot.get(keys[(count + 50) % 300])
            let bytes = value.withUnsafeBytes { [UInt8]($0) }
            #expect(bytes == CompactionModel.value(count, 1))
            count += 1
            return true
        }
        #expect(count == 300)
        try store.write { transaction in
            #expect(try transaction.get(keys[5]) == CompactionModel.value(5, 1))
            try transaction.put("new", forKey: keys[5])
            let found = try transaction.withValue(forKey: keys[6]) { value in
                value.withUnsafeBytes { [UInt8]($0) }
            }
            #expect(found == CompactionModel.value(6, 1))
        }
        let reader = try StoreReader.open(
            at: SimulatedMachine.path, options: fixture.machine.options(mode))
        #expect(try reader.snapshot().get(keys[8]) == CompactionModel.value(8, 1))
        reader.close()
        try store.close()
    }

    @Test(
        "overwritten and deleted values of packs are dead, and the counters stay right",
        arguments: [KeyspaceCompression.cold, .packed])
    func deadEntries(compression: KeyspaceCompression) throws {
        var store = try fixture.open()
        var model = try prepare(store, 0..<300, compression)
        for number in stride(from: 0, to: 300, by: 3) { try model.put(number, 2, store) }
        for number in stride(from: 1, to: 300, by: 3) { try model.delete(number, store) }
        try model.check(store)
        try store.close()
        try fixture.verify(model)
        store = try fixture.open()
        try store.compact()
        #expect(try compressedCount(store) == 200)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    @Test(
        "what is overwritten while a pass is under way is not brought back by a pack",
        arguments: [KeyspaceCompression.cold, .packed])
    func overwrittenMeanwhile(compression: KeyspaceCompression) throws {
        let store = try fixture.open { $0.spaceBound = 1.1 }
        store.pauseCompaction()
        try setCold(store, compression)
        var model = CompactionModel()
        for number in 0..<600 {
            try model.put(number % 20, number, store)
            if number % 3 == 0 { try model.put(1000 + number, 0, store) }
        }
        fixture.machine.executor.drain()
        try store.checkpoint()
        store.resumeCompaction()
        // Between any two steps some keys change.
        var step = 0
        while step < 400, fixture.machine.executor.runNext() {
            try model.put(1000 + step * 21 % 600, 100 + step, store)
            if step % 3 == 0 { try model.delete(1000 + step * 33 % 600, store) }
            step += 1
        }
        #expect(try store.statistics.compaction.passCount > 0)
        #expect(try compressedCount(store) > 0)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    @Test("a keyspace that is no longer cold is decompressed by the next pass")
    func switchedOff() throws {
        var store = try fixture.open()
        let model = try prepare(store)
        let other = [UInt8](repeating: 5, count: 100_000)
        try store.write { try $0.put(other, forKey: "large") }
        try store.compact()
        #expect(try compressedCount(store) == 301)
        try store.close()
        store = try fixture.open()
        #expect(try store.snapshot().compression(of: .default) == .cold)
        try setCold(store, .off)
        try store.compact()
        #expect(try compressedCount(store) == 0)
        #expect(try store.snapshot().get("large") == other)
        try store.write { _ = try $0.delete("large") }
        try store.close()
        try fixture.verify(model)
    }

    @Test("packing puts values into one record, where they stay as they are, and can be taken back")
    func packing() throws {
        var store = try fixture.open()
        var model = try prepare(store, 0..<300, .packed)
        let long = [UInt8](repeating: 5, count: 100_000)
        try store.write { try $0.put(long, forKey: "large") }
        try store.compact()
        #expect(try compressedCount(store) == 300)
        let statistics = try store.statistics
        #expect(statistics.keyspaces.map(\.compression) == [.packed])
        // 300 bytes of value, 2 for its end, less than 12 for key, LSN, source, and a share of 44.
        #expect(statistics.liveByteCount - 100_032 < 300 * (300 + 2 + 12 + 8))
        let snapshot = try store.snapshot()
        // In place: reads give the same bytes, not copies of them in the thread's buffer.
        func address(verified: Bool) throws -> UnsafeRawPointer? {
            try CompactionModel.key(7).withBytes { (key) throws(StoreError) in
                try snapshot.access.valueInPlace(
                    forKey: key, in: KeyspaceID.default, verified: verified)?.baseAddress
            }
        }
        let first = try address(verified: false)
        let second = try address(verified: true)
        #expect(first != nil)
        #expect(first == second)
        try setCold(store, .cold)
        for number in 0..<300 { try model.put(number, 2, store) }
        try store.compact()
        #expect(try compressedCount(store) == 301)
        try setCold(store, .packed)
        try store.compact()
        #expect(try compressedCount(store) == 300)
        #expect(try store.snapshot().get("large") == long)
        try store.write { _ = try $0.delete("large") }
        try model.check(store)
        try setCold(store, .off)
        try store.compact()
        #expect(try compressedCount(store) == 0)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
        store = try fixture.open()
        try model.check(store)
        try store.close()
    }

    @Test("long values are compressed alone, and what can't be compressed stays as it is")
    func longAndRandomValues() throws {
        let store = try fixture.open()
        try setCold(store)
        var random = SeededRandom(seed: 3)
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
        let values: [String: [UInt8]] = [
            "long": long, "random": random.bytes(50_000), "short": random.bytes(300), "empty": [],
        ]
        try store.write { transaction in
            for (key, value) in values { try transaction.put(value, forKey: key) }
        }
        for _ in 0..<2 {
            try store.compact()
            #expect(try compressedCount(store) == 1)
            let snapshot = try store.snapshot()
            for (key, value) in values { #expect(try snapshot.get(key) == value) }
        }
        try store.close()
        let found = try StoreVerifier.verify(
            path: SimulatedMachine.path, level: .deep, environment: fixture.machine.environment)
        #expect(found.isSound, "\(found.findings)")
    }

    @Test("the manifest shows old programs that values are compressed, and only then")
    func formatVersion() throws {
        func version() -> UInt8? { fixture.machine.disk.contents(of: "/store/manifest")?[8] }
        var store = try fixture.open()
        try store.write { try $0.put("value", forKey: "key") }
        try store.close()
        #expect(version() == 2)
        store = try fixture.open()
        try setCold(store)
        #expect(version() == 3)
        try setCold(store, .off)
        try store.close()
        #expect(version() == 3)
        store = try fixture.open()
        try setCold(store, .packed)
        #expect(version() == 4)
        try store.close()
        store = try fixture.open()
        try setCold(store, .off)
        try store.close()
        #expect(version() == 4)
    }

    // The last segment of a full pass was sealed when everything was durable. No sync followed before
    // closing, and only syncs gave back what a sealed segment did not use.
    @Test("closing after a full pass gives back what the last segment does not use")
    func unusedEnd() throws {
        var options = fixture.machine.options(segmentByteCount: 1 << 20)
        options.checkpointInterval = 1 << 30
        var store = try Store.open(at: SimulatedMachine.path, options: options)
        _ = try prepare(store)
        try store.close()
        store = try Store.open(at: SimulatedMachine.path, options: options)
        for segment in try store.statistics.segments {
            #expect(segment.allocatedByteCount - segment.writtenByteCount < 64 << 10)
        }
        try store.close()
    }

    @Test("rows of objects can be packed, and not compressed")
    func objectRows() throws {
        let store = try fixture.open()
        for name in ["travertine.schema", "type.1.rows"] {
            try store.write { transaction in
                let keyspace = try transaction.keyspace(named: name)
                let error = #expect(throws: StoreError.self) {
                    try transaction.setCompression(.cold, of: keyspace)
                }
                #expect(error?.code == .misuse)
                try transaction.setCompression(.packed, of: keyspace)
            }
        }
        try store.close()
    }

    @Test("the setting follows rollbacks and survives the loss of a checkpoint")
    func setting() throws {
        var store = try fixture.open()
        let named = try store.write { transaction in
            try transaction.keyspace(named: "logs", compression: .cold)
        }
        let transaction = try store.beginWrite()
        try transaction.setCompression(.off, of: named)
        #expect(try transaction.compression(of: named) == .off)
        transaction.rollback()
        #expect(try store.snapshot().compression(of: named) == .cold)
        try store.close()
        fixture.loseCheckpoints()
        store = try fixture.open()
        #expect(store.openingSource != .newestCheckpoint)
        #expect(try store.snapshot().compression(of: named) == .cold)
        #expect(try store.snapshot().compression(of: .default) == .off)
        try store.close()
    }

    @Test(
        "salvage gets values of packs out of a store without manifest and checkpoints",
        arguments: [KeyspaceCompression.cold, .packed])
    func salvage(compression: KeyspaceCompression) throws {
        let store = try fixture.open()
        let model = try prepare(store, 0..<300, compression)
        try store.close()
        for path in fixture.machine.disk.paths where !path.hasSuffix(".segment") {
            if path.hasPrefix(SimulatedMachine.path + "/") { fixture.machine.disk.lose(path) }
        }
        let report = try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: "/saved", options: fixture.machine.options())
        #expect(report.recordCount >= 300)
        let saved = try Store.open(at: "/saved", options: fixture.machine.options())
        try model.check(saved)
        #expect(try saved.snapshot().compression(of: .default) == compression)
        try saved.close()
    }

    @Test(
        "a damaged byte anywhere in the log is an error or no loss, and never a trap",
        arguments: [KeyspaceCompression.cold, .packed])
    func damage(compression: KeyspaceCompression) throws {
        let small = CompactionFixture(seed: 5)
        let store = try small.open()
        try setCold(store, compression)
        var model = CompactionModel()
        for number in 0..<12 { try model.put(number, 1, store) }
        try store.compact()
        #expect(try compressedCount(store) == 12)
        try store.close()
        let files = small.machine.files
        var damagedCount = 0
        var openedCount = 0
        let segments = files.filter { $0.name.hasSuffix(".segment") }
        for segment in segments {
            let end = (segment.bytes.lastIndex { $0 != 0 } ?? 0) + 1
            for offset in stride(from: 128, to: end, by: 5) {
                var bytes = segment.bytes
                bytes[offset] ^= 0x41
                let changed = files.map { file in
                    file.name == segment.name
                        ? StoreImage.File(name: file.name, bytes: bytes) : file
                }
                let machine = SimulatedMachine(changed, seed: 1, fileCapacity: 1 << 20)
                let damaged: Store
                do throws(StoreError) {
                    damaged = try Store.open(at: SimulatedMachine.path, options: machine.options())
                } catch {
                    #expect(error.code == .damaged, "offset \(offset): \(error)")
                    damagedCount += 1
                    continue
                }
                openedCount += 1
                let snapshot = try damaged.snapshot()
                for number in 0..<12 {
                    let key = CompactionModel.key(number)
                    _ = try? snapshot.withValue(forKey: key) { $0.byteCount }
                    do throws(StoreError) {
                        let value = try snapshot.get(key)
                        #expect(value == CompactionModel.value(number, 1), "offset \(offset)")
                    } catch {
                        #expect(error.code == .damaged, "offset \(offset): \(error)")
                        damagedCount += 1
                    }
                }
                try? damaged.close()
            }
        }
        #expect(damagedCount > 0 && openedCount > 0)
    }
}
