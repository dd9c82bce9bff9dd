import TravertineStore

/// The commits after a point and before the next kept one of its history, as far as they can be
/// restored (U12): the files of the earlier point, and the log that the later one has.
///
/// A store appends to the segment in which the earlier point ends, then to segments that follow it,
/// each of which names the one before. Compaction may have removed some of them before the later
/// point was taken: then the log is there up to the first one that is missing.
struct CommitInterval {
    let earlier: RestorePoint
    let later: RestorePoint
    /// Commits up to this LSN can be restored, at least that of the earlier point.
    let reach: UInt64
    private let earlierFiles: [ShippedFile]
    /// The segments of the later point with the log from the earlier one on, in order.
    private let segments: [ShippedFile]

    /// - Parameters:
    ///   - earlier: A point, with all its files.
    ///   - later: The next kept point of the same history, with all its files.
    init(
        from earlier: RestorePoint, _ earlierFiles: [ShippedFile], to later: RestorePoint,
        _ laterFiles: [ShippedFile]
    ) {
        precondition(
            earlier.history == later.history && earlier.lsn <= later.lsn,
            "commits lie between points of one history")
        (self.earlier, self.later, self.earlierFiles) = (earlier, later, earlierFiles)
        let segments = laterFiles.filter(\.isSegment)
        var following: [UInt32: ShippedFile] = [:]
        for segment in segments {
            if let log = segment.log { following[log.predecessor] = segment }
        }
        var found: [ShippedFile] = []
        var reach = earlier.lsn
        // Names have the numbers in ten digits, so their order is that of the log.
        let last = earlierFiles.filter(\.isSegment).max { $0.name < $1.name }
        var number = last?.segmentNumber ?? 0
        if let last, let grown = segments.first(where: { $0.name == last.name }) {
            guard grown.mark == last.mark, grown.byteCount >= last.byteCount, let log = grown.log
            else {
                (self.reach, self.segments) = (reach, [])
                return
            }
            found.append(grown)
            reach = max(reach, log.lastLSN)
        }
        while let next = following.removeValue(forKey: number), let log = next.log,
            log.firstLSN == reach + 1
        {
            found.append(next)
            reach = max(reach, log.lastLSN)
            number = next.segmentNumber
        }
        self.reach = min(reach, later.lsn)
        self.segments = found
    }

    /// Whether each commit in between can be restored.
    var isWhole: Bool { reach == later.lsn }

    /// The files from which a store can be rolled forward to an LSN.
    func files(through lsn: UInt64) -> [ShippedFile] {
        precondition(lsn <= reach, "the log is not there")
        let needed = segments.filter { ($0.log?.firstLSN ?? 0) <= lsn }
        let names = Set(needed.map(\.name))
        return earlierFiles.filter { !names.contains($0.name) } + needed
    }
}
