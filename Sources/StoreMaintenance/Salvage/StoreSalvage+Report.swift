import SegmentLog
import TravertineStore

/// What the report says, and from where it is known.
extension StoreSalvage {
    mutating func note(_ plan: SalvagePlan, _ outcome: SalvageReplay.Outcome) {
        report.storeUUID = plan.identity?.text
        report.otherStoreUUIDs = plan.otherIdentities.map(\.text)
        report.lastLSN = outcome.lastLSN.rawValue
        report.durableLSN = end.durableLSN.rawValue
        report.isEndKnown = outcome.isEndKnown
        report.partialTransactionCount = outcome.partialTransactionCount
        report.deadTransactionCount = outcome.deadTransactionCount
        report.voidBatchCount = plan.voidBatchCount + outcome.voidBatchCount
        report.foreignBatchCount = plan.foreignBatchCount
        let retired = outcome.retiredNumbers.compactMap { plan.absent[$0] } + outcome.retiredRanges
        report.gaps = outcome.gaps.filter { gap in
            !retired.contains { $0.contains(gap.firstLSN) && $0.contains(gap.lastLSN) }
        }
        noteManifest(plan)
        if outcome.unreadableRunCount > 0 {
            report.notes.append(
                "\(outcome.unreadableRunCount) stretches read differently the second time; what was "
                    + "in them is missing.")
        }
        let exhausted = sources.reduce(0) { $0 + $1.fragments.exhaustedStretches }
        // Page files have stretches that look like records too; where nothing is lost none matters.
        if exhausted > 0, !report.isComplete {
            report.notes.append(
                "In \(exhausted) damaged stretches the search for single records was cut short.")
        }
    }

    /// Says what a manifest that is missing, or does not fit, means.
    private mutating func noteManifest(_ plan: SalvagePlan) {
        if let named = evidence.named, !named.identity.isSameStore(as: plan.identity) {
            report.notes.append(
                "The manifest in the directory is that of the store \(named.identity.text), not "
                    + "of the one that was taken.")
        }
        if report.isEndKnown { return }
        let reason =
            end.isKnown
            ? "The manifest is older than the log" : "No whole manifest of the store was found"
        report.notes.append(
            "\(reason), and only a manifest says where a log ends: commits after LSN "
                + "\(max(report.lastLSN, report.durableLSN)) may be missing.")
    }

    mutating func noteCut(_ cut: LSN, _ outcome: SalvageReplay.Outcome) {
        report.cutLSN = cut.rawValue
        if outcome.lastRetirementLSN >= cut {
            report.notes.append(
                "Compaction removed segments at LSN \(outcome.lastRetirementLSN), after the first "
                    + "missing LSN \(cut): versions that were overwritten or deleted in between are "
                    + "gone, so that some keys may be missing.")
        }
    }

    /// Names the keys of damaged records that were the newest; gives all of them.
    mutating func noteLostVersions(
        _ placement: StrayPlacement, _ index: SalvageIndex
    ) throws -> Set<LostKey> {
        var named: Set<LostKey> = []
        for damaged in sources.flatMap(\.fragments.damaged) {
            let salt = damaged.context.salt
            if placement.isCovered(salt: salt, offset: damaged.offset) { continue }
            if damaged.keyspace == .system { continue }
            let lsn = placement.lsn(salt: salt, offset: damaged.offset)
            if retired.stretch(holding: lsn) != nil { continue }
            let kept = try index.entry(forKey: damaged.key, in: damaged.keyspace)
            let order = (lsn.rawValue, UInt64(damaged.offset))
            // The same one if it was found whole elsewhere.
            if let kept, (kept.lsn, kept.tie) >= order { continue }
            report.lostVersionCount += 1
            named.insert(LostKey(keyspace: damaged.keyspace, key: damaged.key))
            guard report.lostVersions.count < SalvageReport.listCountMax else { continue }
            report.lostVersions.append(
                SalvageReport.LostVersion(
                    keyspace: damaged.keyspace.rawValue, key: damaged.key,
                    file: sources[damaged.source].path, offset: damaged.position,
                    lsn: lsn.rawValue, keptLSN: kept?.lsn))
        }
        return named
    }

    /// The bytes that segments cover, as far as their last batches and records lie. What comes
    /// after is unused, and in the image of a disk it may have become another file's.
    private static func areas(of fragments: LogFragments) -> [Range<Int>] {
        fragments.runs.map { $0.context.origin..<$0.position + $0.byteCount }
            + fragments.strays.map { $0.context.origin..<$0.position + $0.byteCount }
    }

    mutating func noteSources() {
        for source in sources {
            let fragments = source.fragments
            var skipped = fragments.skipped
            // In a disk image most bytes are something else; so are a page file's.
            if source.holdsOtherBytes {
                let areas = Self.areas(of: fragments)
                skipped.removeAll { stretch in
                    !areas.contains {
                        $0.overlaps(stretch.position..<stretch.position + stretch.byteCount)
                    }
                }
            }
            report.sources.append(
                SalvageReport.Source(
                    path: source.path, byteCount: source.window.byteCount,
                    batchCount: fragments.runs.reduce(0) { $0 + $1.batchCount },
                    recordCount: fragments.runs.reduce(0) { $0 + $1.recordCount },
                    strayRecordCount: fragments.strays.count,
                    skippedByteCount: skipped.reduce(0) { $0 + $1.byteCount },
                    unreadableByteCount: fragments.unreadableByteCount))
            for stretch in skipped where report.skipped.count < SalvageReport.listCountMax {
                report.skipped.append(
                    SalvageReport.Skipped(
                        file: source.path, offset: stretch.position, byteCount: stretch.byteCount))
            }
        }
    }
}
