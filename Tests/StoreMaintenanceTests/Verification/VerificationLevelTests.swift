import OrderedIndex
import SegmentLog
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// The levels of `fsck`, what each finds, and what `--repair` fixes.
@Suite struct VerificationLevelTests {
    private let path = SimulatedMachine.path

    private func machine(seed: UInt64 = 7) throws -> SimulatedMachine {
        machine(try History.make(seed: seed))
    }

    private func machine(_ history: History) -> SimulatedMachine {
        SimulatedMachine(history.image.files, seed: 1, fileCapacity: 1 << 20)
    }

    private func verify(
        _ machine: SimulatedMachine, _ level: VerificationLevel
    ) throws -> VerificationReport {
        try StoreVerifier.verify(path: path, level: level, environment: machine.environment)
    }

    private func change(
        _ machine: SimulatedMachine, _ suffix: String, at place: (([UInt8]) -> Int)
    ) throws {
        let file = try #require(machine.files.last { $0.name.hasSuffix(suffix) })
        var bytes = file.bytes
        bytes[place(bytes)] ^= 4
        machine.disk.setContents(of: path + "/" + file.name, bytes)
    }

    @Test("a sound store is sound at every level", arguments: VerificationLevel.allCases)
    func sound(level: VerificationLevel) throws {
        let machine = try machine()
        let found = try verify(machine, level)
        #expect(found.findings.isEmpty, "\(found.findings)")
        // Reading the log after a checkpoint says nothing of what is before it.
        #expect(found.isLogWhole == (level != .quick))
        #expect(found.level == level && found.keyCount > 0)
        #expect((found.batchCount > 0) == (level != .quick))
    }

    // `fsck` with few descriptors called the checkpoint of a sound store damaged.
    @Test(
        "a lack of descriptors is thrown, and never called damage",
        arguments: VerificationLevel.allCases)
    func fewDescriptors(level: VerificationLevel) throws {
        var errorCount = 0
        var soundCount = 0
        for spare in 0..<30 {
            let machine = try machine()
            machine.disk.setOpenFileLimit(machine.disk.openFiles + spare)
            do {
                let found = try verify(machine, level)
                #expect(found.isSound, "\(spare) descriptors: \(found.findings)")
                soundCount += 1
            } catch let error as StoreError {
                #expect(error.code == .tooManyOpenFiles, "\(spare) descriptors: \(error)")
                errorCount += 1
            }
        }
        #expect(errorCount > 0 && soundCount > 0)
    }

    @Test(
        "key hashes without their segment, and segments that the log does not lead to, are noted",
        arguments: VerificationLevel.allCases)
    func leftOver(level: VerificationLevel) throws {
        let machine = try machine()
        let zeros = [UInt8](repeating: 0, count: 4096)
        // The last one is a spare, which opening takes.
        let segments = [9998, 9999].map { SegmentNumber(rawValue: $0).fileName }
        for name in segments { machine.disk.setContents(of: path + "/" + name, zeros) }
        let hashes = StoreFiles.keyHashFile(9000)
        machine.disk.setContents(of: path + "/" + hashes, zeros)
        let found = try verify(machine, level)
        #expect(found.isSound)
        let named = found.findings.filter { $0.severity == .note }.compactMap(\.file)
        #expect(Set(named) == [segments[0], hashes], "\(found.findings)")
    }

