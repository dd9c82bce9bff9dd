import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Salvage of stores in all states: whole, without manifest, shuffled, in one image, with bytes
/// missing, with damaged batches.
@Suite struct SalvageTests {
    static let target = SalvagedStore.target

    func salvage(
        _ files: [StoreImage.File], scan: [StoreImage.File] = [],
        preference: StoreSalvage.Preference = .newest
    ) throws -> SalvagedStore {
        try SalvagedStore(files, scan: scan, preference: preference)
    }

    @Test("a whole store comes back whole, and the report says that it is complete")
    func whole() throws {
        let image = try StoreImage.make(seed: 11)
        let found = try salvage(image.files)
        expectSame(found.contents, image.contents)
        #expect(found.report.isComplete, "\(found.report)")
        #expect(found.report.recordCount == image.contents.values.reduce(0) { $0 + $1.count })
        #expect(found.report.partialTransactionCount == 0 && found.report.strayRecordCount == 0)
    }

    // Without a manifest nothing shows that no segment followed: of that alone the report speaks.
    @Test("the manifest, the checkpoints and the names of files are not needed")
    func segmentsOnly() throws {
        let image = try History.make(seed: 12).image
        let segments = image.files.filter { $0.name.hasSuffix(".segment") }
        try #require(segments.count >= 2)
        expectSame(try salvage(segments).contents, image.contents, "without manifest")
        let renamed = segments.reversed().enumerated().map {
            StoreImage.File(name: "lost \($0.offset)", bytes: $0.element.bytes)
        }
        let found = try salvage(renamed)
        expectSame(found.contents, image.contents, "renamed")
        #expect(found.report.isCompleteUpToEnd && !found.report.isEndKnown, "\(found.report)")
        let manifest = StoreImage.File(name: "lost too", bytes: image["manifest"])
        #expect(try salvage(renamed + [manifest]).report.isComplete)
    }

    @Test("segments are found in an image, in any order, at any place, among other bytes")
    func rawImage() throws {
        let image = try StoreImage.make(seed: 13)
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        var bytes = random.bytes(777)
        for file in image.files.reversed() {
            bytes += file.bytes + random.bytes(Int.random(in: 0..<99, using: &random))
        }
        let found = try salvage([], scan: [StoreImage.File(name: "image", bytes: bytes)])
        expectSame(found.contents, image.contents, "seed \(seed)")
        #expect(found.report.isComplete, "\(found.report), seed \(seed)")
    }

