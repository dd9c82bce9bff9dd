import SegmentLog
import TravertineStore

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
            for keyspace in KeyspaceID.ofTrees(0..<opened.access.treeCount) {
                report.keyCount += opened.access.count(in: keyspace)
            }
            return true
        } catch {
            if isObstacle(error) { return false }
            report.add(
                .error, error.messageOfFinding, advice: Self.logAdvice, file: error.file,
                offset: error.offset, lsn: error.lsn)
            return false
        }
    }

    /// Verifies every kept checkpoint, and compares it with the whole log. True if the log is
    /// whole.
    ///
    /// The newest is compared with the log. After the one before it, which another thread reads
    /// at the same time, comes the same log, so that both must come to the same index; where they
    /// don't, that one is compared with the log too, to find what is wrong.
    mutating func verifyIndexes(_ manifest: Manifest, _ segments: [UInt32]) -> Bool {
        let entries = manifest.checkpoints.filter { $0.file != nil }
        let older = readConcurrently(entries.dropFirst(), manifest)
        var newest = entries.first.flatMap { read($0, manifest) }
            .flatMap { subject(of: $0, segments) }
        var others: [ReadCheckpoint]?
        if newest == nil {
            others = []
            for other in take(older.result) where newest == nil {
                newest = subject(of: other, segments)
            }
        }
        guard let newest else {
            // The index is built from the log: there is nothing to compare.
            guard let whole = verifyLog(manifest) else { return false }
            countKeys(of: whole.access)
            return true
        }
        countKeys(of: newest.access)
        let isLogWhole = readLog(manifest, newest)
        for other in others ?? take(older.result) where isLogWhole {
            compare(other, with: newest, manifest, segments)
        }
        guard isLogWhole else { return false }
        countedUsage = newest.usage
        conclude(newest)
        return true
    }

    /// Reports what is after the end of the log.
    mutating func noteTail(_ tail: String?) {
        guard let tail else { return }
        report.add(
            .note, tail,
            advice:
                "It was never acknowledged as durable: a crash leaves this, and opening ignores "
                + "it. Nothing is to be done.")
    }

    private mutating func countKeys(of access: ReadAccess) {
        for keyspace in KeyspaceID.ofTrees(0..<access.treeCount) {
            report.keyCount += access.count(in: keyspace)
        }
    }

    /// Reads the log against an index; what is found of the log itself is reported the first time.
    mutating func readLog(
        _ manifest: Manifest, _ subject: LogAgainstIndex.Subject, isFirst: Bool = true
    ) -> Bool {
        let log = SegmentLog(
            directory: path, identity: manifest.identity,
            options: StoreOpening(path: path, options: options).logOptions,
            environment: environment)
        let verifier = self
        var visitor = LogAgainstIndex(subject) { verifier.reportProgress("index", UInt64($0)) }
        let known = manifest.checkpoints.reduce(manifest.durableLSN) { max($0, $1.lsn) }
        var evidence: LockEvidence?
        do {
            let lock = try LockEvidence(
                beside: manifest, in: path, fileSystem: environment.fileSystem)
            evidence = lock
            let recovered = try log.recover(
                from: nil, durableEvidence: known, otherEvidence: lock.lsn,
                cleanEnd: manifest.isClean ? manifest.cleanEnd : nil, visitor: &visitor)
            try visitor.finish()
            guard isFirst else { return true }
            noteVerified(recovered)
            report.lastLSN = recovered.lastLSN.rawValue
            noteTail(recovered.ignoredTail?.description)
            return true
        } catch {
            let error = evidence?.explained(error) ?? StoreError(anyError: error)
            logDamage = logDamage ?? error
            return false
        }
    }

    static let indexAdvice =
        "The index and the log disagree; the log is the truth. travertine fsck --repair builds the "
        + "index anew from the log."

    mutating func conclude(_ subject: LogAgainstIndex.Subject) {
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
        compareUsage(of: subject.store, counted: subject.usage, subject.name)
    }

    mutating func compareUsage(
        of store: ReplayedStore, counted: SegmentUsage, _ name: String
    ) {
        let kept = Dictionary(
            store.usage.segments.map { ($0.number, $0.liveByteCount) }, uniquingKeysWith: +)
        let counted = Dictionary(
            counted.segments.map { ($0.number, $0.liveByteCount) }, uniquingKeysWith: +)
        let wrong = Set(kept.keys).union(counted.keys).filter { kept[$0] != counted[$0] }.sorted()
        guard let first = wrong.first else { return }
        report.countersAreWrong = true
        report.add(
            .warning,
            "The counters of live bytes are wrong for \(wrong.count) segments; segment \(first) has "
                + "\(counted[first] ?? 0) live bytes, not \(kept[first] ?? 0).",
            advice: "No record is concerned, but compaction chooses by these counters. travertine "
                + "fsck --repair counts them anew.", file: name)
    }
}