    @Test("a damaged page is found by reading all bytes, and repaired from the log")
    func damagedPage() throws {
        let machine = try machine()
        let contents = try History.make(seed: 7).image.contents
        // In an index page, not in header or descriptor.
        try change(machine, ".pages") { _ in 4096 + 2048 + 100 }
        let before = machine.files
        try #expect(!verify(machine, .standard).isSound)
        try #expect(!verify(machine, .deep).isSound)
        let report = try StoreRepair.repair(path: path, environment: machine.environment)
        #expect(report.isSound && !report.actions.isEmpty, "\(report)")
        #expect(report.after?.findings.isEmpty == true, "\(String(describing: report.after))")
        let backup = try #require(report.backupPath)
        for file in before where file.name.hasSuffix(".pages") || file.name == "manifest" {
            #expect(machine.disk.contents(of: backup + "/" + file.name) == file.bytes)
        }
        for level in VerificationLevel.allCases { try #expect(verify(machine, level).isSound) }
        let store = try Store.open(at: path, options: machine.options())
        let found = try StoreImage.contents(of: store)
        for (name, records) in contents {
            #expect(found[name]?.map(\.value) == records.map(\.value))
        }
        #expect(store.openingReport.invalidDerivedKeyspaces.count == 1)
        try store.close()
    }

    @Test("while the log or the manifest is damaged, a repair changes nothing")
    func unrepairable() throws {
        for suffix in [".segment", "manifest"] {
            let machine = try machine()
            try change(machine, suffix) { _ in 300 }
            let before = machine.files.map(\.bytes)
            let report = try StoreRepair.repair(path: path, environment: machine.environment)
            #expect(!report.isSound && report.actions.isEmpty && report.backupPath == nil)
            #expect(machine.files.map(\.bytes) == before, "\(suffix)")
        }
    }

    @Test("a repair at the quick level leaves a store alone that only a checkpoint holds")
    func quickRepair() throws {
        let machine = try machine()
        let manifest = try #require(
            try ManifestFile.read(in: path, fileSystem: machine.environment.fileSystem))
        let newest = try #require(manifest.checkpoints.first?.file)
        machine.disk.corrupt(path + "/" + StoreFiles.pageFile(newest), at: 20)
        let oldest = try #require(machine.files.first { $0.name.hasSuffix(".segment") })
        machine.disk.corrupt(path + "/" + oldest.name, at: 300)
        let before = machine.files.map(\.bytes)
        let quick = try verify(machine, .quick)
        #expect(!quick.isSound && !quick.isLogWhole)
        let report = try StoreRepair.repair(
            path: path, level: .quick, environment: machine.environment)
        #expect(report.actions.isEmpty && report.backupPath == nil, "\(report)")
        #expect(machine.files.map(\.bytes) == before)
        let store = try Store.open(at: path, options: machine.options())
        #expect(store.openingSource == .previousCheckpoint)
        try store.close()
    }

