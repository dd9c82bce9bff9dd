import SegmentLog
import TravertineStore

/// Repairs what can be repaired without losing anything: what `travertine fsck --repair` does.
///
/// Only what is derived from the log is made anew: the index, its checkpoints, and the counters of
/// live bytes; derived keyspaces are marked to be rebuilt from rows before their first use. Files
/// that are left over are removed. The log itself, and a manifest that can't be read, are never
/// changed; while one of them is damaged nothing is done.
///
/// Steps, each of which leaves a store that opens:
/// 1. The manifest, page files and left-over files are copied to a directory beside the store.
/// 2. `manifest.new` is removed. Segments that the log does not lead to stay: one whose header is
///    damaged may hold what `recover` can get back.
/// 3. Unless only counters are wrong, the manifest is replaced by one that names no checkpoint.
/// 4. The store is opened, which replays the whole log, and closed, which writes a checkpoint and
///    removes page files that nothing names. If it does not open, the manifest is put back as it
///    was. Counters alone are set to what the verification counted, and two checkpoints written.
/// 5. The store is verified again.
///
/// The directory stays locked from the first verification to the last.
public struct StoreRepair {
    private let path: String
    private let environment: Environment
    private let level: VerificationLevel
    private let progress: ((VerificationProgress) -> Void)?

