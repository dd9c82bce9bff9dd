import TravertineStore

/// What a restore makes a store of: a point, or a point and the log after it.
struct RestorePlan {
    /// The point whose manifest and checkpoint it begins with.
    let point: RestorePoint
    let files: [ShippedFile]
    /// The LSN up to which it is rolled forward, and the point that has the log; nil for a point
    /// as it is.
    let forward: (lsn: UInt64, later: RestorePoint)?

    var byteCount: UInt64 { files.reduce(0) { $0 + $1.byteCount } }

    /// The image that a point is.
    static func image(
        of point: RestorePoint, _ files: [ShippedFile]
    ) throws -> BackupImage {
        let key = ObjectName.point(point.summary)
        return BackupImage(
            storeUUID: point.storeUUID, lineage: point.lineage.value, lsn: point.lsn,
            manifest: Array(point.manifest), files: try files.map { try $0.imageFile(in: key) })
    }
}

extension Restorer {
    /// Finds out what a selection needs. Reads points and lists, no files.
    ///
    /// - Throws: `ShippingError.noSuchPoint`, `.commitNotKept`, `.missing`, `.damaged`;
    ///   `StorageFailure`.
    func plan(_ selection: PointSelection, _ contents: BackupContents) async throws -> RestorePlan {
        let chosen = try selection.choose(from: contents.points)
        let reader = FileReader(storage: storage)
        let point = try await point(chosen, contents)
        let files = try await reader.files(of: point)
        guard case .lsn(let lsn, _) = selection, lsn > chosen.lsn,
            let next = contents.point(after: chosen)
        else { return RestorePlan(point: point, files: files, forward: nil) }
        let later = try await self.point(next, contents)
        let interval = CommitInterval(
            from: point, files, to: later, try await reader.files(of: later))
        guard lsn <= interval.reach else {
            throw ShippingError.commitNotKept(lsn: lsn, reach: interval.reach, nextPoint: next)
        }
        return RestorePlan(
            point: point, files: interval.files(through: lsn), forward: (lsn, later))
    }

    /// A point of the backup.
    func point(
        _ summary: PointSummary, _ contents: BackupContents
    ) async throws -> RestorePoint {
        if let newest = contents.newest, newest.number == summary.number { return newest }
        return try await PointReader(storage: storage).point(summary)
    }

    /// For each of some points that follow each other, but the first, up to which LSN the commits
    /// between it and the point before it can be restored; nil for the first of a history.
    ///
    /// Costs a read for each point, and for each list that is not that of the point before.
    ///
    /// - Throws: `ShippingError.missing`, `.damaged`; `StorageFailure`.
    public func reaches(
        of points: ArraySlice<PointSummary>, in contents: BackupContents
    ) async throws -> [UInt64: UInt64] {
        let reader = FileReader(storage: storage)
        var reaches: [UInt64: UInt64] = [:]
        var earlier: (point: RestorePoint, files: [ShippedFile])?
        for summary in points {
            let point = try await point(summary, contents)
            let files = try await reader.files(of: point)
            await reader.keepLists(of: point)
            if let earlier, earlier.point.history == point.history {
                reaches[point.number] =
                    CommitInterval(from: earlier.point, earlier.files, to: point, files).reach
            }
            earlier = (point, files)
        }
        return reaches
    }
}

extension BackupContents {
    /// The next kept point of the history of a point.
    func point(after point: PointSummary) -> PointSummary? {
        points.first { $0.number > point.number && $0.history == point.history }
    }
}
