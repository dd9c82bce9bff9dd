import Foundation
import Measurement
import StoreMaintenance
import Synchronization
import TravertineStore

extension StageRun {
    /// Verifies a closed store at each level; Travertine only.
    mutating func verifyStore() throws {
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        _ = try fill(engine, count: recordCount / 2, generation: 1)
        try engine.sync()
        guard let figures = try engine.figures() else { return try engine.close() }
        let logMegabytes = Double(figures.writtenSegmentByteCount) / 1e6
        try engine.close()
        for (level, row) in [
            (VerificationLevel.quick, "fsck_quick"), (.standard, "fsck_standard"),
            (.deep, "fsck_deep"),
        ] where task.wants(row) {
            // The first pass brings everything into the page cache.
            try requireSound(at: level)
            let watch = Stopwatch()
            try requireSound(at: level)
            note(row, level == .quick ? watch.seconds * 1000 : logMegabytes / watch.seconds)
        }
    }

    private func requireSound(at level: VerificationLevel) throws {
        let report = try StoreVerifier.verify(path: task.directory, level: level)
        try require(report.isSound, "fsck found errors in a sound store: \(report.findings)")
    }

    /// Measures a writer alone, beside backups, and beside `cp`; each for the seconds of `mixed`.
    mutating func writeBesideBackup() throws {
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        let isOver = SharedFlag()
        let phases = BackupPhases()
        let run = self
        try WorkerThreads.run(count: 2) { index in
            if index == 0 {
                defer { isOver.raise() }
                try run.makeCopies(of: engine, phases)
            } else {
                try run.overwriteUntil(isOver, engine, counting: phases)
            }
        }
        note("backup_rate", phases.backup.megabytesPerSecond)
        note("cp_rate", phases.copy.megabytesPerSecond)
        note("cp_synced_rate", phases.syncedCopy.megabytesPerSecond)
        note(
            "backup_share", phases.backup.megabytesPerSecond / phases.copy.megabytesPerSecond)
        note(
            "backup_synced_share",
            phases.backup.megabytesPerSecond / phases.syncedCopy.megabytesPerSecond)
        if phases.linked.byteCount > 0 {
            note("backup_linked_rate", phases.linked.megabytesPerSecond)
            note(
                "backup_linked_share",
                phases.linked.megabytesPerSecond / phases.copy.megabytesPerSecond)
            note(
                "backup_linked_writes",
                phases.linked.writesPerSecond / phases.alone.writesPerSecond)
        }
        note("backup_writes", phases.backup.writesPerSecond / phases.alone.writesPerSecond)
        note("cp_writes", phases.syncedCopy.writesPerSecond / phases.alone.writesPerSecond)
        try engine.close()
        if task.engine == .travertine {
            let report = try StoreBackup.verify(path: task.directory + ".backup")
            try require(report.isSound, "The last backup is damaged: \(report.findings)")
        }
        DirectoryTree.remove(task.directory + ".backup")
    }

    private func makeCopies(of engine: E, _ phases: BackupPhases) throws {
        let backup = task.directory + ".backup"
        let copy = task.directory + ".copy"
        try phases.measure(\.alone, seconds: task.size.mixedSeconds) {
            usleep(10_000)
            return (0, 0)
        }
        try phases.measure(\.backup, seconds: task.size.mixedSeconds) {
            DirectoryTree.remove(backup)
            let watch = Stopwatch()
            try require(try engine.backup(to: backup), "\(task.engine.rawValue) has no backup.")
            return (DirectoryTree.size(of: backup).byteCount, watch.seconds)
        }
        if task.engine == .travertine {
            let linked = task.directory + ".linked"
            try phases.measure(\.linked, seconds: task.size.mixedSeconds) {
                DirectoryTree.remove(linked)
                let watch = Stopwatch()
                try require(try engine.backupByLinks(to: linked), "No backup by links.")
                return (DirectoryTree.size(of: linked).byteCount, watch.seconds)
            }
            DirectoryTree.remove(linked)
        }
        try phases.measure(\.copy, seconds: task.size.mixedSeconds) {
            try Self.copy(backup, to: copy, isSynced: false)
        }
        try phases.measure(\.syncedCopy, seconds: task.size.mixedSeconds) {
            try Self.copy(backup, to: copy, isSynced: true)
        }
        DirectoryTree.remove(copy)
    }

    /// `cp -R`, with the bytes copied and the time.
    private static func copy(
        _ source: String, to target: String, isSynced: Bool
    ) throws -> (byteCount: Int, seconds: Double) {
        DirectoryTree.remove(target)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/cp")
        process.arguments = ["-R", source, target]
        let watch = Stopwatch()
        try process.run()
        process.waitUntilExit()
        if isSynced { try DirectoryTree.sync(target) }
        let seconds = watch.seconds
        try require(process.terminationStatus == 0, "cp failed.")
        return (DirectoryTree.size(of: target).byteCount, seconds)
    }

    private func overwriteUntil(
        _ flag: SharedFlag, _ engine: E, counting phases: BackupPhases
    ) throws {
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: 81)
        while !flag.isRaised {
            try overwriteRandomly(&writer, buffer, &stream)
            phases.writeCount.wrappingAdd(Int(Self.recordsPerTransaction), ordering: .relaxed)
        }
        writer.close()
    }
}

/// What happened while copies were made beside a writer; filled by one thread, the counter by the
/// other, read after both have ended.
final class BackupPhases: @unchecked Sendable {
    struct Phase {
        var byteCount = 0
        var copyingSeconds = 0.0
        var writeCount = 0
        var seconds = 0.0

        var megabytesPerSecond: Double { Double(byteCount) / 1e6 / copyingSeconds }
        var writesPerSecond: Double { Double(writeCount) / seconds }
    }

    let writeCount = Atomic<Int>(0)
    var alone = Phase()
    var backup = Phase()
    var linked = Phase()
    var copy = Phase()
    var syncedCopy = Phase()

    /// Makes one copy after another until time is up.
    func measure(
        _ place: ReferenceWritableKeyPath<BackupPhases, Phase>, seconds: Double,
        _ body: () throws -> (byteCount: Int, seconds: Double)
    ) throws {
        var phase = Phase()
        let before = writeCount.load(ordering: .relaxed)
        let watch = Stopwatch()
        repeat {
            let copy = try body()
            phase.byteCount += copy.byteCount
            phase.copyingSeconds += copy.seconds
        } while watch.seconds < seconds
        phase.seconds = watch.seconds
        phase.writeCount = writeCount.load(ordering: .relaxed) - before
        self[keyPath: place] = phase
    }
}
