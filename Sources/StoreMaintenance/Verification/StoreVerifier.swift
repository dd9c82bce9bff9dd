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
    /// Why a file could not be judged: the process lacks memory, descriptors or permission, or is too
    /// old for the file. Nothing is known to be damaged then, and the verification throws it.
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
    ///   `.permissionDenied`, `.outOfMemory`, `.tooManyOpenFiles`: what prevents a verification.
    ///   Damage is in the report instead.
    public static func verify(
        path: String, level: VerificationLevel = .standard,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try verify(path: path, level: level, environment: .system, progress: progress)
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

    private mutating func run() throws(StoreError) {
        let names: [String]
        do {
            names = try environment.fileSystem.list(path).sorted()
        } catch {
            throw StoreError(error)
        }
        let manifest = try verifyManifest(names)
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

    /// Whether an error says nothing about the store, because the process lacks memory or descriptors;
    /// then the verification throws it at its end.
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

    private mutating func verifyManifest(_ names: [String]) throws(StoreError) -> Manifest? {
        do {
            if let manifest = try ManifestFile.read(
                in: path, fileSystem: environment.fileSystem)
            {
                return manifest
            }
        } catch {
            guard error.code == .damaged || error.code == .notAStore else { throw error }
            report.add(
                .error, error.message,
                advice: Self.manifestAdvice,
                file: StoreFiles.manifest)
            return nil
        }
        if names.contains(StoreFiles.removedManifest) {
            throw StoreError(
                .notAStore,
                "The directory holds the rest of a store that was being removed. Removing it again, "
                    + "or opening a new store here, ends that.", file: path)
        }
        guard names.contains(where: { StoreFiles.segmentNumber(of: $0) != nil }) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        report.add(
            .error, "The manifest is missing.",
            advice: Self.manifestAdvice, file: StoreFiles.manifest)
        return nil
    }

    /// Reports how far the verification has come.
    func reportProgress(_ step: String, _ byteCount: UInt64) {
        progress?(
            VerificationProgress(
                step: step, byteCount: min(byteCount, totalByteCount),
                totalByteCount: totalByteCount))
    }

    /// Replays the whole log: the truth that checkpoints are compared with.
    mutating func verifyLog(_ manifest: Manifest) -> ReplayedStore? {
        let opening = StoreOpening(path: path, options: options)
        do {
            let opened = try opening.replay(
                after: nil, manifest, .empty, OpeningReport(source: .fullReplay), [])
            report.lastLSN = opened.report.lastLSN
            noteTail(opened.report.ignoredTail)
            let whole = ReplayedStore(opened)
            unreachable.formUnion(whole.log.unreachableSegments)
            return whole
        } catch {
            logDamage = logDamage ?? StoreError(anyError: error)
            return nil
        }
    }

    private mutating func verifyCheckpoints(_ manifest: Manifest, against whole: ReplayedStore) {
        let opening = StoreOpening(path: path, options: options)
        for entry in manifest.checkpoints {
            guard let number = entry.file else { continue }
            let name = StoreFiles.pageFile(number)
            let advice = Self.checkpointAdvice
            switch opening.openPages(of: entry, manifest.identity) {
            case .failure(let reason):
                if let error = reason.error {
                    obstacle = obstacle ?? error
                    continue
                }
                report.add(
                    .error, "The checkpoint is damaged: \(reason).", advice: advice, file: name)
            case .success(let pages):
                do {
                    let opened = ReplayedStore(
                        try opening.replay(
                            after: pages, manifest, entry,
                            OpeningReport(source: .newestCheckpoint), []))
                    verifyPages(of: pages, in: opened)
                    verifyTrees(of: opened, against: whole, name)
                } catch {
                    if isObstacle(error) { continue }
                    report.add(
                        .error, "The checkpoint is damaged: \(error.message)", advice: advice,
                        file: name, offset: error.offset)
                }
            }
            reportProgress("checkpoints", verifiedByteCount)
        }
    }

    mutating func verifyPages(of pages: PageFileReader, in opened: ReplayedStore) {
        report.pageCount += Int(pages.header.pageCount)
        report.byteCount += pages.header.fileByteCount
        for file in pages.descriptor.pageFiles {
            neededPageFiles.insert(file.number)
            for page in opened.index.verifyAllPages(file: file.number) {
                report.add(
                    .error, "The checksum of index page \(page) does not match.",
                    advice: Self.pageAdvice,
                    file: StoreFiles.pageFile(file.number),
                    offset: UInt64(PageFileHeader.byteCount)
                        + UInt64(page) * UInt64(PageFileHeader.pageByteCount))
            }
        }
    }

    mutating func verifyTrees(
        of opened: ReplayedStore, against whole: ReplayedStore, _ name: String
    ) {
        let advice = Self.indexAdvice
        do {
            let (left, right) = (opened.access, whole.access)
            if left.treeCount != right.treeCount {
                report.add(
                    .error,
                    "The checkpoint has \(left.treeCount) keyspaces, the log \(right.treeCount).",
                    advice: advice, file: name)
                return
            }
            for keyspace in KeyspaceID.ofTrees(0..<left.treeCount) {
                for problem in try opened.index.checkInvariants(left.tree(of: keyspace)) {
                    report.add(
                        .error, "Keyspace \(keyspace): \(problem).", advice: advice, file: name)
                }
                // What waits to be rebuilt is empty, whatever the log says of it; and a log of
                // which compaction has taken parts does not show what a derived keyspace holds.
                let flags = left.tree(of: keyspace).flags | right.tree(of: keyspace).flags
                if flags & TreeFlags.invalid != 0 { continue }
                let count = try IndexComparison(left, right, keyspace: keyspace).differenceCount()
                if count > 0 {
                    report.add(
                        .error,
                        "Keyspace \(keyspace): \(count) keys differ between the checkpoint and the "
                            + "log.", advice: advice, file: name)
                }
            }
        } catch {
            report.add(
                .error, "The index can't be read: \(StoreError(anyError: error).message)",
                advice: advice, file: name)
        }
    }

    /// Checks that every place in the index of the whole log holds a record of that key.
    mutating func verifyIndex(_ access: ReadAccess) {
        for keyspace in KeyspaceID.ofTrees(0..<access.treeCount) {
            report.keyCount += access.count(in: keyspace)
            if access.tree(of: keyspace).flags & TreeFlags.derived != 0 { continue }
            var packs: (location: Location, entries: PackExpansion)?
            do {
                var cursor = access.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let location = Location(rawValue: cursor.indexValue)
                    let isSame = try cursor.withKey {
                        try access.segments.holdsKey($0, in: keyspace, at: location, &packs)
                    }
                    if !isSame {
                        report.add(
                            .error, "A key of keyspace \(keyspace) points to another key's record.",
                            advice: "This is a defect of the index; please report it.",
                            offset: UInt64(location.offset))
                    }
                    isValid = try cursor.next()
                }
            } catch {
                let error = StoreError(anyError: error)
                report.add(
                    .error, error.messageOfFinding, advice: Self.recordAdvice,
                    file: error.file, offset: error.offset, lsn: error.lsn)
            }
        }
    }

    /// Which files the kept checkpoints refer to, by their descriptors alone.
    private mutating func noteNeededPageFiles(_ manifest: Manifest) {
        for entry in manifest.checkpoints {
            let opened = PageFileReader.open(
                entry, directory: path, identity: manifest.identity,
                fileSystem: environment.fileSystem)
            guard case .success(let pages) = opened else { continue }
            neededPageFiles.formUnion(pages.descriptor.pageFiles.map(\.number))
        }
    }

    private mutating func verifyFiles(_ names: [String], _ manifest: Manifest) {
        let kept = Set(manifest.checkpoints.compactMap(\.file))
        for name in names {
            if [StoreFiles.manifest, StoreFiles.lock, StoreFiles.scrub].contains(name) { continue }
            if let number = StoreFiles.segmentNumber(of: name) {
                if !unreachable.contains(SegmentNumber(rawValue: number)) { continue }
                report.add(
                    .note, "The log does not lead to this segment.",
                    advice:
                        "A crash, or somebody who copied files, left it, and nothing in it counts. It "
                        + "goes when the log goes on in a newer segment.", file: name)
                continue
            }
            if let number = StoreFiles.keyHashFileNumber(of: name) {
                // A cache, which compaction makes anew when it is not as it must be.
                if names.contains(SegmentNumber(rawValue: number).fileName) { continue }
                report.add(
                    .note, "The segment whose key hashes these are is gone.",
                    advice: "They take space and nothing else; compaction removes them.", file: name
                )
                continue
            }
            if let number = StoreFiles.pageFileNumber(of: name) {
                if kept.contains(number) || neededPageFiles.contains(number) { continue }
                report.add(
                    .note, "No checkpoint needs this page file.",
                    advice: "The next opening for writing removes it.", file: name)
            } else {
                report.add(
                    .warning, "This file does not belong to the store.",
                    advice: name == StoreFiles.newManifest
                        ? "A crash while the manifest was replaced leaves it; it is harmless."
                        : "Move it elsewhere.", file: name)
            }
        }
    }

    var options: StoreOptions {
        var options = StoreOptions()
        options.readMode = .verified
        options.environment = environment
        return options
    }
}
