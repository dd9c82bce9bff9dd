import Foundation
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Stores of an image and the log that a later one has (B10).
@Suite("Rolling forward from an image")
struct RollForwardTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path("store") }

    private func open() throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.bufferByteCount = 8 << 10
        return try Store.open(at: path, options: options)
    }

    private typealias Carried = [(file: BackupImage.File, bytes: [UInt8])]

    private func take(_ source: BackupSource) throws -> (image: BackupImage, files: Carried) {
        let image = try source.take()
        let files = try image.files.map { file in
            (file, try source.open(file).bytes(0..<file.byteCount))
        }
        try source.release()
        return (image, files)
    }

    /// The files of the earlier image, and the log of the later one.
    private func begin(
        _ earlier: (image: BackupImage, files: Carried),
        _ later: (image: BackupImage, files: Carried), skipping skipped: UInt32? = nil
    ) throws -> StoreAssembly {
        let assembly = try StoreAssembly(at: directory.path("copy\(UUID().uuidString)"))
        let growing = try #require(earlier.image.growingFile)
        let log = later.files.filter { $0.file.isSegment && $0.file.name >= growing }
        let names = Set(log.map(\.file.name))
        let files = earlier.files.filter { !names.contains($0.file.name) } + log
        for (file, bytes) in files where file.number != skipped || !file.isSegment {
            let target = try assembly.makeFile(file)
            try target.write(bytes, at: 0)
            try target.sync()
        }
        var image = earlier.image
        image.files = files.map(\.file)
        #expect(try assembly.canRead(image))
        #expect(try assembly.setManifest(image))
        return assembly
    }

    /// What the store holds that is rolled forward to an LSN, which must be sound.
    private func rolled(
        _ assembly: StoreAssembly, through lsn: UInt64, toward later: BackupImage
    ) throws -> (lsn: UInt64, records: [[UInt8]: [UInt8]]) {
        let reached = try assembly.rollForward(through: lsn, toward: later)
        let verified = try assembly.verify()
        #expect(verified.findings.isEmpty, "\(verified.findings)")
        let copy = String(assembly.directory.dropLast(".restoring".count))
        try assembly.finish()
        let store = try Store.open(at: copy)
        #expect(store.openingReport.ignoredTail == nil)
        #expect(store.openingReport.damagedCheckpoints.isEmpty)
        let records = try store.records()
        try store.write { try $0.put("more", forKey: "more") }
        try store.compact()
        try store.close()
        let report = try StoreVerifier.verify(path: copy, level: .deep)
        #expect(report.findings.isEmpty, "\(report.findings)")
        return (reached, records)
    }

    @Test("each commit between two images is found, through checkpoints and compaction")
    func everyCommit() throws {
        let store = try open()
        store.pauseCompaction()
        let source = try BackupSource(of: path)
        try store.write { try $0.put("first", forKey: UInt64(0)) }
        try store.checkpoint()
        let earlier = try take(source)
        var made: [(lsn: UInt64, records: [[UInt8]: [UInt8]])] = []
        for round in 0..<24 {
            try store.write(durability: round % 2 == 0 ? .commit : .unsynced) { transaction in
                for key in UInt64(0)..<40 {
                    let value = String(repeating: "\(round) ", count: 100)
                    try transaction.put(value, forKey: key &* UInt64(round + 1) % 100)
                }
                if round % 5 == 4 { try transaction.delete(UInt64(round)) }
            }
            if round == 8 || round == 16 { try store.checkpoint() }
            made.append((try store.snapshot().lsn, try store.records()))
        }
        try store.sync()
        let later = try take(source)
        #expect(later.image.files.count { $0.isSegment } > 2)
        for (lsn, records) in made {
            let found = try rolled(try begin(earlier, later), through: lsn, toward: later.image)
            #expect(found.lsn == lsn)
            #expect(found.records == records)
        }
        source.close()
        try store.close()
    }

    @Test("segments say which part of the log they hold")
    func ranges() throws {
        let store = try open()
        let source = try BackupSource(of: path)
        for key in UInt64(0)..<300 {
            try store.write { try $0.put(String(repeating: "x", count: 900), forKey: key) }
        }
        try store.checkpoint()
        let image = try source.take()
        try source.release()
        var next = UInt64(1)
        var predecessor = UInt32(0)
        for file in image.files {
            guard file.isSegment else {
                #expect(file.log == nil)
                continue
            }
            let log = try #require(file.log)
            #expect(log.firstLSN == next && log.predecessor == predecessor)
            (next, predecessor) = (log.lastLSN + 1, file.number)
        }
        #expect(next == image.lsn + 1)
        source.close()
        try store.close()
    }

    @Test("where a segment in between is missing, it fails and names the segment")
    func missingSegment() throws {
        let store = try open()
        let source = try BackupSource(of: path)
        try store.write { try $0.put("first", forKey: UInt64(0)) }
        let earlier = try take(source)
        for key in UInt64(1)..<300 {
            try store.write { try $0.put(String(repeating: "x", count: 900), forKey: key) }
        }
        let later = try take(source)
        let segments = later.image.files.filter(\.isSegment)
        let missing = try #require(segments.dropFirst().first)
        let before = try #require(missing.log).firstLSN - 1
        let assembly = try begin(earlier, later, skipping: missing.number)
        let error = #expect(throws: StoreError.self) {
            try assembly.rollForward(through: later.image.lsn, toward: later.image)
        }
        #expect(error?.code == .damaged)
        assembly.abandon()
        let found = try rolled(
            try begin(earlier, later, skipping: missing.number), through: before,
            toward: later.image)
        #expect(found.lsn == before)
        source.close()
        try store.close()
    }
}
