import OrderedIndex
import SegmentLog
import TravertineStore

/// The checkpoints by themselves, and one against the other.
extension StoreVerifier {
    /// A checkpoint with the log after it, sound in itself.
    struct ReadCheckpoint {
        var number: UInt32
        var store: ReplayedStore
        var name: String { StoreFiles.pageFile(number) }
    }

    /// Opens a checkpoint with the log after it, and verifies pages and trees; nil if it is
    /// damaged, or if the log is, which reading it as a whole reports.
    mutating func read(
        _ entry: Manifest.CheckpointEntry, _ manifest: Manifest
    ) -> ReadCheckpoint? {
        guard let number = entry.file else { return nil }
        let name = StoreFiles.pageFile(number)
        reportProgress("checkpoints", 0)
        let opening = StoreOpening(path: path, options: options)
        switch opening.openPages(of: entry, manifest.identity) {
        case .failure(let reason):
            if let error = reason.error {
                obstacle = obstacle ?? error
                return nil
            }
            report.add(
                .error, "The checkpoint is damaged: \(reason).", advice: Self.checkpointAdvice,
                file: name)
            return nil
        case .success(let pages):
            do {
                let opened = ReplayedStore(
                    try opening.replay(
                        after: pages, manifest, entry, OpeningReport(source: .newestCheckpoint),
                        []))
                unreachable.formUnion(opened.log.unreachableSegments)
                let errorCount = report.findings.count
                verifyPages(of: pages, in: opened)
                if report.findings.count > errorCount { return nil }
                try verifyInvariants(of: opened, name)
                return ReadCheckpoint(number: number, store: opened)
            } catch {
                note(error, name)
                return nil
            }
        }
    }

    /// Reports a page that can't be read; a damaged log is reported by reading it as a whole.
    private mutating func note(_ error: StoreError, _ name: String) {
        guard error.isDamagedPage else { return }
        report.add(
            .error, "The checkpoint is damaged: \(error.message)",
            advice: Self.checkpointAdvice, file: name, offset: error.offset)
    }

    /// Marks the places of an index; nil, reported, if a page can't be read any more.
    mutating func subject(
        of checkpoint: ReadCheckpoint, _ segments: [UInt32]
    ) -> LogAgainstIndex.Subject? {
        do {
            return try LogAgainstIndex.Subject(
                checkpoint.store, name: checkpoint.name, segments: segments)
        } catch {
            note(error, checkpoint.name)
            return nil
        }
    }

    // MARK: The other checkpoint

    /// Reads checkpoints while the caller goes on, and reports into a separate verifier.
    func readConcurrently(
        _ entries: some Collection<Manifest.CheckpointEntry>, _ manifest: Manifest
    ) -> ConcurrentResult<(found: [ReadCheckpoint], verifier: StoreVerifier)> {
        var verifier = StoreVerifier(
            path: path, environment: environment, level: level, progress: nil,
            report: VerificationReport(path: path))
        let entries = Array(entries)
        return ConcurrentResult(ofThreads: environment.mayUseThreads && !entries.isEmpty) {
            let found = entries.compactMap { verifier.read($0, manifest) }
            return (found, verifier)
        }
    }

    /// Takes over what another verifier has found out about checkpoints.
    mutating func take(
        _ result: (found: [ReadCheckpoint], verifier: StoreVerifier)
    ) -> [ReadCheckpoint] {
        let other = result.verifier
        report.findings += other.report.findings
        report.pageCount += other.report.pageCount
        report.byteCount += other.report.byteCount
        neededPageFiles.formUnion(other.neededPageFiles)
        unreachable.formUnion(other.unreachable)
        obstacle = obstacle ?? other.obstacle
        return result.found
    }

    /// Compares a checkpoint with one that was compared with the log.
    mutating func compare(
        _ checkpoint: ReadCheckpoint, with newest: LogAgainstIndex.Subject, _ manifest: Manifest,
        _ segments: [UInt32]
    ) {
        do {
            if try checkpoint.store.agrees(with: newest.store) {
                return compareUsage(
                    of: checkpoint.store, counted: newest.usage, checkpoint.name)
            }
        } catch {
            return note(error, checkpoint.name)
        }
        guard let subject = subject(of: checkpoint, segments),
            readLog(manifest, subject, isFirst: false)
        else { return }
        conclude(subject)
        compareDerived(newest, subject)
    }

    private mutating func verifyInvariants(
        of opened: ReplayedStore, _ name: String
    ) throws(StoreError) {
        for keyspace in KeyspaceID.ofTrees(0..<opened.access.treeCount) {
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

    private mutating func compareDerived(
        _ left: LogAgainstIndex.Subject, _ right: LogAgainstIndex.Subject
    ) {
        let (leftAccess, rightAccess) = (left.access, right.access)
        for keyspace in KeyspaceID.ofTrees(0..<min(leftAccess.treeCount, rightAccess.treeCount)) {
            let (first, second) = (leftAccess.tree(of: keyspace), rightAccess.tree(of: keyspace))
            guard first.flags & second.flags & TreeFlags.derived != 0,
                (first.flags | second.flags) & TreeFlags.invalid == 0
            else { continue }
            do {
                let count = try IndexComparison(leftAccess, rightAccess, keyspace: keyspace)
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
