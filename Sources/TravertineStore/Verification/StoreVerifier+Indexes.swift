import OrderedIndex
import SegmentLog

/// The steps that compare index and log.
extension StoreVerifier {
    /// Opens the store as opening does, and reports what opening would report. True if it opens.
    mutating func verifyOpening(_ manifest: Manifest) -> Bool {
        let opening = StoreOpening(path: path, options: options)
        do {
            let opened = ReplayedStore(
                try opening.recover(manifest, start: environment.now(), isNew: false))
            for damage in opened.report.damagedCheckpoints {
                report.add(
                    .error, "A checkpoint is damaged: \(damage).", advice: Self.checkpointAdvice)
            }
            noteTail(opened.report.ignoredTail)
            unreachable.formUnion(opened.log.unreachableSegments)
            report.lastLSN = opened.report.lastLSN
            for keyspace in 0..<UInt32(opened.access.treeCount) {
                report.keyCount += opened.access.count(in: keyspace)
            }
            return true
        } catch {
            report.add(
                .error, error.message, advice: Self.logAdvice, file: error.file,
                offset: error.offset, lsn: error.lsn)
            return false
        }
    }

    /// Verifies every kept checkpoint, and compares it with the whole log. True if the log is whole.
    mutating func verifyIndexes(_ manifest: Manifest, _ segments: [UInt32]) -> Bool {
        let subjects = manifest.checkpoints.compactMap { subject(of: $0, manifest, segments) }
        guard let newest = subjects.first else {
            // The index is built from the log: there is nothing to compare.
            guard let whole = verifyLog(manifest) else { return false }
            countKeys(of: whole.access)
            return true
        }
        countKeys(of: newest.access)
        guard readLog(manifest, subjects) else { return false }
        countedUsage = subjects.first?.usage
        for subject in subjects { conclude(subject) }
        if subjects.count == 2 { compareDerived(subjects[0], subjects[1]) }
        return true
    }

    /// Reports what stands behind the end of the log.
    mutating func noteTail(_ tail: String?) {
        guard let tail else { return }
        report.add(
            .note, tail,
            advice:
                "It was never acknowledged as durable: a crash leaves this, and opening ignores "
                + "it. Nothing is to be done.")
    }

    private mutating func countKeys(of access: ReadAccess) {
        for keyspace in 0..<UInt32(access.treeCount) {
            report.keyCount += access.count(in: keyspace)
        }
    }

    /// Opens a checkpoint with the log behind it, and marks its places; nil if it is damaged, or if
    /// the log is, which reading it as a whole reports.
    private mutating func subject(
        of entry: Manifest.CheckpointEntry, _ manifest: Manifest, _ segments: [UInt32]
    ) -> LogAgainstIndex.Subject? {
        guard let number = entry.file else { return nil }
        let name = StoreFiles.pageFile(number)
        tell("checkpoints", 0)
        switch PageFileReader.open(
            entry, directory: path, identity: manifest.identity,
            fileSystem: environment.fileSystem)
        {
        case .failure(let reason):
            report.add(
                .error, "The checkpoint is damaged: \(reason).", advice: Self.checkpointAdvice,
                file: name)
            return nil
        case .success(let pages):
            do {
                let opening = StoreOpening(path: path, options: options)
                let opened = ReplayedStore(
                    try opening.replay(
                        behind: pages, manifest, entry, OpeningReport(source: .newestCheckpoint),
                        []))
                unreachable.formUnion(opened.log.unreachableSegments)
                let errorCount = report.findings.count
                verifyPages(of: pages, in: opened, Self.checkpointAdvice)
                if report.findings.count > errorCount { return nil }
                try verifyInvariants(of: opened, name)
                return try LogAgainstIndex.Subject(opened, name: name, segments: segments)
            } catch {
                if error.isDamagedPage {
                    report.add(
                        .error, "The checkpoint is damaged: \(error.message)",
                        advice: Self.checkpointAdvice, file: name, offset: error.offset)
                }
                return nil
            }
        }
    }

    private mutating func verifyInvariants(
        of opened: ReplayedStore, _ name: String
    ) throws(StoreError) {
        for keyspace in 0..<UInt32(opened.access.treeCount) {
            let problems: [String]
            do {
                problems = try opened.index.checkInvariants(opened.access.tree(of: keyspace))
            } catch {
                throw StoreError(anyError: error)
            }
            for problem in problems {
                report.add(
                    .error, "Keyspace \(keyspace): \(problem).", advice: Self.indexAdvice,
                    file: name)
            }
        }
    }

