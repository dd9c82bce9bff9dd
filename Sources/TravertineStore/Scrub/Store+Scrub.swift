import SegmentLog
import Synchronization

/// What verification in the background remembers between its steps.
final class ScrubState: @unchecked Sendable {
    /// Held during each step.
    let stepping = Monitor()
    // Guarded by `stepping`.
    var pass: ScrubPass?
    var record: ScrubRecord?

    /// What other threads ask for.
    struct Shared {
        var isPaused = false
        var isScheduled = false
        var record: ScrubRecord?
        var fileCount = 0
        var verifiedFileCount = 0
        var verifiedByteCount: UInt64 = 0
        var findings: [String] = []
        /// How many of `findings` are of earlier passes.
        var oldFindingCount = 0
    }

    let shared = Mutex(Shared())
}

/// Verification of sealed files while the store is in use (P18).
extension Store {
    /// Bytes that are read at a time.
    static let scrubStepByteCount = 256 << 10
    /// How long after opening the first step waits: short-lived processes verify nothing.
    static let scrubDelayNanoseconds: UInt64 = 30_000_000_000
    private static let scrubWaitMax: UInt64 = 3600

    /// Verifies every sealed segment and page file now, as fast as they can be read; returns when
    /// that is done.
    ///
    /// The store does the same by itself, slowly (`StoreOptions.scrub`). Nothing is changed or mended;
    /// what is found is also told to the event handler and shown by `statistics`. Reads and writes go
    /// on meanwhile.
    ///
    /// - Throws: `.closed`, `.misuse` inside a write transaction of the same thread.
    @discardableResult
    public func scrub() throws(StoreError) -> ScrubReport {
        try checkUsable()
        try gate.checkNotInside()
        let pass = try newScrubPass(behind: .none)
        while true {
            scrubbing.stepping.lock()
            defer { scrubbing.stepping.unlock() }
            try checkUsable()
            if pass.isDone {
                finishScrub(pass)
                return pass.report
            }
            _ = makeScrubStep(pass)
        }
    }

    /// Stops verification in the background until `resumeScrub()`; `scrub()` works all the same.
    public func pauseScrub() { scrubbing.shared.withLock { $0.isPaused = true } }

    /// Lets verification in the background go on.
    public func resumeScrub() {
        scrubbing.shared.withLock { $0.isPaused = false }
        scheduleScrub(afterNanoseconds: 0)
    }

    /// Asks for the next step of verification, unless one is asked for already.
    func scheduleScrub(afterNanoseconds delay: UInt64) {
        guard options.scrub != nil else { return }
        let isNew = scrubbing.shared.withLock { shared in
            if shared.isPaused { return false }
            defer { shared.isScheduled = true }
            return !shared.isScheduled
        }
        guard isNew else { return }
        options.environment.compactionExecutor.submit(afterNanoseconds: delay) { [weak self] in
            guard let self else { return }
            scrubbing.shared.withLock { $0.isScheduled = false }
            if let delay = scrubInBackground() { scheduleScrub(afterNanoseconds: delay) }
        }
    }

    /// One step of the pass in progress, or of the next if it is due; returns how long to wait until
    /// the next step, nil for good.
    private func scrubInBackground() -> UInt64? {
        scrubbing.stepping.lock()
        defer { scrubbing.stepping.unlock() }
        let isPaused = scrubbing.shared.withLock { $0.isPaused }
        guard let scrubOptions = options.scrub, !isPaused, !closing.load(ordering: .relaxed) else {
            return nil
        }
        let record = scrubbing.record ?? readScrubRecord()
        scrubbing.record = record
        if scrubbing.pass == nil {
            let wait = secondsUntilNextPass(record, scrubOptions)
            if wait > 0 { return min(wait, Self.scrubWaitMax) * 1_000_000_000 }
            do {
                scrubbing.pass = try newScrubPass(behind: record.position)
            } catch {
                // Closed, or a header can't be read, which a checkpoint or a compaction reports.
                return error.code == .closed ? nil : Self.scrubWaitMax * 1_000_000_000
            }
        }
        guard let pass = scrubbing.pass else { return nil }
        if pass.isDone {
            finishScrub(pass)
            scrubbing.pass = nil
            return 1_000_000_000
        }
        let byteCount = makeScrubStep(pass)
        let rate = UInt64(max(4096, scrubOptions.bytesPerSecond))
        return max(1_000_000, UInt64(byteCount) * 1_000_000_000 / rate)
    }

