import OrderedIndex
import SegmentLog
import TravertineStore

/// Verifies a store that nobody has open: what `travertine fsck` does. Nothing is changed.
///
/// Steps, in order, with the level from which on each is done:
/// 1. `verifyManifest`, quick: the manifest decodes.
/// 2. `verifyHeaders`, quick: the header of every segment matches its checksum.
/// 3. `verifyOpening`, quick: the newest checkpoint opens, and the log after it replays.
/// 4. `verifyIndexes`, standard: every page of every kept checkpoint matches its checksum, every
///    tree is well formed, and index and log agree in both directions (`LogAgainstIndex`).
/// 5. `verifyLog`, `verifyCheckpoints`, `verifyIndex`, deep: the log is replayed as a whole into a
///    new index, each checkpoint is compared with it key by key, and every record is read through
///    it.
/// 6. `verifyBatches`, standard: what no step before has read of segments, so all of those that
///    are not part of the log, and of a log that is not whole: every batch and record matches its
///    checksum, and LSNs follow each other.
/// 7. `verifyFiles`, quick: nothing lies in the directory that does not belong there.
public struct StoreVerifier {
    let path: String
    let environment: Environment
    let level: VerificationLevel
    let progress: ((VerificationProgress) -> Void)?
    var report: VerificationReport
    /// Stretches of segments that are no batches; whether they matter, the whole log shows.
    var damage: [LogDamage] = []
    /// What kept the log from being read from its beginning.
    var logDamage: StoreError?
    /// Why a file could not be judged: the process lacks memory, descriptors or permission, or is
    /// too old for the file. Nothing is known to be damaged then, and the verification throws it.
    var obstacle: StoreError?
    /// The page files that kept checkpoints refer to.
    var neededPageFiles: Set<UInt32> = []
    /// Segments in the directory that opening does not reach, and nothing retires.
    var unreachable: Set<SegmentNumber> = []
    /// The live bytes of the newest state as the log has them, where they were counted.
    var countedUsage: SegmentUsage?
    var unreadable: Set<UInt32> = []
    /// Where the batches end that a walk over the whole log has verified, and the LSN that follows.
    var verifiedEnds: [UInt32: (offset: Int, next: LSN)] = [:]
    var verifiedByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0

    /// Verifies the store in a directory and reports what was found.
    ///
    /// The store must not be open; its lock is held until the end. On a file system that is
    /// read-only the lock may be missing; the report has a note of it.
    ///
    /// - Throws: `.notFound`, `.notADirectory`, `.notAStore`, `.newerFormat`, `.locked`,
    ///   `.permissionDenied`, `.invalidEncryptionKey`, `.outOfMemory`, `.tooManyOpenFiles`: what
    ///   prevents a verification. Damage is in the report instead.
    public static func verify(
        path: String, level: VerificationLevel = .standard, key: EncryptionKey? = nil,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try verify(path: path, level: level, environment: .system(key), progress: progress)
    }

    package static func verify(
        path: String, level: VerificationLevel = .standard, environment: Environment,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        let hold = try VerificationHold(of: path, environment: environment)
        return try verify(hold, level: level, progress: progress)
    }

    /// As above, under a lock that the caller holds.
    package static func verify(
        _ hold: borrowing VerificationHold, level: VerificationLevel,
        progress: ((VerificationProgress) -> Void)?
    ) throws(StoreError) -> VerificationReport {
        try counted(hold, level: level, progress: progress).report
    }

    /// As above; also gives the live bytes that it counted.
    static func counted(
        _ hold: borrowing VerificationHold, level: VerificationLevel,
        progress: ((VerificationProgress) -> Void)?
    ) throws(StoreError) -> (report: VerificationReport, usage: SegmentUsage?) {
        var verifier = StoreVerifier(
            path: hold.path, environment: hold.environment, level: level, progress: progress,
            report: VerificationReport(path: hold.path))
        verifier.report.level = level
        if hold.isReadOnly { verifier.noteReadOnly() }
        try verifier.run()
        return (verifier.report, verifier.countedUsage)
    }