    @Test(
        "bytes missing in the middle cost the records that they were part of, and no more",
        arguments: SampledNumbers.some(8, of: UInt64(1)...30) + [376_792_299, 1_849_787_834])
    func missingBytes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let history = try History.make(seed: seed)
        for _ in 0..<20 {
            let segment = try #require(
                history.image.files.filter { $0.name.hasSuffix(".segment") }
                    .randomElement(using: &random))
            let end = history.endOfContent(segment)
            let start = Int.random(in: 0..<end, using: &random)
            let count = Int.random(in: 1...40, using: &random)
            var bytes = segment.bytes
            bytes.removeSubrange(start..<min(start + count, bytes.count))
            let found = try salvage(history.image.files(replacing: segment.name, with: bytes))
            let kept = history.expectation { name, range in
                name != segment.name || range.upperBound <= start
                    || range.lowerBound >= start + count
            }
            expectSame(
                found.contents, kept, "\(segment.name) \(start) + \(count), seed \(seed)")
            // Only padding may be missing without notice.
            if found.report.isComplete { expectSame(found.contents, history.image.contents) }
        }
    }

    @Test("records of a batch whose header is gone are found and placed")
    func lostBatchHeaders() throws {
        let history = try History.make(seed: 21)
        for batch in history.batches {
            var bytes = history.image[batch.file]
            for place in batch.offset..<batch.offset + 64 { bytes[place] = 0 }
            let found = try salvage(history.image.files(replacing: batch.file, with: bytes))
            expectSame(found.contents, history.image.contents, "batch \(batch)")
            #expect(found.report.strayRecordCount > 0 || batch.recordCount == 0)
            #expect(!found.report.isComplete)
        }
    }

    @Test("a damaged newest version gives the one before, and the report names the key")
    func olderVersion() throws {
        let machine = SimulatedMachine(seed: 31)
        let options = machine.options()
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("the first version", forKey: "key") }
        try store.write { try $0.put("another", forKey: "other") }
        try store.write { try $0.put("the second version", forKey: "key") }
        try store.write { try $0.put("the end", forKey: "last") }
        try store.close()
        let segment = try #require(machine.files.first { $0.name.hasSuffix(".segment") })
        var bytes = segment.bytes
        let place = try #require(bytes.firstRange(of: Array("the second version".utf8)))
        bytes[place.lowerBound] ^= 1
        let files = machine.files.map {
            $0.name == segment.name ? .init(name: $0.name, bytes: bytes) : $0
        }
        let found = try salvage(files)
        #expect(
            found.contents["default"]?.map { String(decoding: $0.value, as: UTF8.self) }
                == ["the first version", "the end", "another"])
        #expect(found.report.gaps.map { [$0.firstLSN, $0.lastLSN] } == [[3, 3]])
        let lost = try #require(found.report.lostVersions.first)
        #expect(found.report.lostVersionCount == 1)
        #expect(lost.key == Array("key".utf8) && lost.lsn == 3 && lost.keptLSN == 1)
        #expect(lost.offset < place.lowerBound && lost.offset > place.lowerBound - 40)

        let prefix = try salvage(files, preference: .consistent)
        #expect(prefix.report.cutLSN == 3)
        #expect(
            prefix.contents["default"]?.map { String(decoding: $0.key, as: UTF8.self) }
                == ["key", "other"])
    }

    // Only keys of damaged records were named: of a segment that is missing, cut off or zeroed
    // nothing was said but its LSNs.
    @Test(
        "keys whose newest version was in a segment that is gone are named by the checkpoint",
        arguments: ["missing", "zeroed", "cut"])
    func lostPlaces(how: String) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let history = try History.make(seed: seed)
            let segments = history.image.files.filter { $0.name.hasSuffix(".segment") }
            let lost = segments[Int(seed) % (segments.count - 1)]
            let start = how == "cut" ? 700 : 0
            let files = history.image.files.compactMap { file -> StoreImage.File? in
                guard file.name == lost.name else { return file }
                switch how {
                case "missing": return nil
                case "cut": return .init(name: file.name, bytes: Array(file.bytes[..<start]))
                default:
                    let zeros = [UInt8](repeating: 0, count: file.bytes.count)
                    return .init(name: file.name, bytes: zeros)
                }
            }
            var newest: [LostKey: History.Version] = [:]
            var kept: [LostKey: History.Version] = [:]
            for version in history.versions where version.keyspace > .system {
                let key = LostKey(keyspace: version.keyspace, key: version.key)
                newest[key] = version
                if version.file != lost.name || version.range.upperBound <= start {
                    kept[key] = version
                }
            }
            // A deleted key is in no checkpoint. One batch may have several versions of a key.
            let expected = newest.filter { key, version in
                version.value != nil
                    && (kept[key]?.file != version.file || kept[key]?.range != version.range)
            }
            let report = try salvage(files).report
            let place: Comment = "\(lost.name) \(how), seed \(seed)"
            #expect(report.namedByCheckpointLSN != nil, place)
            #expect(report.lostVersionCount == report.lostVersions.count, place)
            var named: Set<LostKey> = []
            for version in report.lostVersions {
                let key = LostKey(
                    keyspace: KeyspaceID(rawValue: version.keyspace), key: version.key)
                #expect(named.insert(key).inserted, place)
                // A record that was cut in two has a key that may be wrong.
                if version.lsn != nil { continue }
                let original = try #require(expected[key], place)
                #expect(version.file.hasSuffix(lost.name), place)
                #expect(version.offset == original.range.lowerBound, place)
                #expect(version.keptLSN == kept[key]?.lsn, place)
            }
            #expect(named.isSuperset(of: expected.keys), place)
            let blind = try salvage(files.filter { !$0.name.hasSuffix(".pages") }).report
            #expect(blind.namedByCheckpointLSN == nil, place)
            #expect(blind.gaps.isEmpty || blind.notes.contains { $0.contains("checkpoint") }, place)
        }
    }

    @Test("keyspaces keep identifiers, names and kinds; derived ones are to be rebuilt")
    func keyspaces() throws {
        let machine = SimulatedMachine(seed: 41)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { transaction in
            let dropped = try transaction.keyspace(named: "dropped")
            try transaction.put("v", forKey: "k", in: dropped)
            try transaction.dropKeyspace(dropped)
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            try "d".withBytes { (key) throws(StoreError) in
                _ = try transaction.indexPut(key, value: 1, in: derived.identifier)
            }
            let rows = try transaction.keyspace(named: "rows")
            try transaction.put("row", forKey: "k", in: rows)
        }
        try store.close()
        let report = try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: Self.target,
            options: machine.options(segmentByteCount: 64 << 10))
        #expect(report.keyspaces.map(\.id) == [1, 3, 4])
        for isFallback in [false, true] {
            if isFallback {
                // The newest checkpoint is lost: the one before says the same of derived keyspaces.
                let pages = machine.disk.paths.filter {
                    $0.hasPrefix(Self.target) && $0.hasSuffix(".pages")
                }.sorted()
                machine.disk.lose(try #require(pages.last))
            }
            let salvaged = try Store.open(at: Self.target, options: machine.options())
            #expect(salvaged.allKeyspaces.map(\.name) == ["default", "derived", "rows"])
            #expect(salvaged.openingReport.invalidDerivedKeyspaces == [3])
            try salvaged.write { transaction in
                #expect(transaction.isInvalid(KeyspaceID(rawValue: 3)))
            }
            let rows = try #require(try salvaged.keyspace(named: "rows"))
            try #expect(salvaged.get("k", in: rows) == Array("row".utf8))
            try salvaged.close()
        }
    }

    @Test("rolled-back parts and transactions that never ended stay out")
    func deadTransactions() throws {
        struct Stop: Error {}
        let machine = SimulatedMachine(seed: 51)
        var options = machine.options()
        options.bufferByteCount = 256
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("1", forKey: "a") }
        // Spills several batches, then rolls back: they are dead.
        #expect(throws: Stop.self) {
            try store.write { transaction in
                for number in 0..<20 { try transaction.put("dead", forKey: "dead \(number)") }
                throw Stop()
            }
        }
        try store.write { transaction in
            try transaction.put("2", forKey: "b")
            #expect(throws: Stop.self) {
                try transaction.savepoint {
                    for number in 0..<20 { try transaction.put("void", forKey: "b\(number)") }
                    throw Stop()
                }
            }
            try transaction.put("3", forKey: "c")
        }
        try store.close()
        let found = try salvage(machine.files)
        #expect(
            found.contents["default"]?.map { String(decoding: $0.key, as: UTF8.self) }
                == ["a", "b", "c"])
        #expect(found.report.deadTransactionCount >= 1)
        #expect(found.report.isComplete, "\(found.report)")
    }

    @Test("a move replaces its original, and does not win over a newer version")
    func moves() throws {
        let machine = SimulatedMachine(seed: 71)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { try $0.put("a, first", forKey: "a") }
        try store.write { try $0.put("b, first", forKey: "b") }
        func move(_ key: String, originalLSN: UInt64, from source: UInt64?) throws -> UInt64 {
            try store.write { transaction in
                let current = try key.withBytes { (key) throws(StoreError) in
                    try transaction.location(forKey: key, in: .default)
                }
                let location = Location(rawValue: try #require(source ?? current))
                let moved = try transaction.log.appendMove(
                    of: store.log.reader.record(at: location), kind: .move,
                    originalLSN: LSN(rawValue: originalLSN), sourceLocation: location)
                transaction.isDeleteOnly = false
                if source == nil {
                    try key.withBytes {
                        _ = try transaction.writer.insert($0, value: moved.rawValue, in: 1)
                    }
                }
                return location.rawValue
            }
        }
        _ = try move("b", originalLSN: 2, from: nil)
        let old = try move("a", originalLSN: 1, from: nil)
        try store.write { try $0.put("a, second", forKey: "a") }
        // As if compaction had copied the old version after it was replaced.
        _ = try move("a", originalLSN: 1, from: old)
        try store.close()
        let segment = try #require(machine.files.first { $0.name.hasSuffix(".segment") })
        var bytes = segment.bytes
        let original = try #require(bytes.firstRange(of: Array("b, first".utf8)))
        bytes[original.lowerBound] ^= 1
        let found = try salvage([StoreImage.File(name: segment.name, bytes: bytes)])
        #expect(
            found.contents["default"]?.map { String(decoding: $0.value, as: UTF8.self) }
                == ["a, second", "b, first"])
        #expect(found.report.lostVersionCount == 0)
        #expect(found.report.gaps.map(\.firstLSN) == [2])
    }

    @Test("a target that holds something, an open store, and nothing to read are refused")
    func refusals() throws {
        let image = try StoreImage.make(seed: 61)
        let machine = SimulatedMachine(image.files, seed: 1, fileCapacity: 1 << 20)
        func code(_ body: () throws -> Void) -> StoreError.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        func recover(_ directory: String, to target: String, uuid: String? = nil) throws {
            _ = try StoreSalvage.recover(
                directory: directory, to: target, storeUUID: uuid, options: machine.options())
        }
        let path = SimulatedMachine.path
        #expect(code { try recover(path, to: path) } == .misuse)
        #expect(code { try recover("/nowhere", to: Self.target) } == .notFound)
        #expect(code { try recover(path, to: Self.target, uuid: "no uuid") } == .misuse)
        let store = try Store.open(at: path, options: machine.options())
        #expect(code { try recover(path, to: Self.target) } == .locked)
        try store.close()
        #expect(code { try recover(path, to: Self.target) } == nil)
    }
}