    /// Verifies a store, and repairs it if that loses nothing.
    ///
    /// At level `.quick` it is verified as at `.standard`: only a log that was read as a whole may
    /// replace what a checkpoint holds.
    ///
    /// An encrypted store needs its key.
    ///
    /// - Throws: what `StoreVerifier.verify` throws; `.io` or `.diskFull` when a step fails.
    public static func repair(
        path: String, level: VerificationLevel = .standard, key: EncryptionKey? = nil,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> RepairReport {
        try repair(path: path, level: level, environment: .system(key), progress: progress)
    }

    package static func repair(
        path: String, level: VerificationLevel = .standard, environment: Environment,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> RepairReport {
        let hold = try VerificationHold(of: path, environment: environment)
        return try repair(hold, level: level, progress: progress)
    }

    /// As above, under a lock that the caller holds.
    package static func repair(
        _ hold: borrowing VerificationHold, level: VerificationLevel,
        progress: ((VerificationProgress) -> Void)?
    ) throws(StoreError) -> RepairReport {
        try hold.checkIsWritable()
        let repair = StoreRepair(
            path: hold.path, environment: hold.environment,
            level: level == .quick ? .standard : level, progress: progress)
        do {
            return try repair.run(hold)
        } catch {
            throw StoreError(anyError: error)
        }
    }

    private func run(_ hold: borrowing VerificationHold) throws -> RepairReport {
        let (before, usage) = try StoreVerifier.counted(
            hold, level: level, progress: progress)
        var report = RepairReport(before: before)
        let orphans = try self.orphans()
        let hasWork = !before.isSound || before.countersAreWrong || !orphans.isEmpty
        guard before.isLogWhole, hasWork else { return report }
        report.backupPath = try backUp(orphans)
        if try removeNewManifest() { report.actions.append("Removed manifest.new.") }
        if !before.isSound {
            let invalid = try rebuildIndex()
            report.actions.append("Built the index anew from the log.")
            if invalid > 0 {
                report.actions.append(
                    "Marked \(invalid) derived keyspaces: they are rebuilt before their first use.")
            }
        } else {
            let corrected = before.countersAreWrong ? usage : nil
            _ = try openAndClose(correcting: corrected)
            if corrected != nil { report.actions.append("Counted the live bytes anew.") }
        }
        let pages = orphans.count { StoreFiles.pageFileNumber(of: $0) != nil }
        if pages > 0 { report.actions.append("Removed \(pages) page files that nothing names.") }
        report.after = try StoreVerifier.verify(hold, level: level, progress: progress)
        return report
    }

    /// Makes the index from the log; returns how many derived keyspaces wait to be rebuilt. If the
    /// store does not open then, its manifest is put back.
    private func rebuildIndex() throws -> Int {
        guard let manifest = try ManifestFile.read(in: path, fileSystem: environment.fileSystem)
        else { return 0 }
        try forgetCheckpoints(of: manifest)
        do {
            return try openAndClose(correcting: nil)
        } catch {
            try ManifestFile.replace(manifest, in: path, fileSystem: environment.fileSystem)
            throw error
        }
    }

    /// Files of a store that nothing needs.
    private func orphans() throws -> [String] {
        let names = try environment.fileSystem.list(path).sorted()
        guard
            let manifest = capture({ () throws(StoreError) in
                try ManifestFile.read(in: path, fileSystem: environment.fileSystem)
            }).success ?? nil
        else { return [] }
        var needed: Set<UInt32> = []
        for entry in manifest.checkpoints {
            guard let file = entry.file else { continue }
            needed.insert(file)
            let opened = PageFileReader.open(
                entry, directory: path, identity: manifest.identity,
                fileSystem: environment.fileSystem)
            // Which files a damaged checkpoint needs is not known: then nothing is an orphan.
            guard case .success(let pages) = opened else { return [] }
            needed.formUnion(pages.descriptor.pageFiles.map(\.number))
        }
        return names.filter { name in
            name == StoreFiles.newManifest
                || StoreFiles.pageFileNumber(of: name).map { !needed.contains($0) } ?? false
        }
    }

    /// Copies everything that is changed to a new directory beside the store, and syncs it.
    private func backUp(_ orphans: [String]) throws -> String {
        let fileSystem = environment.fileSystem
        let base = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var number = 1
        while fileSystem.exists("\(base).before-repair-\(number)") { number += 1 }
        let target = "\(base).before-repair-\(number)"
        try fileSystem.createDirectory(target)
        let names = try fileSystem.list(path).filter {
            $0 == StoreFiles.manifest || StoreFiles.pageFileNumber(of: $0) != nil
                || orphans.contains($0)
        }
        for name in names.sorted() { try copy(path + "/" + name, to: target + "/" + name) }
        try fileSystem.syncDirectory(target)
        try fileSystem.syncDirectory(StoreFiles.parent(of: target))
        return target
    }

    private func copy(_ source: String, to target: String) throws(FileSystemError) {
        let fileSystem = environment.fileSystem.stored
        let reader = try fileSystem.open(source, .readOnly)
        defer { reader.close() }
        let writer = try fileSystem.open(target, .createNew)
        defer { writer.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try reader.read(into: buffer, at: offset)
            if count == 0 { break }
            try writer.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += UInt64(count)
        }
        try writer.sync()
    }

    private func removeNewManifest() throws -> Bool {
        let name = path + "/" + StoreFiles.newManifest
        guard environment.fileSystem.exists(name) else { return false }
        try environment.fileSystem.remove(name)
        return true
    }

    private func forgetCheckpoints(of old: Manifest) throws {
        var manifest = old
        // What a checkpoint vouched for stays vouched for.
        manifest.durableLSN = manifest.checkpoints.reduce(manifest.durableLSN) {
            max($0, $1.lsn)
        }
        manifest.checkpoints = []
        manifest.sequence += 1
        try ManifestFile.replace(manifest, in: path, fileSystem: environment.fileSystem)
    }

    /// Opens the store under the lock that is held and closes it; returns how many derived
    /// keyspaces wait to be rebuilt.
    private func openAndClose(correcting usage: SegmentUsage?) throws(StoreError) -> Int {
        var options = StoreOptions()
        options.createIfMissing = false
        options.environment = environment
        options.scrub = nil
        let store = try StoreOpening(path: path, options: options, isLocked: true).open()
        // A repair writes no more than what it says; each checkpoint would ask for compaction.
        store.pauseCompaction()
        let count = store.openingReport.invalidDerivedKeyspaces.count
        if let usage {
            try store.replaceUsage(usage)
            // Both checkpoints that are kept.
            for _ in 0..<2 { try store.checkpoint() }
        }
        try store.close()
        return count
    }
}

extension Store {
    /// Sets the counters of live bytes.
    fileprivate func replaceUsage(_ usage: SegmentUsage) throws(StoreError) {
        try gate.enter()
        defer { gate.leave() }
        self.usage = usage
    }
}

extension Result {
    /// The value, or nil.
    fileprivate var success: Success? {
        if case .success(let value) = self { return value }
        return nil
    }
}
