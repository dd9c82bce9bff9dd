import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A segment that has its header and nothing else, because the first batch in it never reached the
/// disk: recovery ends the log in it, a clean close makes that the end, and the next opening takes it
/// up again.
@Suite("Backups of a log that ends in a segment without a batch")
struct BareSegmentBackupTests {
    private static let target = "/backup"
    private let machine = SimulatedMachine(seed: 5)
    private var options: StoreOptions { machine.options(segmentByteCount: 4096) }

    init() throws {
        try leaveUnsynced()
        let path = SimulatedMachine.path + "/" + SegmentNumber(rawValue: 3).fileName
        var bytes = try #require(machine.disk.contents(of: path))
        for offset in SegmentHeader.byteCount..<bytes.count { bytes[offset] = 0 }
        machine.disk.setContents(of: path, bytes)
        try Store.open(at: SimulatedMachine.path, options: options).close()
    }

    /// Four values fill a segment: the ninth is the first batch of the third one. Then the process
    /// ends, before its store could tidy up.
    private func leaveUnsynced() throws {
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        for number in 0..<9 as Range<UInt64> {
            try store.write(durability: .unsynced) {
                try $0.put([UInt8](repeating: UInt8(number), count: 900), forKey: number)
            }
        }
        withExtendedLifetime(store) { machine.restart() }
    }

    // Seed 92000368 of the simulation: the disk was too full for the first batch in the segment, and
    // the backup left it out although the clean end of its log, and its checkpoint, are in it.
    @Test(
        "they hold it, after a transaction that a full disk refused", arguments: [0, 4096, 8192])
    func fullDisk(room: Int) throws {
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        #expect(store.log.end == LogPosition(segment: SegmentNumber(rawValue: 3), offset: 128))
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount + room)
        let error = #expect(throws: StoreError.self) {
            try store.write {
                try $0.put([UInt8](repeating: 9, count: 9000), forKey: "refused")
            }
        }
        #expect(error?.code == .diskFull)
        machine.disk.setQuota(byteCount: .max)
        let expected = try store.records()
        #expect(expected.count == 8)
        for round in 1...2 {
            let report = try store.backup(to: Self.target, options: BackupOptions(method: .copy))
            let found = try StoreBackup.verify(
                path: Self.target, environment: machine.environment)
            #expect(found.findings.isEmpty, "\(round), \(report): \(found.findings)")
        }
        try StoreBackup.restore(
            from: Self.target, to: "/restored", options: BackupOptions(method: .copy),
            environment: machine.environment)
        let restored = try Store.open(at: "/restored", options: options)
        #expect(try restored.records() == expected)
        #expect(restored.openingReport.damagedCheckpoints.isEmpty)
        try restored.close()
        try store.write { try $0.put("later", forKey: "later") }
        try store.close()
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }
}
