import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// The end of the log, and which store it is: what salvage believes when it has no manifest, or one
/// that does not fit.
@Suite struct SalvageEndTests {
    // Without a manifest the last segment that was found was taken for the end of the log: "nothing
    // is lost", though page files beside it showed later commits.
    @Test("without a manifest page files show how far the log went, and which keys are gone")
    func lostEnd() throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let history = try History.make(seed: seed)
            let lost = try #require(
                history.image.files.filter { $0.name.hasSuffix(".segment") }.last?.name)
            let files = history.image.files.filter { $0.name != "manifest" && $0.name != lost }
            let found = try SalvagedStore(files)
            let kept = history.expectation { name, _ in name != lost }
            expectSame(found.contents, kept, "seed \(seed)")
            let last = history.versions.map(\.lsn).max()
            #expect(found.report.gaps.last?.lastLSN ?? 0 >= last ?? .max, "seed \(seed)")
            #expect(!found.report.isComplete && !found.report.isCompleteUpToEnd, "seed \(seed)")
            #expect(found.report.namedByCheckpointLSN != nil, "seed \(seed)")
            let gone = history.image.contents.flatMap { name, records in
                records.filter { record in
                    !(kept[name] ?? []).contains { $0 == record }
                }.map(\.key)
            }
            #expect(Set(found.report.lostVersions.map(\.key)).isSuperset(of: gone), "seed \(seed)")

            let segments = files.filter { $0.name.hasSuffix(".segment") }
            let blind = try SalvagedStore(segments).report
            #expect(!blind.isEndKnown && !blind.isComplete, "seed \(seed)")
            #expect(blind.notes.contains { $0.contains("manifest") }, "\(blind.notes)")
        }
    }

    // The last transaction was then dropped as one "that was never committed".
    @Test("a last transaction that was found in part counts like every other, without a manifest")
    func openTail() throws {
        let machine = SimulatedMachine(seed: 54, fileCapacity: 64 << 10)
        var options = machine.options(segmentByteCount: 4096)
        options.bufferByteCount = 256
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("kept", forKey: "a") }
        let value = [UInt8](repeating: 1, count: 200)
        try store.write { transaction in
            for number in 0..<40 { try transaction.put(value, forKey: "key \(number)") }
        }
        try store.close()
        let segments = machine.files.filter { $0.name.hasSuffix(".segment") }
        try #require(segments.count >= 3)
        let newest = try SalvagedStore(Array(segments.prefix(2)))
        #expect(newest.contents["default"]?.count ?? 0 > 20)
        #expect(newest.report.partialTransactionCount == 1)
        #expect(newest.report.deadTransactionCount == 0 && !newest.report.isComplete)
        let prefix = try SalvagedStore(Array(segments.prefix(2)), preference: .consistent)
        #expect(prefix.contents["default"]?.map(\.key) == [Array("a".utf8)])
        #expect(prefix.report.cutLSN != nil && !prefix.report.isComplete)
    }

    // An intact store whose manifest was replaced by that of another was "nothing of a store".
    @Test("a manifest of another store is not believed where segments say something else")
    func foreignManifest() throws {
        let image = try StoreImage.make(seed: 14)
        let other = try StoreImage.make(seed: 15)
        let found = try SalvagedStore(
            image.files(replacing: "manifest", with: other["manifest"]))
        expectSame(found.contents, image.contents)
        #expect(found.report.notes.contains { $0.contains("manifest in the directory is that") })
        #expect(found.report.isCompleteUpToEnd && !found.report.isEndKnown, "\(found.report)")
        let uuid = try #require(found.report.storeUUID)
        let error = #expect(throws: StoreError.self) {
            _ = try SalvagedStore(
                image.files, storeUUID: "00000000-0000-4000-8000-000000000001")
        }
        #expect(
            error?.code == .notAStore && error?.message.contains(uuid) == true, "\(error as Any)")
    }

    @Test("what another store calls durable is not missing in this one")
    func foreignEvidence() throws {
        let image = try StoreImage.make(seed: 16)
        let other = try History.make(seed: 17).image
        let uuid = try SalvagedStore(image.files).report.storeUUID
        let bytes = other.files.flatMap(\.bytes)
        let found = try SalvagedStore(
            image.files, scan: [StoreImage.File(name: "image", bytes: bytes)], storeUUID: uuid)
        expectSame(found.contents, image.contents)
        #expect(found.report.isComplete, "\(found.report)")
    }

    // A store that was open for 30 s has such a file, and a backup has its list.
    @Test("files that are not of the log are no loss")
    func otherFiles() throws {
        let image = try StoreImage.make(seed: 18)
        var random = SeededRandom(seed: 18)
        let others = ["scrub", "building", "backup", "backup.new", "backup.unfinished"].map {
            StoreImage.File(name: $0, bytes: random.bytes(700))
        }
        let found = try SalvagedStore(image.files + others)
        expectSame(found.contents, image.contents)
        #expect(found.report.isComplete, "\(found.report)")
        let unknown = StoreImage.File(name: "other", bytes: random.bytes(700))
        #expect(try SalvagedStore(image.files + [unknown]).report.skipped.count == 1)
    }
}
