@testable import SegmentLog
@testable import StoreMaintenance
@testable import TravertineStore

/// Inputs that say what is in a directory: the rest of it is that of a small store.
enum DirectoryInput {
    nonisolated(unsafe) private static var sample: [String: [UInt8]]?
    nonisolated(unsafe) private static var backupSample: [String: [UInt8]]?

    private static func store() throws -> [String: [UInt8]] {
        if let sample { return sample }
        let made = try StoreUse.sample(rounds: 3, keyCount: 6)
        sample = made
        return made
    }

    /// The first byte: bit 0 seals. Then a manifest.
    static func runManifest(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var files = try store()
        var manifest = Sealing(Array(input.dropFirst()))
        if way & 1 == 1 { manifest.sealEnd() }
        files["manifest"] = manifest.bytes
        LogInput.inspect("manifest", files)
        try StoreUse.run(files, comparesSalvage: true)
    }

    static func manifestSeeds() throws -> [[UInt8]] {
        let manifest = try store()["manifest"] ?? []
        let empty = LogInput.manifest()
        return [[1] + manifest, [0] + manifest, [1] + empty]
    }

    // MARK: Backups

    private static func backup() throws -> [String: [UInt8]] {
        if let backupSample { return backupSample }
        let machine = InputMachine(try store())
        let store = try Store.open(at: InputMachine.path, options: machine.options())
        try store.backup(to: "/backup", options: BackupOptions(method: .copy))
        try store.close()
        let made = machine.fileSystem.contents(of: "/backup")
        backupSample = made
        return made
    }

    /// The first byte: bit 0 seals. Then the list of a backup's files.
    static func runBackup(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var files = try backup()
        var list = Sealing(Array(input.dropFirst()))
        if way & 1 == 1 {
            // The manifest inside has its own checksum.
            if list.bytes.count >= 24 + Manifest.byteCount {
                list.store(list.sum(24..<24 + Manifest.byteCount - 4), at: 24 + 508)
            }
            list.sealEnd()
        }
        files[BackupTarget.listName] = list.bytes
        LogInput.inspect(BackupTarget.listName, files)
        let machine = InputMachine(files)
        let report = try StoreBackup.verify(
            path: InputMachine.path, environment: machine.environment)
        do {
            try StoreBackup.restore(
                from: InputMachine.path, to: "/restored",
                options: BackupOptions(method: .copy), environment: machine.environment)
            let store = try Store.open(at: "/restored", options: machine.options())
            _ = try StoreUse.contents(of: store)
            try store.close()
        } catch {
            if report.isSound { StoreUse.fail("sound, but can't be restored: \(error)") }
            throw error
        }
    }

    static func backupSeeds() throws -> [[UInt8]] {
        let list = try backup()[BackupTarget.listName] ?? []
        return [[1] + list, [0] + list]
    }
}
