import SegmentLog
import TravertineStore

/// Which of the batches that were found belong to the log, and in which order they come.
///
/// Nothing is guessed from names or places of files:
/// 1. The store is the one that the manifest names, if a segment header has that UUID or no header
///    was found; or else the one with the most bytes.
/// 2. A segment is known by its salt. Its header has its number; if the header is lost, the
///    header of the segment after it has it, which names its predecessor. A segment without either
///    is taken if it lies in the store's directory or no other store was found.
/// 3. Of several segments that name the same predecessor the highest number counts (rule 2); the
///    others, and what follows them, are void. So are batches after the end that the next segment
///    names, and those that a segment with a higher number has again.
struct SalvagePlan {
    /// What is known of a segment.
    struct Segment {
        var number: SegmentNumber?
        var header: SegmentHeader?
        /// The last LSN that counts in it.
        var limit = LSN(rawValue: .max)
    }

    private(set) var identity: StoreIdentity?
    private(set) var otherIdentities: [StoreIdentity] = []
    /// The segments that count, by salt.
    private(set) var segments: [UInt64: Segment] = [:]
    /// The runs that count, in the order of their LSNs.
    private(set) var runs: [LogRun] = []
    /// The LSN range of each segment that is named but was not found, by number.
    private(set) var absent: [SegmentNumber: ClosedRange<UInt64>] = [:]
    private(set) var foreignBatchCount = 0
    private(set) var voidBatchCount = 0
    private var isVoid: Set<UInt64> = []

    init(_ sources: [SalvageSource], named: StoreIdentity?, wanted: StoreIdentity?) {
        var headers: [UInt64: SegmentHeader] = [:]
        for source in sources {
            for (_, header) in source.fragments.headers { headers[header.salt] = header }
        }
        // A manifest may have come from another store.
        let isBelieved =
            headers.isEmpty
            || headers.values.contains { $0.identity.isSameStore(as: named) }
        chooseIdentity(sources, headers, wanted ?? (isBelieved ? named : nil))
        for (salt, header) in headers where isOurs(header) {
            segments[salt] = Segment(number: header.number, header: header)
        }
        adoptOrphans(sources, headers)
        markVoid()
        setLimits(sources)
        orderRuns(sources)
        findAbsent()
    }

    private func isOurs(_ header: SegmentHeader) -> Bool {
        header.identity.isSameStore(as: identity)
    }

    private mutating func chooseIdentity(
        _ sources: [SalvageSource], _ headers: [UInt64: SegmentHeader], _ wanted: StoreIdentity?
    ) {
        var byteCounts: [StoreIdentity: Int] = [:]
        func withoutLineage(_ identity: StoreIdentity) -> StoreIdentity {
            StoreIdentity(uuidLow: identity.uuidLow, uuidHigh: identity.uuidHigh, lineage: 0)
        }
        for header in headers.values {
            byteCounts[withoutLineage(header.identity), default: 0] += 1
        }
        for run in sources.flatMap(\.fragments.runs) {
            guard let header = headers[run.context.salt] else { continue }
            byteCounts[withoutLineage(header.identity), default: 0] += run.byteCount
        }
        // With equal sums the lower UUID, so that the choice does not depend on chance.
        let most = byteCounts.max {
            ($0.value, $1.key.uuidHigh, $1.key.uuidLow)
                < ($1.value, $0.key.uuidHigh, $0.key.uuidLow)
        }
        identity = wanted.map(withoutLineage) ?? most?.key
        otherIdentities = byteCounts.keys.filter { $0 != identity }
            .sorted { ($0.uuidHigh, $0.uuidLow) < ($1.uuidHigh, $1.uuidLow) }
    }