    private mutating func noteReadOnly() {
        report.add(
            .note, "The file system is read-only.",
            advice:
                "Nobody can change the store through this mount, and its lock does not show which "
                + "process has it open through another one. If a program may have it open there, verify a "
                + "backup instead.")
    }

    /// Without a manifest it is the segments that show that a key is missing.
    private func checkIsNotEncrypted() throws(StoreError) {
        guard environment.fileSystem.segmentAlgorithm == nil else { return }
        let found = capture { () throws(FileSystemError) in
            try Store.isEncryptedBySegments(path, environment.fileSystem)
        }
        // What can't be read is reported later.
        guard case .success(true) = found else { return }
        throw StoreError(
            .invalidEncryptionKey,
            "The segments are encrypted. Give the key of their store.", file: path)
    }

    private mutating func run() throws(StoreError) {
        let names: [String]
        do {
            names = try environment.fileSystem.list(path).sorted()
        } catch {
            throw StoreError(error)
        }
        let manifest = try verifyManifest(names)
        if manifest == nil { try checkIsNotEncrypted() }
        let segments = names.compactMap { StoreFiles.segmentNumber(of: $0) }
        verifyHeaders(segments, manifest)
        guard let manifest else {
            if level != .quick { verifyBatches(segments) }
            reportDamage(as: .error)
            return
        }
        report.wasClosedCleanly = manifest.isClean
        var opens = false
        var isLogWhole = false
        switch level {
        case .quick:
            noteNeededPageFiles(manifest)
            opens = verifyOpening(manifest)
        case .standard:
            isLogWhole = verifyIndexes(manifest, segments)
            verifyBatches(segments)
        case .deep:
            verifyBatches(segments)
            if let whole = verifyLog(manifest) {
                isLogWhole = true
                verifyCheckpoints(manifest, against: whole)
                verifyIndex(whole.access)
            }
        }
        if let logDamage { _ = isObstacle(logDamage) }
        if let obstacle { throw obstacle }
        report.isLogWhole = isLogWhole
        reportLogDamage(manifest)
        // Replay has verified every batch that counts: what is left can be ignored.
        reportDamage(as: opens || isLogWhole ? manifest.isClean ? .warning : .note : .error)
        verifyFiles(names, manifest)
    }

    // MARK: Steps

    /// Whether an error says nothing about the store, because the process lacks memory or
    /// descriptors; then the verification throws it at its end.
    mutating func isObstacle(_ error: StoreError) -> Bool {
        guard error.code == .outOfMemory || error.code == .tooManyOpenFiles else { return false }
        obstacle = obstacle ?? error
        return true
    }

    static let manifestAdvice =
        "Without its manifest the store does not open; the segments beside it are verified below. "
        + "Restore the file from a backup, or get back what is intact: travertine recover "
        + "DIRECTORY NEW"
    static let checkpointAdvice =
        "Opening passes it over and uses the checkpoint before it, or the whole log where that can be "
        + "read; then travertine fsck --repair, or opening and closing the store once, replaces it."
    static let pageAdvice =
        "Opening does not read this page. A read that meets it throws, and the store rebuilds its "
        + "tree; a page that nothing needs stays until its file goes. travertine fsck --repair "
        + "writes the index anew."
    static let recordAdvice =
        "Reading it throws. Restore the store from a backup, or get back what is intact: travertine "
        + "recover DIRECTORY NEW"
    static let logAdvice =
        "The log is damaged before its durable end, so that the store does not open. Restore it "
        + "from a backup, or get back what is intact: travertine recover DIRECTORY NEW"

    /// Reports how far the verification has come.
    func reportProgress(_ step: String, _ byteCount: UInt64) {
        progress?(
            VerificationProgress(
                step: step, byteCount: min(byteCount, totalByteCount),
                totalByteCount: totalByteCount))
    }

    var options: StoreOptions {
        var options = StoreOptions()
        options.readMode = .verified
        options.environment = environment
        return options
    }
}