    private func secondsUntilNextPass(_ record: ScrubRecord, _ options: ScrubOptions) -> UInt64 {
        let now = self.options.environment.calendarSeconds()
        // A pass that an earlier process began goes on; a clock that went back delays nothing.
        guard record.position == .none, record.lastPassEnd != 0, record.lastPassEnd <= now else {
            return 0
        }
        let due = record.lastPassEnd + UInt64(max(0, options.secondsBetweenPasses))
        return due > now ? due - now : 0
    }

    private func newScrubPass(behind position: SegmentNumber) throws(StoreError) -> ScrubPass {
        try gate.enter()
        let sealed: [SegmentSummary]
        do {
            defer { gate.leave() }
            do throws(LogError) {
                try log.loadOlderSegments()
            } catch {
                throw StoreError(error)
            }
            sealed = log.sealedSegments
        }
        let pass = ScrubPass(
            sealed, behind: position, pageFiles: checkpoints.pageFiles.numbers.sorted())
        scrubbing.shared.withLock { shared in
            // Those of the pass before stay until this one is over.
            shared.findings.removeFirst(shared.oldFindingCount)
            shared.oldFindingCount = shared.findings.count
        }
        return pass
    }

    /// The caller holds `stepping`. Returns how many bytes were read.
    private func makeScrubStep(_ pass: ScrubPass) -> Int {
        let position = pass.position
        let (byteCount, finding) = pass.step(self, byteCount: Self.scrubStepByteCount)
        if pass === scrubbing.pass, pass.position != position {
            scrubbing.record?.position = pass.position
            if let record = scrubbing.record { write(record) }
        }
        scrubbing.shared.withLock { shared in
            shared.fileCount = pass.fileCount
            shared.verifiedFileCount = pass.fileCount - pass.remainingCount
            shared.verifiedByteCount += UInt64(byteCount)
            if let finding { shared.findings.append(finding.description) }
        }
        if let finding { options.eventHandler?(.scrubFoundDamage(finding)) }
        return byteCount
    }

    /// The caller holds `stepping`.
    private func finishScrub(_ pass: ScrubPass) {
        var record = scrubbing.record ?? readScrubRecord()
        record.position = .none
        record.lastPassEnd = max(1, options.environment.calendarSeconds())
        record.lastPassByteCount = pass.report.byteCount
        record.lastPassFindingCount = UInt32(clamping: pass.report.findings.count)
        scrubbing.record = record
        write(record)
        let copy = record
        scrubbing.shared.withLock { shared in
            shared.record = copy
            shared.fileCount = 0
            shared.verifiedFileCount = 0
        }
        options.eventHandler?(.scrubbed(pass.report))
    }

    var scrubStatistics: StoreStatistics.ScrubStatistics {
        let record = scrubbing.shared.withLock { $0.record } ?? readScrubRecord()
        return scrubbing.shared.withLock { shared in
            StoreStatistics.ScrubStatistics(
                isEnabled: options.scrub != nil, isPaused: shared.isPaused,
                lastPassEnd: record.lastPassEnd == 0 ? nil : record.lastPassEnd,
                lastPassByteCount: record.lastPassByteCount,
                lastPassFindingCount: Int(record.lastPassFindingCount),
                fileCount: shared.fileCount, verifiedFileCount: shared.verifiedFileCount,
                verifiedByteCount: shared.verifiedByteCount, findings: shared.findings)
        }
    }
}