    /// Takes segments whose header is lost.
    private mutating func adoptOrphans(
        _ sources: [SalvageSource], _ headers: [UInt64: SegmentHeader]
    ) {
        var named: [UInt64: SegmentNumber] = [:]
        for segment in segments.values {
            guard let predecessor = segment.header?.predecessor, predecessor.number != .none
            else { continue }
            named[predecessor.salt] = predecessor.number
        }
        let taken = Set(segments.values.compactMap(\.number))
        for source in sources {
            let salts =
                source.fragments.runs.map(\.context.salt)
                + source.fragments.strays.map(\.context.salt)
            for salt in Set(salts) where headers[salt] == nil && segments[salt] == nil {
                if let number = named[salt] {
                    segments[salt] = Segment(number: number)
                } else if source.isInDirectory || otherIdentities.isEmpty {
                    let number = source.number.flatMap { taken.contains($0) ? nil : $0 }
                    segments[salt] = Segment(number: number)
                }
            }
        }
    }

    /// Invariant 2 of the log: of those that name the same predecessor the highest number counts.
    private mutating func markVoid() {
        var children: [SegmentHeader.Predecessor.Key: [SegmentHeader]] = [:]
        for header in segments.values.compactMap(\.header) {
            children[header.predecessor.key, default: []].append(header)
        }
        for (key, siblings) in children {
            guard let winner = siblings.max(by: { $0.number < $1.number }) else { continue }
            for loser in siblings where loser.salt != winner.salt { drop(loser, children) }
            guard key.number != .none else { continue }
            segments[key.salt]?.limit = winner.predecessor.lastLSN
        }
    }

    private mutating func drop(
        _ header: SegmentHeader, _ children: [SegmentHeader.Predecessor.Key: [SegmentHeader]]
    ) {
        guard isVoid.insert(header.salt).inserted else { return }
        let key = SegmentHeader.Predecessor.Key(number: header.number, salt: header.salt)
        for child in children[key] ?? [] { drop(child, children) }
    }

    /// What a segment with a higher number has again does not count.
    private mutating func setLimits(_ sources: [SalvageSource]) {
        var first: [UInt64: LSN] = [:]
        for run in sources.flatMap(\.fragments.runs) {
            let known = first[run.context.salt] ?? LSN(rawValue: .max)
            first[run.context.salt] = min(known, run.firstLSN)
        }
        var limit = LSN(rawValue: .max)
        let numbered = segments.filter { $0.value.number != nil && !isVoid.contains($0.key) }
            .sorted { ($0.value.number ?? .none) > ($1.value.number ?? .none) }
        for (salt, segment) in numbered {
            segments[salt]?.limit = min(segment.limit, limit)
            guard let begin = segment.header?.firstLSN ?? first[salt] else { continue }
            limit = min(limit, begin.previous)
        }
    }

    private mutating func orderRuns(_ sources: [SalvageSource]) {
        for run in sources.flatMap(\.fragments.runs) {
            guard let segment = segments[run.context.salt] else {
                foreignBatchCount += run.batchCount
                continue
            }
            if isVoid.contains(run.context.salt) || run.firstLSN > segment.limit {
                voidBatchCount += run.batchCount
            } else {
                runs.append(run)
            }
        }
        for salt in isVoid { segments[salt] = nil }
        runs.sort { left, right in
            if left.firstLSN != right.firstLSN { return left.firstLSN < right.firstLSN }
            return left.lastLSN > right.lastLSN
        }
    }

    /// Segments that a successor names and that are not there: which LSNs they had.
    private mutating func findAbsent() {
        var ends: [SegmentNumber: LSN] = [:]
        for header in segments.values.compactMap(\.header) where header.predecessor.number != .none
        {
            let predecessor = header.predecessor
            ends[predecessor.number] = max(
                ends[predecessor.number] ?? .zero, predecessor.lastLSN)
        }
        let present = Set(segments.values.compactMap(\.number))
        var last: UInt64 = 0
        for (number, end) in ends.sorted(by: { $0.key < $1.key }) {
            if !present.contains(number), end.rawValue > last {
                absent[number] = last + 1...end.rawValue
            }
            last = max(last, end.rawValue)
        }
    }
}

extension SegmentHeader.Predecessor {
    /// What distinguishes one predecessor from another.
    struct Key: Hashable {
        var number: SegmentNumber
        var salt: UInt64
    }

    var key: Key { Key(number: number, salt: salt) }
}
