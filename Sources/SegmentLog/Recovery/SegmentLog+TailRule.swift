/// Where the log ends, and whether what is missing there was durable.
extension SegmentLog {
    /// The tail rule (step 4 of opening): damage when something says that the first missing LSN was
    /// durable.
    func applyTailRule(
        _ walk: inout LogWalk, otherEvidence: LSN, cleanEnd: LogPosition?
    ) throws(LogError) {
        let missing = walk.nextLSN
        let end = walk.report.end
        do throws(FileSystemError) {
            try collectEvidence(&walk)
        } catch {
            throw .io(error)
        }
        let isBeforeCleanEnd = cleanEnd.map { isBefore(end, $0) } ?? false
        let isKnown = walk.durableEvidence >= missing || isBeforeCleanEnd
        guard isKnown || otherEvidence >= missing else { return }
        let culprit = culprit(in: walk)
        let why =
            isBeforeCleanEnd
            ? "the log was closed cleanly after this place"
            : "LSN \(max(walk.durableEvidence, otherEvidence)) was acknowledged as durable"
        var damage = LogDamage(
            file: path(of: culprit.position.segment), offset: culprit.position.offset,
            lsn: missing, reason: "\(culprit.reason); \(why)")
        damage.isByOtherEvidenceAlone = !isKnown
        throw .damaged(damage)
    }

    private func isBefore(_ left: LogPosition, _ right: LogPosition) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// The place to name in a damage report: where the walk stopped, or the segment that should
    /// follow there.
    private func culprit(
        in walk: LogWalk
    ) -> (position: LogPosition, reason: String) {
        if let reason = walk.stopReason {
            let missing = walk.missingSegment.map { LogPosition(segment: $0, offset: 0) }
            return (missing ?? walk.report.end, reason)
        }
        let catalog = walk.catalog
        let after = walk.report.end.segment
        for number in catalog.numbers where number > after {
            if case .bad(let reason) = catalog[number] {
                return (LogPosition(segment: number, offset: 0), reason)
            }
        }
        if after == .none {
            let first = SegmentNumber(rawValue: 1)
            return (LogPosition(segment: first, offset: 0), "the segment is missing")
        }
        return (walk.report.end, "the batch is missing")
    }

    /// Searches everything after the end for what it says of durable LSNs.
    private func collectEvidence(
        _ walk: inout LogWalk
    ) throws(FileSystemError) {
        let end = walk.report.end
        var reason = walk.stopReason
        if let scanner = walk.last {
            try collectEvidence(&walk, from: scanner, offset: Int(end.offset))
            let dataEnd = try scanner.endOfNonZero(from: Int(end.offset))
            if dataEnd > Int(end.offset) {
                walk.report.ignoredTail = IgnoredTail(
                    file: scanner.path, offset: end.offset,
                    byteCount: UInt64(dataEnd) - end.offset, lsn: walk.nextLSN,
                    reason: reason ?? "no batch begins here")
            }
        }
        for header in walk.catalog.headers(after: end.segment) {
            walk.durableEvidence = max(walk.durableEvidence, header.durableLSN)
            let file = try environment.fileSystem.open(path(of: header.number), .readOnly)
            let scanner = try SegmentScanner(file: file, header: header)
            try collectEvidence(&walk, from: scanner, offset: SegmentHeader.byteCount)
            reason = reason ?? "segment \(header.number) does not follow"
        }
        for number in walk.catalog.numbers where number > end.segment {
            if case .bad(let found) = walk.catalog[number] { reason = reason ?? found }
        }
        if let reason, walk.report.ignoredTail == nil {
            walk.report.ignoredTail = IgnoredTail(
                file: path(of: end.segment), offset: end.offset, byteCount: 0, lsn: walk.nextLSN,
                reason: reason)
        }
    }

    /// Every place after `offset` where a whole, valid batch begins may say more.
    private func collectEvidence(
        _ walk: inout LogWalk, from scanner: SegmentScanner, offset: Int
    ) throws(FileSystemError) {
        var offset = offset
        while let candidate = try scanner.nextBatchCandidate(from: offset) {
            if case .batch(let batch, _) = try scanner.batch(at: candidate) {
                walk.durableEvidence = max(walk.durableEvidence, batch.durableLSN)
                offset = candidate + Int(batch.byteCount)
            } else {
                offset = candidate + RecordLayout.alignment
            }
        }
    }
}
