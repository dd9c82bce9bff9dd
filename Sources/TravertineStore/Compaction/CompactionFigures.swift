import SegmentLog

/// What the choice of segments needs to know, as of one moment.
struct CompactionFigures {
    /// The sealed segments before the older kept checkpoint, with their live bytes, by number.
    var segments: [(summary: SegmentSummary, liveByteCount: Int, age: Int)]
    /// Live bytes of the store, needed tombstones included.
    var liveByteCount: Int
    /// The sealed segments that the next checkpoint will add to these, in bytes.
    var incomingByteCount: Int
    /// Bytes of log until it is due.
    var byteCountUntilCheckpoint: Int
    /// What is allowed beyond the bound (4.13).
    var floorByteCount: Int
    /// Bytes of all segments, the active one and the spare too; those that are retired are left
    /// out.
    var byteCount: Int
    /// True when the log has no segment yet.
    var isEmptyLog: Bool

    /// The segments as the choice takes them.
    var candidates: [CompactionChoice.Candidate] {
        segments.map {
            CompactionChoice.Candidate(
                number: $0.summary.number, allocatedByteCount: $0.summary.allocatedByteCount,
                liveByteCount: $0.liveByteCount, age: $0.age)
        }
    }

    /// The figures as the choice takes them.
    func choice(spaceBound: Double) -> CompactionChoice {
        CompactionChoice(
            spaceBound: spaceBound, floorByteCount: floorByteCount,
            liveByteCount: liveByteCount, candidates: candidates,
            incomingByteCount: incomingByteCount)
    }
}

extension Store {
    /// Takes the figures under the gate; seals the active segment first if asked to.
    ///
    /// - Parameter ignoresFeeds: whether segments that feeds keep are among those that may go.
    func compactionFigures(
        sealing: Bool, ignoresFeeds: Bool = false
    ) throws(StoreError) -> CompactionFigures {
        try loadOlderSegments()
        try noteRetiredFilesOnce()
        let feeds = ignoresFeeds ? [] : try feedRecords().map(\.record)
        try gate.enter()
        defer { gate.leave() }
        if sealing { log.seal() }
        let sealed = log.sealedSegments
        let retired = Set(compaction.waiting.map(\.number))
        let excluded = compaction.unreadable.union(retired)
        let tombstones = compaction.tombstoneByteCounts
        let sealedNumbers = Set(sealed.map(\.number))
        let free = segmentsFreeOfCheckpoints(sealed)
        let kept = LogKept(by: feeds, log.segments, now: options.environment.calendarSeconds())
        let candidates = free.enumerated().filter {
            !excluded.contains($1.number) && !kept.contains($1)
        }
        let incoming = incomingByteCount(sealed)
        return CompactionFigures(
            segments: candidates.map { place, summary in
                let live = max(0, Int(usage.liveByteCount(of: summary.number)))
                return (
                    summary, live + tombstones[summary.number, default: 0], sealed.count - place
                )
            },
            liveByteCount: max(0, Int(usage.liveByteCount))
                + tombstones.values.reduce(0, +),
            incomingByteCount: incoming,
            byteCountUntilCheckpoint: checkpoints.byteCountUntilDue(
                logByteCount: appendedByteCount, liveByteCount: usage.liveByteCount,
                changedByteCount: index.changedByteCount, previous: incoming),
            floorByteCount: spaceFloor(usage),
            byteCount: log.segments.reduce(log.spareByteCount) { sum, segment in
                if retired.contains(segment.number) { return sum }
                let isSealed = sealedNumbers.contains(segment.number)
                return sum
                    + (isSealed ? segment.allocatedByteCount : Int(clamping: segment.byteCount))
            },
            isEmptyLog: log.segments.isEmpty)
    }

    /// Bytes of segments that are allowed beyond the space bound, the log after the older
    /// checkpoint not counted. The one definition, for the choice of segments and for what is
    /// reported.
    func spaceFloor(_ usage: SegmentUsage) -> Int {
        let live = max(0, Int(usage.liveByteCount))
        let size =
            options.segmentByteCountInRange ?? SegmentLog.segmentByteCount(forLiveByteCount: live)
        return CompactionChoice.floorSegmentCount * size
    }

    /// M1: segments all of whose batches lie before the older of two kept checkpoints. The segment
    /// with the checkpoint's own last batch is not among them: replay begins there.
    private func segmentsFreeOfCheckpoints(_ sealed: [SegmentSummary]) -> [SegmentSummary] {
        let kept = checkpoints.manifest.checkpoints
        guard kept.count == 2, kept.allSatisfy({ $0.file != nil }),
            let older = kept.map(\.lsn).min()
        else { return [] }
        return sealed.filter { $0.lastLSN < older }
    }

    /// The sealed segments between the two kept checkpoints: after the next one they may go.
    private func incomingByteCount(_ sealed: [SegmentSummary]) -> Int {
        let kept = checkpoints.manifest.checkpoints.map(\.lsn)
        guard let older = kept.min(), let newer = kept.max() else { return 0 }
        return sealed.reduce(0) { sum, segment in
            let isIncoming = segment.lastLSN >= older && segment.lastLSN < newer
            return sum + (isIncoming ? segment.allocatedByteCount : 0)
        }
    }

    /// Makes the log know the segments before the place where replay began.
    ///
    /// Opening reads none of them; the first call here reads the header of each, with the gate
    /// free, so that no writer waits for that.
    func loadOlderSegments() throws(StoreError) {
        try gate.checkNotInside()
        // Nothing is retired before all segments are known: so none of them is removed in the
        // meantime.
        compaction.loading.lock()
        defer { compaction.loading.unlock() }
        try gate.enter()
        let older = log.olderSegments
        gate.leave()
        guard let older else { return }
        let found: FoundSegments
        do throws(LogError) {
            found = try log.read(older)
        } catch {
            throw StoreError(error)
        }
        try gate.enter()
        log.install(found)
        gate.leave()
    }

    /// The first time: notes the retired segments whose files a crash or a snapshot kept.
    private func noteRetiredFilesOnce() throws(StoreError) {
        if compaction.hasNotedRetiredFiles { return }
        try gate.enter()
        let files = log.retiredFiles
        gate.leave()
        // Nobody in this process can see them. When they were retired is forgotten; so a reader
        // in another process must have seen the opening.
        compaction.waiting += files.map { number in
            CompactionState.RetiredSegment(
                number: number,
                byteCount: options.environment.fileSystem.allocatedByteCount(
                    of: path + "/" + number.fileName),
                birth: 0, retirement: 0, firstLSN: .zero, lsn: LSN(rawValue: openingReport.lastLSN))
        }
        removeOrphanedKeyHashes()
        compaction.hasNotedRetiredFiles = true
    }
}
