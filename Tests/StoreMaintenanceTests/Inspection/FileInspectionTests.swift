import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Files of a store in readable form, whole and damaged.
@Suite struct FileInspectionTests {
    private let history: History
    private let machine: SimulatedMachine

    init() throws {
        history = try History.make(seed: 17)
        machine = SimulatedMachine(history.image.files, seed: 1, fileCapacity: 64 << 10)
    }

    private func inspect(
        _ name: String, _ selection: FileInspection.Selection = .overview(limit: 1000)
    ) throws -> FileInspection {
        try FileInspector.inspect(
            path: SimulatedMachine.path + "/" + name, selection, environment: machine.environment)
    }

    private func value(_ part: FileInspection.Part?, _ name: String) -> String? {
        part?.fields.first { $0.name == name }?.value
    }

    @Test("a manifest shows its fields")
    func manifest() throws {
        let found = try inspect("manifest")
        let part = try #require(found.parts.first)
        #expect(found.kind == .manifest && found.parts.count == 1 && part.problem == nil)
        #expect(value(part, "flags") == "1: closed cleanly")
        #expect(value(part, "newest checkpoint: state") == "2: a page file")
        let manifest = try #require(
            try ManifestFile.read(
                in: SimulatedMachine.path, fileSystem: machine.environment.fileSystem))
        #expect(value(part, "durable LSN") == "\(manifest.durableLSN)")
        #expect(value(part, "store UUID") == manifest.identity.text)
        #expect(!part.fields.contains { $0.name == "should be zero" })
    }

    @Test("a manifest shows where the retirement table lies")
    func retirement() throws {
        let fileSystem = machine.environment.fileSystem
        var manifest = try #require(
            try ManifestFile.read(in: SimulatedMachine.path, fileSystem: fileSystem))
        let before = try inspect("manifest")
        #expect(value(before.parts.first, "retirement table: location") == "0: none")
        manifest.retirement = Location(
            segment: SegmentNumber(rawValue: 7), offset: 4096, byteCount: 100)
        try ManifestFile.replace(manifest, in: SimulatedMachine.path, fileSystem: fileSystem)
        let after = try inspect("manifest")
        let part = try #require(after.parts.first)
        #expect(value(part, "retirement table: location") == "segment 7, offset 4096")
        #expect(!part.fields.contains { $0.name == "should be zero" })
    }

    @Test("a retirement table shows its stretches")
    func retirementTable() throws {
        let path = SimulatedMachine.path
        let store = try Store.open(at: path, options: machine.options(segmentByteCount: 4096))
        store.log.seal()
        let first = try #require(store.log.sealedSegments.first)
        try store.write { try $0.put("value", forKey: "key") }
        let hasRetired = try store.retire([(first, RetirementTable.Continuation())]) != nil
        #expect(hasRetired)
        let location = try #require(store.log.retirementLocation)
        let found = try inspect(location.segment.fileName, .offset(location.offset))
        let part = try #require(found.parts.last)
        #expect(value(part, "stretch 0: last segment") == "\(first.number)")
        #expect(value(part, "stretch 0: last LSN") == "\(first.lastLSN)")
        #expect(value(part, "stretch 0: open transaction") == "0: ended")
        try store.close()
    }

    @Test("a segment shows its header and every batch; a batch shows its records")
    func segments() throws {
        for file in history.image.files where file.name.hasSuffix(".segment") {
            let found = try inspect(file.name)
            let batches = history.batches.filter { $0.file == file.name }
            #expect(found.kind == .segment)
            #expect(found.parts.map(\.offset) == [0] + batches.map(\.offset))
            #expect(found.parts.allSatisfy { $0.problem == nil })
            #expect(
                try inspect(file.name, .overview(limit: 2)).omittedPartCount
                    == max(0, batches.count - 2))
        }
        for version in history.versions where version.keyspace == .default {
            let batch = try inspect(version.file, .lsn(version.lsn))
            let record = try #require(batch.parts.first { $0.offset == version.range.lowerBound })
            let key = String(decoding: version.key, as: UTF8.self)
            #expect(value(record, "key") == "“\(key)”")
            #expect(value(record, "kind") == (version.value == nil ? "2: delete" : "1: put"))
            let last = try inspect(version.file, .offset(version.range.upperBound - 1))
            #expect(last.parts.last == record)
            #expect(record.bytes.starts(with: history.image[version.file][version.range]))
        }
    }

    @Test("a page file shows header and descriptor, and a page at its offset")
    func pages() throws {
        for file in history.image.files where file.name.hasSuffix(".pages") {
            let found = try inspect(file.name)
            #expect(found.kind == .pageFile && found.parts.count == 2, "\(found.parts)")
            #expect(found.parts.allSatisfy { $0.problem == nil })
            #expect(value(found.parts[1], "keyspace 1: flags") == "0")
            let page = try inspect(file.name, .offset(4096))
            #expect(page.parts.map(\.title) == ["index page 0"])
            #expect(page.parts.first?.problem == nil)
        }
    }

    @Test("damage is shown where it is, and whatever the bytes are nothing traps")
    func damage() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        for file in history.image.files where file.name != "lock" {
            for _ in 0..<60 {
                let end = (file.bytes.lastIndex { $0 != 0 } ?? 0) + 1
                let place = Int.random(in: 0..<end, using: &random)
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, bytes)
                let found = try inspect(file.name)
                let isPadding = bytes[place...].prefix(8 - place % 8).dropFirst()
                    .allSatisfy { $0 == 0 }
                #expect(
                    found.parts.contains { $0.problem != nil } || found.kind == .other || isPadding,
                    "\(file.name) at \(place), seed \(seed)")
                for offset in [place, 4096, file.bytes.count - 1] {
                    _ = try? inspect(file.name, .offset(offset))
                }
            }
            for _ in 0..<60 {
                var bytes = Array(file.bytes.prefix(8))
                bytes += random.bytes(Int.random(in: 0..<9000, using: &random))
                machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, bytes)
                #expect(try inspect(file.name).parts.contains { $0.problem != nil })
                _ = try? inspect(file.name, .offset(4096))
                _ = try? inspect(file.name, .lsn(1))
            }
        }
    }

    @Test("key hashes and the list of a backup show their fields, and damage")
    func lists() throws {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.backup(to: "/backup")
        let segment = try #require(store.log.segments.first)
        let hashes = try #require(store.keyHashes(of: segment))
        try store.close()
        let name = StoreFiles.keyHashFile(segment.number.rawValue)
        let keys = try inspect(name)
        #expect(keys.kind == .keyHashes && keys.parts.first?.problem == nil)
        #expect(value(keys.parts.first, "segment") == "\(segment.number)")
        #expect(value(keys.parts.first, "hashes") == "\(hashes.hashes.count)")
        let list = try FileInspector.inspect(
            path: "/backup/backup", .overview(limit: 10), environment: machine.environment)
        #expect(list.kind == .backup && list.parts.count == 2)
        #expect(list.parts.allSatisfy { $0.problem == nil }, "\(list.parts)")
        #expect(value(list.parts.first, "file 0: kind") == "0: segment")
        machine.disk.corrupt(SimulatedMachine.path + "/" + name, at: 70)
        #expect(try inspect(name).parts.first?.problem == "its checksum does not match")
    }
}
