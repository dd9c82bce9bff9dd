/// The search for single records in a stretch of bytes that holds no valid batch.
///
/// A record proves itself: its checksum begins with the salt of its segment and its own offset. So
/// a search needs a guess of both, a context, and a wrong guess finds nothing. The bytes between
/// the records that were found are reported; where they look like one record, with its key.
package enum StraySearch {
    /// Checksums are taken over at most so many times the bytes of a stretch: bytes that pretend to
    /// be long records at every place must not cost hours.
    private static let budgetFactor = 256
    private static let budgetMin = 64 << 20

    /// A stretch holds at most so many contexts: more is noise.
    private static let contextCountMax = 64

    /// Searches a stretch under each context, and under those that it finds there, and adds what it
    /// finds; what that leaves over is searched under the distant contexts.
    package static func search(
        _ window: SourceWindow, source: Int, stretch: Range<Int>, contexts: [FragmentContext],
        distant: [FragmentContext] = [], into found: inout LogFragments
    ) {
        let hints = headerHints(window, stretch, contexts)
        var strays: [StrayRecord] = []
        for context in hints.contexts {
            strays += records(window, source, stretch, context, &found)
        }
        strays = disjoint(strays)
        let others = Set(distant).filter { !hints.contexts.contains($0) && $0.mayReach(stretch) }
        if !others.isEmpty {
            for gap in gaps(between: strays, in: stretch) where trimmed(gap, in: window) != nil {
                for context in others { strays += records(window, source, gap, context, &found) }
            }
            strays = disjoint(strays)
        }
        for gap in gaps(between: strays, in: stretch) {
            strays += DisplacedSearch.records(window, gap, hints.batches).flatMap { context in
                records(window, source, gap, context, &found)
            }
        }
        strays = disjoint(strays)
        for gap in gaps(between: strays, in: stretch) {
            note(window, source, gap, hints.contexts, &found)
        }
        found.strays += strays
    }

    /// What looks like a batch header in a stretch says where it belongs, whatever its checksum.
    ///
    /// - Returns: all contexts, and where batches are likely to begin.
    private static func headerHints(
        _ window: SourceWindow, _ stretch: Range<Int>, _ contexts: [FragmentContext]
    ) -> (contexts: [FragmentContext], batches: [BatchStart]) {
        var contexts = contexts
        var batches = contexts.map {
            BatchStart(salt: $0.salt, offset: stretch.lowerBound - $0.origin)
        }
        var position = stretch.lowerBound
        while let magic = BatchProbe.nextMagic(in: window, from: position),
            magic < stretch.upperBound, contexts.count < contextCountMax
        {
            position = magic + 1
            guard let header = BatchProbe.plausibleHeader(in: window, at: magic) else { continue }
            let context = FragmentContext(
                salt: header.salt, origin: magic - Int(header.offset))
            if !contexts.contains(context) { contexts.append(context) }
            let (offset, byteCount) = (Int(header.offset), Int(header.byteCount))
            batches.append(BatchStart(salt: header.salt, offset: offset))
            batches.append(BatchStart(salt: header.salt, offset: offset + byteCount))
        }
        return (contexts, batches)
    }

    /// Records that don't overlap, in the order of their positions.
    private static func disjoint(_ strays: [StrayRecord]) -> [StrayRecord] {
        var result: [StrayRecord] = []
        var end = Int.min
        for stray in strays.sorted(by: { $0.position < $1.position }) where stray.position >= end {
            result.append(stray)
            end = stray.position + stray.byteCount
        }
        return result
    }

    static func gaps(
        between strays: [StrayRecord], in stretch: Range<Int>
    ) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = stretch.lowerBound
        for stray in strays {
            if stray.position > end { result.append(end..<stray.position) }
            end = stray.position + stray.byteCount
        }
        if end < stretch.upperBound { result.append(end..<stretch.upperBound) }
        return result
    }

    private static func records(
        _ window: SourceWindow, _ source: Int, _ stretch: Range<Int>, _ context: FragmentContext,
        _ found: inout LogFragments
    ) -> [StrayRecord] {
        var budget = max(stretch.count, budgetMin / budgetFactor) * budgetFactor
        defer { if budget < 0 { found.exhaustedStretches += 1 } }
        let saltChecksum = SegmentHeader.checksum(ofSalt: context.salt)
        var strays: [StrayRecord] = []
        // Only what can lie inside the segment, on its multiples of eight.
        let least = SegmentHeader.byteCount + BatchHeader.byteCount
        var position = max(stretch.lowerBound, context.origin + least)
        position += (8 - (position - context.origin) & 7) & 7
        let limit = min(
            stretch.upperBound, context.origin + SegmentHeader.segmentByteCountMax)
        while position < limit {
            guard
                let plausible = BatchProbe.plausibleRecord(
                    in: window, at: position, limit: limit, context: context),
                budget >= 0
            else {
                position += 8
                if budget < 0 { break }
                continue
            }
            budget -= plausible.contentByteCount
            guard
                let record = BatchProbe.record(
                    in: window, at: position, limit: limit, context: context,
                    saltChecksum: saltChecksum)
            else {
                position += 8
                continue
            }
            // Without the padding: where bytes of it are missing, the next record begins there.
            let (byteCount, batchOffset) = (record.contentByteCount, record.batchOffset)
            let paddedByteCount = record.storedByteCount
            let hint = BatchProbe.headerHint(
                in: window, at: context.origin + batchOffset, context: context)
            strays.append(
                StrayRecord(
                    source: source, position: position,
                    byteCount: min(byteCount, limit - position), context: context,
                    batchOffset: batchOffset, lsnHint: hint?.lsn))
            position += paddedByteCount
        }
        return strays
    }

    /// Reports what lies between records that were found.
    private static func note(
        _ window: SourceWindow, _ source: Int, _ range: Range<Int>, _ contexts: [FragmentContext],
        _ found: inout LogFragments
    ) {
        guard let rest = trimmed(range, in: window) else { return }
        found.skipped.append(
            SkippedBytes(source: source, position: rest.lowerBound, byteCount: rest.count))
        for context in contexts {
            let damaged = chain(window, source, range, context)
            if !damaged.isEmpty {
                found.damaged += damaged
                return
            }
        }
    }

    /// Records without a matching checksum whose lengths lead from one to the next and right to the
    /// end of the range: what a damaged value, or a damaged key, leaves.
    private static func chain(
        _ window: SourceWindow, _ source: Int, _ range: Range<Int>, _ context: FragmentContext
    ) -> [DamagedRecord] {
        var found: [DamagedRecord] = []
        // The padding of the record before may be part of the range.
        var position = range.lowerBound
        position += (8 - (position - context.origin) & 7) & 7
        while position < range.upperBound {
            if let header = BatchProbe.headerHint(in: window, at: position, context: context),
                Int(header.byteCount) <= range.upperBound - position
                    || header.recordCount > 0
            {
                position += BatchHeader.byteCount
                continue
            }
            guard
                let record = BatchProbe.plausibleRecord(
                    in: window, at: position, limit: range.upperBound, context: context)
            else { break }
            let (byteCount, keyspace) = (record.storedByteCount, record.keyspace)
            let keyStart =
                position + RecordLayout.headerByteCount + record.extensionByteCount
            let keyByteCount = record.keyByteCount
            // Nothing that can be believed says whose values were in a damaged pack.
            if record.kind == .pack {
                position += byteCount
                continue
            }
            guard let key = window.bytes(at: keyStart, count: keyByteCount) else { break }
            found.append(
                DamagedRecord(
                    source: source, position: position, byteCount: byteCount, context: context,
                    keyspace: keyspace,
                    key: Array(UnsafeRawBufferPointer(start: key, count: keyByteCount))))
            position += byteCount
        }
        return found
    }

    /// The range without zeros at its ends; nil when nothing else is in it.
    static func trimmed(_ range: Range<Int>, in window: SourceWindow) -> Range<Int>? {
        var first: Int?
        var last = range.lowerBound
        var position = range.lowerBound
        while position < range.upperBound {
            let stretch = window.stretch(at: position, wanted: 1)
            let bytes = UnsafeRawBufferPointer(
                rebasing: stretch.prefix(range.upperBound - position))
            if bytes.isEmpty { break }
            if let index = bytes.firstNonZeroIndex, let lastIndex = bytes.lastNonZeroIndex {
                first = first ?? position + index
                last = position + lastIndex
            }
            position += bytes.count
            if position < range.upperBound { position = window.nextData(from: position) }
        }
        return first.map { $0..<last + 1 }
    }
}
