/// The search for records that lie anywhere, far from the batch that they belong to: blocks of a
/// disk that changed places, pieces of a file in an image.
///
/// It comes last, over the bytes that are left of all sources, and knows where batches began in all
/// of them. A record says how far after its batch it was; its checksum gives its offset for every
/// salt (`ChecksumInversion`). It counts if a batch began there that was not found whole. So a
/// search costs one pass over the bytes, and a pass over each record with a look-up for each
/// segment.
package struct ScatteredSearch {
    /// What is known of a batch that is not whole.
    private struct Start {
        var lsn: LSN?
        /// How far its records reach; nil if its header is lost.
        var byteCount: Int?
    }

    /// By salt and offset.
    private var starts: [UInt64: [Int: Start]] = [:]
    private var startCount = 0
    /// What whole batches cover of each segment.
    private var covered: [UInt64: [Range<Int>]] = [:]
    /// What `ChecksumInversion` combines: the salts that have a batch that is not whole.
    private var sums: [(salt: UInt64, sum: UInt32)] = []

    private static let startCountMax = 1 << 20
    /// Checksums are taken over at most so many times the bytes that are left, and this much.
    private static let budgetFactor = 16
    private static let budgetMin = 64 << 20

    package init() {}

    // MARK: Batches

    /// Takes what a source says of batches.
    package mutating func collect(_ window: SourceWindow, _ fragments: LogFragments) {
        for (_, header) in fragments.headers {
            add(header.salt, SegmentHeader.byteCount, Start())
        }
        for run in fragments.runs {
            let salt = run.context.salt
            covered[salt, default: []].append(run.offset..<run.offset + run.byteCount)
            add(salt, run.offset + run.byteCount, Start())
        }
        for stray in fragments.strays {
            add(stray.context.salt, stray.batchOffset, Start(lsn: stray.lsnHint))
        }
        for rest in fragments.skipped { collectHeaders(window, rest) }
    }

    /// Takes what looks like batch headers, whatever their checksums say.
    private mutating func collectHeaders(_ window: SourceWindow, _ rest: SkippedBytes) {
        var position = rest.position
        while let magic = BatchProbe.nextMagic(in: window, from: position),
            magic < rest.position + rest.byteCount
        {
            position = magic + 1
            guard let header = BatchProbe.plausibleHeader(in: window, at: magic) else { continue }
            let (offset, byteCount) = (Int(header.offset), Int(header.byteCount))
            add(header.salt, offset, Start(lsn: header.lsn, byteCount: byteCount))
            add(header.salt, offset + byteCount, Start())
        }
    }

    private mutating func add(_ salt: UInt64, _ offset: Int, _ start: Start) {
        guard startCount < Self.startCountMax else { return }
        let known = starts[salt]?[offset]
        if known == nil { startCount += 1 }
        // Two headers that contradict each other: the record must fit one of them.
        starts[salt, default: [:]][offset] = Start(
            lsn: known?.lsn ?? start.lsn,
            byteCount: max(known?.byteCount ?? 0, start.byteCount ?? 0).nonZero)
    }

    /// Forgets batches that were found whole; to be called when all sources were collected.
    package mutating func prepare() {
        for (salt, ranges) in covered {
            let ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
            var place = 0
            for offset in (starts[salt] ?? [:]).keys.sorted() {
                while place < ranges.count, ranges[place].upperBound <= offset { place += 1 }
                if place < ranges.count, ranges[place].contains(offset) {
                    starts[salt]?[offset] = nil
                }
            }
        }
        covered = [:]
        sums = starts.filter { !$0.value.isEmpty }.keys.sorted().map {
            (salt: $0, sum: SegmentHeader.checksum(ofSalt: $0))
        }
    }

    // MARK: Searching

    /// Searches what is left of a source, and adds what it finds.
    package func search(
        _ window: SourceWindow, source: Int, into found: inout LogFragments
    ) {
        if sums.isEmpty || found.skipped.isEmpty { return }
        let limits = Self.limits(found, window.byteCount)
        var budget =
            found.skipped.reduce(0) { $0 + $1.byteCount } * Self.budgetFactor + Self.budgetMin
        var skipped: [SkippedBytes] = []
        var strays: [StrayRecord] = []
        for rest in found.skipped {
            let range = rest.position..<rest.position + rest.byteCount
            let limit = limits[
                limits.indices.partitioningIndex { limits[$0] >= range.upperBound }]
            let records = records(window, source, range, limit: limit, &budget)
            if records.isEmpty {
                skipped.append(rest)
                continue
            }
            strays += records
            for gap in StraySearch.gaps(between: records, in: range) {
                guard let gap = StraySearch.trimmed(gap, in: window) else { continue }
                skipped.append(
                    SkippedBytes(source: source, position: gap.lowerBound, byteCount: gap.count))
            }
        }
        if budget < 0 { found.exhaustedStretches += 1 }
        if strays.isEmpty { return }
        found.skipped = skipped
        found.strays += strays
        let places = strays.map(\.position)
        found.damaged.removeAll { damaged in
            let next = places.indices.partitioningIndex { places[$0] >= damaged.position }
            return next < places.count && places[next] < damaged.position + damaged.byteCount
        }
    }

    /// Where something begins that was found, ascending, and the end of the source.
    private static func limits(_ found: LogFragments, _ end: Int) -> [Int] {
        (found.headers.map(\.position) + found.runs.map(\.position)
            + found.strays.map(\.position) + [end]).sorted()
    }

    private func records(
        _ window: SourceWindow, _ source: Int, _ range: Range<Int>, limit: Int,
        _ budget: inout Int
    ) -> [StrayRecord] {
        var strays: [StrayRecord] = []
        var position = range.lowerBound
        let headByteCount = RecordLayout.headerByteCount
        while position < range.upperBound, budget >= 0 {
            let bytes = window.stretch(at: position, wanted: headByteCount)
            let count = min(bytes.count - headByteCount + 1, range.upperBound - position)
            guard count > 0 else { break }
            guard let base = bytes.baseAddress,
                let next = (0..<count).first(where: {
                    RecordPointer(unsafeBase: base + $0, offset: 0).hasPossibleHeader
                })
            else {
                position += count
                continue
            }
            position += next
            if let stray = record(window, source, at: position, limit: limit, &budget) {
                strays.append(stray)
                position += stray.byteCount
            } else {
                position += 1
            }
        }
        return strays
    }

    /// The record at a position that may hold one, if it is intact and its batch is known.
    private func record(
        _ window: SourceWindow, _ source: Int, at position: Int, limit: Int, _ budget: inout Int
    ) -> StrayRecord? {
        guard let head = window.bytes(at: position, count: RecordLayout.headerByteCount) else {
            return nil
        }
        let found = RecordPointer(unsafeBase: head, offset: 0)
        let (distance, byteCount) = (found.batchDistance, found.contentByteCount)
        guard position + byteCount <= limit,
            let base = window.bytes(at: position, count: byteCount)
        else { return nil }
        budget -= byteCount
        let combined = ChecksumInversion.offset(
            of: UnsafeRawBufferPointer(start: base, count: byteCount))
        for (salt, sum) in sums {
            let offset = Int(combined ^ sum)
            guard offset & 7 == 0, offset < SegmentHeader.segmentByteCountMax,
                let start = starts[salt]?[offset - distance],
                distance + byteCount <= start.byteCount ?? .max
            else { continue }
            let context = FragmentContext(salt: salt, origin: position - offset)
            guard
                BatchProbe.record(
                    in: window, at: position, limit: limit, context: context, saltChecksum: sum)
                    != nil
            else { continue }
            return StrayRecord(
                source: source, position: position, byteCount: byteCount, context: context,
                batchOffset: offset - distance, lsnHint: start.lsn)
        }
        return nil
    }
}

extension Int {
    /// Nil for 0.
    fileprivate var nonZero: Int? { self == 0 ? nil : self }
}