    private mutating func readLog(
        _ manifest: Manifest, _ subjects: [LogAgainstIndex.Subject]
    ) -> Bool {
        let log = SegmentLog(
            directory: path, identity: manifest.identity,
            options: StoreOpening(path: path, options: options).logOptions,
            environment: environment)
        let verifier = self
        var visitor = LogAgainstIndex(subjects) { verifier.tell("index", UInt64($0)) }
        do {
            let recovered = try log.recover(
                from: nil,
                durableEvidence: manifest.checkpoints.reduce(manifest.durableLSN) {
                    max($0, $1.lsn)
                },
                cleanEnd: manifest.isClean ? manifest.cleanEnd : nil, visitor: &visitor)
            try visitor.finish()
            noteVerified(recovered)
            report.lastLSN = recovered.lastLSN.rawValue
            noteTail(recovered.ignoredTail?.description)
            return true
        } catch {
            let error = StoreError(anyError: error)
            report.add(
                .error, error.message, advice: Self.logAdvice, file: error.file,
                offset: error.offset, lsn: error.lsn)
            return false
        }
    }

    static let indexAdvice =
        "The index and the log disagree; the log is the truth. travertine fsck --repair builds the "
        + "index anew from the log."

    private mutating func conclude(_ subject: LogAgainstIndex.Subject) {
        if !subject.isInLog {
            let count = report.findings.count
            verifyIndex(subject.access)
            if report.findings.count == count {
                report.add(
                    .error,
                    "The index has \(subject.expectedCount) places of records, the log holds "
                        + "\(subject.seenCount) of them.", advice: Self.indexAdvice,
                    file: subject.name)
            }
        }
        if let first = subject.firstStale {
            report.add(
                .error,
                "The log has \(subject.staleCount) records that are newer than what the index has "
                    + "of their keys; the first is named here.", advice: Self.indexAdvice,
                file: first.location.segment.fileName, offset: UInt64(first.location.offset),
                lsn: first.lsn.rawValue)
        }
        if !subject.missing.isEmpty {
            report.add(
                .error,
                "\(subject.missing.count) keys of the log are missing in the index.",
                advice: Self.indexAdvice, file: subject.name)
        }
        compareUsage(subject)
    }

    private mutating func compareUsage(_ subject: LogAgainstIndex.Subject) {
        let kept = Dictionary(
            subject.store.usage.segments.map { ($0.number, $0.liveByteCount) },
            uniquingKeysWith: +)
        let counted = Dictionary(
            subject.usage.segments.map { ($0.number, $0.liveByteCount) }, uniquingKeysWith: +)
        let wrong = Set(kept.keys).union(counted.keys).filter { kept[$0] != counted[$0] }.sorted()
        guard let first = wrong.first else { return }
        report.countersAreWrong = true
        report.add(
            .warning,
            "The counters of live bytes are wrong for \(wrong.count) segments; segment \(first) has "
                + "\(counted[first] ?? 0) live bytes, not \(kept[first] ?? 0).",
            advice: "No record is concerned, but compaction chooses by these counters. travertine "
                + "fsck --repair counts them anew.", file: subject.name)
    }

    private mutating func compareDerived(
        _ left: LogAgainstIndex.Subject, _ right: LogAgainstIndex.Subject
    ) {
        for keyspace in 0..<UInt32(min(left.access.treeCount, right.access.treeCount)) {
            let (first, second) = (left.access.tree(of: keyspace), right.access.tree(of: keyspace))
            guard first.flags & second.flags & TreeFlags.derived != 0,
                (first.flags | second.flags) & TreeFlags.invalid == 0
            else { continue }
            do {
                let count = try IndexComparison(left.access, right.access, keyspace: keyspace)
                    .differenceCount()
                if count == 0 { continue }
                report.add(
                    .error,
                    "Derived keyspace \(keyspace): \(count) keys differ between the two "
                        + "checkpoints.", advice: Self.indexAdvice, file: left.name)
            } catch {
                report.add(
                    .error, error.message, advice: Self.checkpointAdvice, file: error.file,
                    offset: error.offset)
            }
        }
    }
}
