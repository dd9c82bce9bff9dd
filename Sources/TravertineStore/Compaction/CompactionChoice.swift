import SegmentLog

/// Which segments compaction takes next, and whether it must: arithmetic only.
///
/// The benefit of compacting a segment is the space that it frees, times how long that space is
/// likely to stay free, over the cost of reading it and writing what is live:
/// (1 − u) · age ÷ (1 + u), with the live fraction u. Age is counted in segments, never by a clock,
/// and capped: without the cap, old segments that are nearly full would be copied again and again.
struct CompactionChoice {
    /// A segment that may be compacted.
    struct Candidate: Equatable {
        var number: SegmentNumber
        /// Bytes that its file takes.
        var allocatedByteCount: Int
        /// Bytes that must be copied: live records, and tombstones that were found to be needed.
        var liveByteCount: Int
        /// The number of segments that came after it.
        var age: Int

        var gain: Int { max(0, allocatedByteCount - liveByteCount) }

        /// Whether more than a share of its bytes is free to go.
        func gains(_ share: Double) -> Bool { Double(gain) > share * Double(allocatedByteCount) }

        /// Benefit over cost.
        var score: Double {
            let fraction = min(1, Double(liveByteCount) / Double(max(1, allocatedByteCount)))
            return (1 - fraction) * Double(min(age, CompactionChoice.ageMax)) / (1 + fraction)
        }
    }

    static let ageMax = 32
    /// So many segments, of the size that new ones get, are allowed beyond the bound (4.13).
    static let floorSegmentCount = 4
    /// Segments that free less than this share are left alone.
    static let gainShareMin = 0.02
    /// Those that are taken ahead of time free at least this share: what is fuller becomes cheaper
    /// by waiting.
    static let gainShareMinAhead = 0.4

    /// Allocated bytes ÷ live bytes that the store keeps to, beyond the floor.
    var spaceBound: Double
    /// What is allowed beyond the bound (`Store.spaceFloor`).
    var floorByteCount: Int
    /// Live bytes of the whole store, needed tombstones included.
    var liveByteCount: Int
    /// The sealed segments that a kept checkpoint no longer needs for its replay; what came later
    /// is allowed beyond the bound too.
    var candidates: [Candidate]
    /// What the next checkpoint will add to them.
    var incomingByteCount = 0

    /// What the candidates may take together.
    var allowedByteCount: Int {
        Int(min(Double(liveByteCount) * max(1, spaceBound) + Double(floorByteCount), 1e18))
    }

    /// The bytes that must be freed; 0 when the store is within its bound.
    var excess: Int { max(0, candidateByteCount - allowedByteCount) }

    /// The bytes that must be freed for the store to be within its bound after the next
    /// checkpoint too. All that comes at once then: without room for it, the store would be beyond
    /// its bound for as long as compaction takes to make some.
    var excessAhead: Int { max(0, candidateByteCount + incomingByteCount - allowedByteCount) }

    private var candidateByteCount: Int { candidates.reduce(0) { $0 + $1.allocatedByteCount } }

    /// The share of the bytes of some candidates that compacting them gives back.
    func gainShare(of numbers: [SegmentNumber]) -> Double {
        let chosen = candidates.filter { numbers.contains($0.number) }
        let allocated = chosen.reduce(0) { $0 + $1.allocatedByteCount }
        return Double(chosen.reduce(0) { $0 + $1.gain }) / Double(max(1, allocated))
    }

    /// The segments of one pass: the best ones, until the excess is gone or so many bytes would
    /// be held in memory; in the order of the log. Beyond what must go now, those that are
    /// mostly garbage go ahead of time.
    func choose(memoryByteCount: Int, onlyDead: Bool = false) -> [SegmentNumber] {
        let (now, ahead) = (excess, excessAhead)
        if ahead == 0 { return [] }
        var gained = 0
        var taken = 0
        var chosen: [Candidate] = []
        let ordered = candidates.filter { candidate in
            candidate.gains(Self.gainShareMin) && (!onlyDead || candidate.liveByteCount == 0)
        }.sorted { ($0.score, $1.number) > ($1.score, $0.number) }
        for candidate in ordered {
            if gained >= ahead { break }
            if gained >= now, !candidate.gains(Self.gainShareMinAhead) { continue }
            if !chosen.isEmpty, taken + candidate.allocatedByteCount > memoryByteCount { continue }
            chosen.append(candidate)
            taken += candidate.allocatedByteCount
            gained += candidate.gain
        }
        return chosen.map(\.number).sorted()
    }
}
