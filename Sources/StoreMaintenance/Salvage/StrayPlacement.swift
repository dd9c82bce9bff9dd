import SegmentLog
import TravertineStore

/// Gives records that were found outside of batches their place in the order of the log.
///
/// A record lies between two batches of its segment that are whole; so its LSN lies between theirs.
/// Within that, records of one batch stay together and batches keep their order. The LSN
/// that is in what is left of the batch's header is taken if it fits. A segment that is not retired
/// lies after the retired stretches that its LSNs could else fall into.
struct StrayPlacement {
    /// A stray record with its LSN, as far as it is known.
    struct Placed {
        var stray: StrayRecord
        var lsn: LSN
    }

    private let plan: SalvagePlan
    private let retired: RetirementTable
    /// The valid stretches of each segment, by offset.
    private var runs: [UInt64: [LogRun]] = [:]

    init(_ plan: SalvagePlan, _ sources: [SalvageSource], retired: RetirementTable) {
        self.plan = plan
        self.retired = retired
        for run in sources.flatMap(\.fragments.runs) where plan.segments[run.context.salt] != nil {
            runs[run.context.salt, default: []].append(run)
        }
        for salt in runs.keys { runs[salt]?.sort { $0.offset < $1.offset } }
    }

    /// Whether a batch at an offset was found whole, in this source or in another.
    func isCovered(salt: UInt64, offset: Int) -> Bool {
        (runs[salt] ?? []).contains { $0.offset <= offset && offset < $0.offset + $0.byteCount }
    }

    /// The strays that count, each once.
    func placed(_ strays: [StrayRecord]) -> [Placed] {
        var bySalt: [UInt64: [StrayRecord]] = [:]
        for stray in strays where plan.segments[stray.context.salt] != nil {
            if isCovered(salt: stray.context.salt, offset: stray.batchOffset) { continue }
            bySalt[stray.context.salt, default: []].append(stray)
        }
        return bySalt.sorted { $0.key < $1.key }.flatMap { place($0.value, salt: $0.key) }
    }

    /// The LSN of something at an offset: after the batch before it, not above the one after it.
    func lsn(salt: UInt64, offset: Int) -> LSN {
        bounds(salt: salt, offset: offset).lower.next
    }

    private func place(_ strays: [StrayRecord], salt: UInt64) -> [Placed] {
        var result: [Placed] = []
        var seen: Set<Int> = []
        var current: (batchOffset: Int, lsn: LSN)?
        for stray in strays.sorted(by: { $0.offset < $1.offset })
        where seen.insert(stray.offset).inserted {
            let (lower, upper) = bounds(salt: salt, offset: stray.batchOffset)
            if current?.batchOffset != stray.batchOffset {
                var lsn = max(lower.next, current.map { $0.lsn.next } ?? .zero)
                if let hint = stray.lsnHint, hint >= lsn { lsn = hint }
                if let upper, lsn >= upper { lsn = max(lower.next, upper.previous) }
                current = (stray.batchOffset, lsn)
            }
            guard let lsn = current?.lsn, lsn <= plan.segments[salt]?.limit ?? .zero else {
                continue
            }
            result.append(Placed(stray: stray, lsn: lsn))
        }
        return result
    }

    private func bounds(salt: UInt64, offset: Int) -> (lower: LSN, upper: LSN?) {
        let segment = plan.segments[salt]
        var lower = segment?.header?.firstLSN.previous ?? .zero
        var upper: LSN?
        if let limit = segment?.limit, limit.rawValue != .max { upper = limit.next }
        for run in runs[salt] ?? [] {
            if run.offset <= offset {
                lower = max(lower, run.lastLSN)
            } else {
                upper = min(upper ?? run.firstLSN, run.firstLSN)
                break
            }
        }
        if segment?.header == nil, lower == .zero { lower = lastOfOthers(salt, before: upper) }
        while let stretch = retired.stretch(holding: lower.next), isKept(salt, beside: stretch) {
            lower = stretch.lastLSN
        }
        return (lower, upper)
    }

    /// Whether a segment is none of those that a stretch retires: it is one as a whole or not at
    /// all.
    private func isKept(_ salt: UInt64, beside stretch: RetirementTable.Stretch) -> Bool {
        if let last = runs[salt]?.map(\.lastLSN).max() { return last > stretch.lastLSN }
        return plan.segments[salt]?.number.map { !retired.contains($0) } ?? false
    }

    /// Where a segment begins whose header is lost: LSNs are dense and segments follow each other,
    /// so it is after all that other segments have before its first whole batch.
    private func lastOfOthers(_ salt: UInt64, before upper: LSN?) -> LSN {
        runs.lazy.filter { $0.key != salt }.flatMap(\.value).map(\.lastLSN)
            .filter { lsn in upper.map { lsn < $0 } ?? true }.max() ?? .zero
    }
}
