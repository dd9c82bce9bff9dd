import SegmentLog
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What `fsck` says of a damaged log: where the damage is, and what it means.
@Suite struct LogDamageTests {
    private func verify(_ files: [StoreImage.File]) throws -> VerificationReport {
        let machine = SimulatedMachine(files, seed: 1, fileCapacity: 64 << 10)
        return try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
    }

    // "So that the store does not open", of a store that opens.
    @Test("damage before the checkpoint is not said to keep the store from opening")
    func opens() throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let history = try History.make(seed: seed)
            let version = try #require(
                history.versions.first { $0.keyspace > .system && $0.value?.count ?? 0 > 0 })
            var bytes = history.image[version.file]
            bytes[version.range.upperBound - 1] ^= 1
            let files = history.image.files(replacing: version.file, with: bytes)
            let machine = SimulatedMachine(files, seed: 1, fileCapacity: 64 << 10)
            try Store.open(at: SimulatedMachine.path, options: machine.options()).close()
            let errors = try verify(files).findings.filter { $0.severity == .error }
            #expect(!errors.isEmpty, "seed \(seed)")
            for finding in errors {
                #expect(!finding.advice.contains("does not open"), "\(finding), seed \(seed)")
                #expect(!finding.message.contains("Run `travertine fsck`"), "seed \(seed)")
            }
        }
    }

    // The first finding was a segment 0 that is missing and that no store has.
    @Test("one damaged value of a compacted store is not a missing segment")
    func damagedValue() throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let history = try History.makeCompacted(seed: seed)
            for version in history.versions {
                var bytes = history.image[version.file]
                bytes[version.range.upperBound - 1] ^= 1
                let report = try verify(
                    history.image.files(replacing: version.file, with: bytes))
                let place: Comment = "\(version.file) \(version.range), seed \(seed)"
                #expect(!report.isSound, place)
                for finding in report.findings where finding.severity == .error {
                    let name = finding.file.map { String($0.split(separator: "/").last ?? "") }
                    #expect(
                        name == nil || history.image.files.contains { $0.name == name },
                        "\(finding), \(place)")
                }
            }
        }
    }

    @Test("a segment that is missing after retired ones is named")
    func missingSegment() throws {
        let machine = SimulatedMachine(seed: 92, fileCapacity: 64 << 10)
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4096))
        for round in 0..<3 {
            for number in 0..<100 {
                let value = [UInt8](repeating: UInt8(round), count: 100)
                try store.write { try $0.put(value, forKey: "key \(number)") }
            }
            try store.checkpoint()
        }
        // The copies fill several segments; the table that retires the others is in the last.
        try #require(try store.compact().removedSegmentCount > 0)
        try store.close()
        let segments = machine.files.map(\.name).filter { $0.hasSuffix(".segment") }.sorted()
        let first = try #require(segments.first)
        try #require(first != "0000000001.segment" && segments.count >= 3)
        let report = try verify(machine.files.filter { $0.name != first })
        let errors = report.findings.filter { $0.severity == .error }
        #expect(errors.contains { $0.file?.hasSuffix(first) == true }, "\(errors)")
    }
}