    @Test("without its manifest a store is a damaged one, whatever other file is listed first")
    func missingManifest() throws {
        let machine = try machine()
        machine.disk.lose(path + "/manifest")
        machine.disk.setContents(of: path + "/0000000000.keys", [1])
        let error = #expect(throws: StoreError.self) {
            try Store.open(at: path, options: machine.options())
        }
        #expect(error?.code == .damaged)
    }

    @Test("a store that can't look at its readers' pins does not open")
    func unreadablePins() throws {
        var openedCount = 0
        for call in 0..<200 where openedCount < 3 {
            let machine = try machine()
            machine.disk.setFault(.inputOutput, atCall: call)
            let opened = capture { () throws(StoreError) in
                try Store.open(at: path, options: machine.options())
            }
            machine.disk.clearFaults()
            guard case .success(let store) = opened else { continue }
            openedCount += 1
            #expect(store.readers != nil, "call \(call)")
            try store.close()
        }
        #expect(openedCount > 0)
    }

    @Test("wrong counters are counted anew, and derived keyspaces stay as they are")
    func counters() throws {
        let machine = try machine()
        let store = try Store.open(at: path, options: machine.options())
        store.usage.add(1000, to: SegmentNumber(rawValue: 1))
        for _ in 0..<2 { try store.checkpoint() }
        try store.close()
        let before = try verify(machine, .standard)
        #expect(before.isSound && before.countersAreWrong)
        let segments = machine.files.filter { $0.name.hasSuffix(".segment") }
        let report = try StoreRepair.repair(path: path, environment: machine.environment)
        #expect(report.after?.findings.isEmpty == true, "\(report)")
        // The log is not touched: neither written nor compacted.
        let left = machine.files.filter { $0.name.hasSuffix(".segment") }
        #expect(left.map(\.name) == segments.map(\.name))
        #expect(left.map(\.bytes) == segments.map(\.bytes))
        let repaired = try Store.open(at: path, options: machine.options())
        #expect(repaired.openingReport.invalidDerivedKeyspaces.isEmpty)
        try repaired.close()
    }

    @Test("a repair after which the store does not open puts the manifest back")
    func failedRepair() throws {
        var call = 0
        var failureCount = 0
        var isBehindEnd = false
        while !isBehindEnd {
            let machine = try machine()
            try change(machine, ".pages") { _ in 4096 + 2048 + 100 }
            let start = machine.disk.callCount
            machine.disk.setFault(.inputOutput, atCall: call)
            let repaired = capture { () throws(StoreError) in
                try StoreRepair.repair(path: path, environment: machine.environment)
            }
            isBehindEnd = machine.disk.callCount - start <= call
            machine.disk.clearFaults()
            if case .failure = repaired { failureCount += 1 }
            let store = try Store.open(at: path, options: machine.options())
            try store.close()
            call += 7
        }
        #expect(failureCount > 5)
    }

    /// A store of small segments in which a keyspace of records and a derived one were used.
    private func filled(dropping: Bool) throws -> (SimulatedMachine, Store) {
        let machine = SimulatedMachine(seed: 91, fileCapacity: 64 << 10)
        let store = try Store.open(at: path, options: machine.options(segmentByteCount: 4096))
        let rows = try store.write { try $0.keyspace(named: "rows") }
        let derived = try store.write { try $0.keyspace(named: "derived", kind: .derived) }
        for round in 0..<6 {
            for number in 0..<20 {
                let key = Array("key \(number)".utf8)
                try store.write { transaction in
                    try transaction.put(
                        [UInt8](repeating: UInt8(round), count: 100), forKey: key, in: rows)
                    try key.withBytes { (key) throws(StoreError) in
                        _ = try transaction.indexPut(
                            key, value: UInt64(round), in: derived.identifier)
                    }
                }
            }
            try store.checkpoint()
        }
        if dropping { try store.write { try $0.dropKeyspace(rows) } }
        for number in 0..<40 {
            try store.write {
                try $0.put([UInt8](repeating: 1, count: 200), forKey: "other \(number)")
            }
        }
        for _ in 0..<2 { try store.checkpoint() }
        return (machine, store)
    }

    @Test(
        "a compacted store with a derived keyspace, and a dropped one, is sound at every level",
        arguments: [false, true])
    func compacted(dropping: Bool) throws {
        let (machine, store) = try filled(dropping: dropping)
        let report = try store.compact()
        #expect(report.removedSegmentCount > 0, "\(report)")
        try store.close()
        for level in VerificationLevel.allCases {
            let found = try verify(machine, level)
            #expect(found.isSound, "\(level): \(found.findings)")
        }
    }

    @Test("left-over files are removed by a repair, and nothing else is")
    func orphans() throws {
        let machine = try machine()
        machine.disk.setContents(of: path + "/manifest.new", [1, 2, 3])
        machine.disk.setContents(of: path + "/0000000999.pages", [4, 5])
        machine.disk.setContents(of: path + "/notes.txt", [6])
        // A copy of a segment under another name, and a spare, which opening takes.
        let first = try #require(machine.disk.paths.first { $0.hasSuffix(".segment") })
        let copy = SegmentNumber(rawValue: 9998).fileName
        machine.disk.setContents(
            of: path + "/" + copy, try #require(machine.disk.contents(of: first)))
        machine.disk.setContents(
            of: path + "/" + SegmentNumber(rawValue: 9999).fileName,
            [UInt8](repeating: 0, count: 4096))
        try #expect(verify(machine, .quick).isSound)
        let contents = try History.make(seed: 7).image.contents
        let report = try StoreRepair.repair(path: path, environment: machine.environment)
        #expect(report.actions.count == 2, "\(report)")
        // It may be one whose header is damaged, which `recover` reads.
        #expect(machine.disk.paths.contains(path + "/" + copy))
        #expect(!machine.disk.paths.contains(path + "/manifest.new"))
        #expect(!machine.disk.paths.contains(path + "/0000000999.pages"))
        #expect(machine.disk.contents(of: path + "/notes.txt") == [6])
        let backup = try #require(report.backupPath)
        #expect(machine.disk.contents(of: backup + "/0000000999.pages") == [4, 5])
        let left = report.after?.findings.compactMap(\.file) ?? []
        #expect(left.contains("notes.txt") && left.contains(copy), "\(left)")
        let store = try Store.open(at: path, options: machine.options())
        let found = try StoreImage.contents(of: store)
        for (name, records) in contents {
            #expect(found[name]?.map(\.key) == records.map(\.key), "\(name)")
            #expect(found[name]?.map(\.value) == records.map(\.value), "\(name)")
        }
        try store.close()
    }

    @Test("the lock is taken before anything is read, and no lock file appears where no store is")
    func locking() throws {
        let machine = try machine()
        let store = try Store.open(at: path, options: machine.options())
        #expect { try verify(machine, .quick) } throws: {
            ($0 as? StoreError)?.code == .locked
        }
        try store.close()
        _ = capture { () throws(FileSystemError) in
            try machine.environment.fileSystem.createDirectory("/other")
        }
        #expect {
            try StoreVerifier.verify(path: "/other", environment: machine.environment)
        } throws: {
            ($0 as? StoreError)?.code == .notAStore
        }
        #expect(!machine.disk.paths.contains("/other/lock"))
    }

    // MARK: Index against log

    /// Reads a store's log against an index that was changed on purpose.
    private func subject(
        _ machine: SimulatedMachine? = nil, _ change: (IndexWriter) throws -> Void
    ) throws -> LogAgainstIndex.Subject {
        let machine = try machine ?? self.machine()
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
        let machine = try machine()
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

    /// A store in which compaction has copied everything, a part of it was replaced and deleted then,
    /// and a deletion was copied too, because an older segment has the key.
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
