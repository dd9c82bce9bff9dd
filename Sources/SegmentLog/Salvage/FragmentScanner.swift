/// Finds everything that belongs to a log in one source: a segment, several of them one after the
/// other, or the image of a disk.
///
/// 1. A valid batch is taken whole, and the search goes on after it; so nothing inside a record's
///    value is ever taken for a batch of the log, unless the batch around it is damaged.
/// 2. Where no batch begins, the next place with a magic is looked for byte by byte: bytes may be
///    missing or added, so that nothing is aligned.
/// 3. At the end each stretch without a valid batch is searched for single records (`StraySearch`),
///    under the segments that lie before and after it, and where that leaves bytes over, under
///    those that lie farther off: a copy of a block of batches, put into the middle of a batch,
///    is between its records and all that shows where they belong.
package struct FragmentScanner {
    private let window: SourceWindow
    private let source: Int
    private var found = LogFragments()
    /// Where the stretch begins that holds no batch so far.
    private var stretchStart = 0
    /// The stretches without a batch, and how many contexts were found before each.
    private var stretches: [(range: Range<Int>, contextCount: Int)] = []
    /// The contexts along the source, each time another one begins.
    private var contexts: [FragmentContext] = []
    private let progress: (Int) -> Void

    /// A stretch is searched under at most so many contexts that lie farther off, on each side.
    private static let distantCountMax = 8

    /// Scans a source; `progress` hears the bytes done from time to time.
    package static func scan(
        _ window: SourceWindow, source: Int, progress: @escaping (Int) -> Void
    ) -> LogFragments {
        var scanner = FragmentScanner(window: window, source: source, progress: progress)
        scanner.run()
        scanner.found.unreadableByteCount = window.unreadableByteCount
        return scanner.found
    }

    private init(window: SourceWindow, source: Int, progress: @escaping (Int) -> Void) {
        self.window = window
        self.source = source
        self.progress = progress
    }

    private mutating func run() {
        var position = 0
        while let candidate = BatchProbe.nextMagic(in: window, from: position, visit: progress) {
            if let batch = BatchProbe.batch(in: window, at: candidate) {
                take(batch, at: candidate)
                // No checksum covers the padding at its end: bytes of it may be missing.
                position = candidate + Int(batch.byteCount) - 7
            } else if let header = segmentHeader(at: candidate) {
                close(at: candidate)
                found.headers.append((candidate, header))
                found.noteDurable(header.durableLSN, salt: header.salt)
                enter(FragmentContext(salt: header.salt, origin: candidate))
                position = candidate + SegmentHeader.byteCount
                stretchStart = position
            } else {
                if let magic = window.bytes(at: candidate, count: 8) {
                    found.noteMagic(
                        UnsafeRawBufferPointer(start: magic, count: 8), at: candidate)
                }
                position = candidate + 1
            }
        }
        close(at: window.byteCount)
        for stretch in stretches { search(stretch.range, contextCount: stretch.contextCount) }
        progress(window.byteCount)
    }

    private mutating func enter(_ next: FragmentContext) {
        if contexts.last != next { contexts.append(next) }
    }

    /// Whether something in a stretch looks like the header of a batch.
    private func mayHoldBatch(_ stretch: Range<Int>) -> Bool {
        var position = stretch.lowerBound
        while let magic = BatchProbe.nextMagic(in: window, from: position),
            magic < stretch.upperBound
        {
            if BatchProbe.plausibleHeader(in: window, at: magic) != nil { return true }
            position = magic + 1
        }
        return false
    }

    private mutating func take(_ batch: BatchHeader, at position: Int) {
        let place = FragmentContext(salt: batch.salt, origin: position - Int(batch.offset))
        close(at: position)
        enter(place)
        stretchStart = position + Int(batch.byteCount)
        found.noteDurable(batch.durableLSN, salt: batch.salt)
        let end = found.runs.count - 1
        if end >= 0, found.runs[end].context == place, found.runs[end].lastLSN.next == batch.lsn,
            found.runs[end].position + found.runs[end].byteCount == position
        {
            found.runs[end].byteCount += Int(batch.byteCount)
            found.runs[end].lastLSN = batch.lsn
            found.runs[end].batchCount += 1
            found.runs[end].recordCount += Int(batch.recordCount)
        } else {
            found.runs.append(
                LogRun(
                    source: source, position: position, byteCount: Int(batch.byteCount),
                    context: place, firstLSN: batch.lsn, lastLSN: batch.lsn,
                    recordCount: Int(batch.recordCount)))
        }
    }

    private func segmentHeader(at position: Int) -> SegmentHeader? {
        guard let base = window.bytes(at: position, count: SegmentHeader.byteCount),
            case .header(let header) = SegmentHeader.decode(
                UnsafeRawBufferPointer(start: base, count: SegmentHeader.byteCount))
        else { return nil }
        return header
    }

    /// Ends the stretch without a batch at `end`.
    private mutating func close(at end: Int) {
        defer { stretchStart = end }
        guard stretchStart < end else { return }
        let range = stretchStart..<end
        if StraySearch.trimmed(range, in: window) == nil { return }
        stretches.append((range, contexts.count))
    }

    /// Searches a stretch that so many contexts come before.
    private mutating func search(_ range: Range<Int>, contextCount: Int) {
        let near = contexts[max(0, contextCount - 1)..<min(contextCount + 1, contexts.count)]
        let before = contexts[..<max(0, contextCount - 1)].suffix(Self.distantCountMax)
        let after = contexts[min(contextCount + 1, contexts.count)...]
            .prefix(Self.distantCountMax)
        if contexts.isEmpty, let trimmed = StraySearch.trimmed(range, in: window),
            !mayHoldBatch(trimmed)
        {
            found.unplaced.append(trimmed)
            found.skipped.append(
                SkippedBytes(
                    source: source, position: trimmed.lowerBound, byteCount: trimmed.count))
            return
        }
        StraySearch.search(
            window, source: source, stretch: range, contexts: Array(near),
            distant: Array(before.reversed() + after), into: &found)
    }
}
