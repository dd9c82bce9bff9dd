import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A copy whose files are not of one time: its checkpoint is older than a retirement in its log,
/// which took the segment in which the replay after that checkpoint begins. The log alone is the
/// store.
@Suite("A checkpoint whose log was retired")
struct RetiredStartTests {
    private static let path = SimulatedMachine.path
    private let machine = SimulatedMachine(seed: 41, fileCapacity: 1 << 20)
    private let expected: [UInt64: [UInt8]]

    /// Leaves the manifest and the page file of an earlier time beside the log of a later one, in
    /// the store and in a backup of it.
    init() throws {
        let options = machine.options(segmentByteCount: 4096)
        let store = try Store.open(at: Self.path, options: options)
        store.pauseCompaction()
        var model: [UInt64: [UInt8]] = [:]
        func overwrite(_ round: UInt8) throws {
            for key in 0..<40 as Range<UInt64> {
                let value = [UInt8](repeating: round &+ UInt8(key), count: 200)
                try store.write { try $0.put(value, forKey: key) }
                model[key] = value
            }
        }
        try overwrite(1)
        try store.checkpoint()
        var manifest = try #require(
            try ManifestFile.read(in: Self.path, fileSystem: machine.fileSystem))
        manifest.checkpoints = [manifest.checkpoints[0]]
        let pages = StoreFiles.pageFile(try #require(manifest.checkpoints[0].file))
        let pageBytes = try #require(machine.disk.contents(of: Self.path + "/" + pages))
        for round in 2..<6 as Range<UInt8> {
            try overwrite(round)
            try store.checkpoint()
        }
        try store.compact()
        machine.executor.drain()
        try store.backup(to: "/backup", options: BackupOptions(method: .copy))
        try store.close()
        expected = model
        for path in machine.disk.paths where path.hasSuffix(".pages") {
            try machine.fileSystem.remove(path)
        }
        var list = try #require(
            try BackupTarget.read(in: "/backup", fileSystem: machine.fileSystem))
        list.manifest.checkpoints = manifest.checkpoints
        list.files.removeAll { $0.kind == .pages }
        list.files.append(
            BackupFile(
                kind: .pages, number: manifest.checkpoints[0].file ?? 0,
                mark: manifest.checkpoints[0].seed, byteCount: UInt64(pageBytes.count)))
        for directory in [Self.path, "/backup"] {
            machine.disk.setContents(of: directory + "/" + pages, pageBytes)
        }
        machine.disk.setContents(of: "/backup/backup", list.encoded)
        machine.disk.setContents(of: Self.path + "/" + StoreFiles.manifest, manifest.encoded)
        let opened = PageFileReader.open(
            manifest.checkpoints[0], directory: Self.path, identity: manifest.identity,
            fileSystem: machine.fileSystem)
        let start = try #require(try opened.get().descriptor.replayStart?.segment)
        // Else this is a store like any other.
        try #require(!machine.fileSystem.exists(Self.path + "/" + start.fileName))
    }

    private func check(_ snapshot: Snapshot) throws {
        #expect(snapshot.count() == expected.count)
        for (key, value) in expected { try #expect(snapshot.get(key) == value) }
    }

    @Test("opening replays the whole log, and says which checkpoint it skipped")
    func opening() throws {
        let store = try Store.open(at: Self.path, options: machine.options(segmentByteCount: 4096))
        #expect(store.openingReport.source == .fullReplay)
        let damaged = store.openingReport.damagedCheckpoints
        #expect(damaged.count == 1 && damaged[0].contains("where the replay after it begins"))
        try check(store.snapshot())
        try store.write { try $0.put("more", forKey: "more") }
        try store.close()
        let report = try StoreVerifier.verify(path: Self.path, environment: machine.environment)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test("readers of other processes see the store")
    func reader() throws {
        let reader = try StoreReader.open(
            at: Self.path, options: machine.options(segmentByteCount: 4096))
        try check(reader.snapshot())
        reader.close()
    }

    @Test("it is found, and repaired from the log", arguments: VerificationLevel.allCases)
    func verification(level: VerificationLevel) throws {
        let found = try StoreVerifier.verify(
            path: Self.path, level: level, environment: machine.environment)
        #expect(!found.isSound)
        let first = try #require(found.findings.first { $0.severity == .error })
        #expect(first.message.contains("where the replay after it begins"), "\(found.findings)")
        let repaired = try StoreRepair.repair(
            path: Self.path, level: level, environment: machine.environment)
        #expect(repaired.after?.isSound == true, "\(repaired)")
        try opening(of: Self.path)
    }

    private func opening(of path: String) throws {
        let store = try Store.open(at: path, options: machine.options(segmentByteCount: 4096))
        try check(store.snapshot())
        try store.close()
    }

    // What two checkpoints and a retirement between the reading of the manifest and that of the log
    // left (seed 30221859 of the simulation), made by hand.
    @Test("a backup like that does not verify, and can be restored; salvage gets all of it")
    func backup() throws {
        let fileSystem = machine.fileSystem
        let found = try StoreBackup.verify(path: "/backup", environment: machine.environment)
        #expect(!found.isSound)
        try StoreBackup.restore(
            from: "/backup", to: "/restored", options: BackupOptions(method: .copy),
            environment: machine.environment)
        try opening(of: "/restored")
        for source in [Self.path, "/backup"] {
            let report = try StoreSalvage.recover(
                directory: source, to: source + ".salvaged",
                options: machine.options(segmentByteCount: 4096))
            #expect(report.isComplete, "\(source): \(report)")
            try opening(of: source + ".salvaged")
        }
        #expect(fileSystem.exists("/backup/backup"))
    }
}
