import TravertineStore

/// Checks a whole backup: each point that is kept, and each object that one refers to.
///
/// 1. `readPoints`: all points and their lists, which have checksums, some at a time.
/// 2. `compareListing`: the parts that they refer to are listed, with the size in their keys. This
///    comes after the points were read, so that what a shipper puts in the meantime is not missed.
/// 3. `readObjects`, if that is asked for: each part once, compared with its checksum.
///
/// It only reads, and may run beside a shipper and a pruner: a point that is pruned in the meantime
/// is left out. A point that is gone without a trace, because somebody deleted its object, can't be
/// distinguished from one that was pruned.
public struct BackupChecker: Sendable {
    let storage: any BackupStorage
    /// Objects that are read at the same time, each of up to 8 MiB in memory.
    public var readCountMax = 8
    /// Whether a key is not used for a store that is not encrypted; else it is refused then.
    public var ignoresUnneededKey = false

    /// What a check is doing.
    public enum Stage: String, Sendable {
        /// Reading points; counted in points.
        case points
        /// Listing objects; counted in objects.
        case listing
        /// Reading parts; counted in bytes.
        case reading
    }

    /// A checker of a backup.
    public init(storage: any BackupStorage) { self.storage = storage }

    /// Checks the backup. What is wrong with points and objects is in the report.
    ///
    /// Costs a request for each point, each list and each 1,000 objects; with `.read` one for each
    /// part too.
    ///
    /// - Parameter progress: called with how far a stage is, and all of it.
    /// - Throws: `ShippingError.noBackup`, `.notABackup`, `.newerFormat`, `.damaged` for the
    ///   manifest; `.noSuchPoint` if there is none yet; `StorageFailure`, `CancellationError`.
    public func check(
        _ depth: CheckDepth = .listed,
        progress: @escaping @Sendable (Stage, UInt64, UInt64) -> Void = { _, _, _ in }
    ) async throws -> CheckReport {
        let contents = try await Restorer(storage: storage).contents()
        guard !contents.points.isEmpty else {
            throw ShippingError.noSuchPoint("The backup has no point yet.")
        }
        var report = CheckReport()
        if let fault = contents.manifestFault {
            // The point that it had.
            let lost = (contents.points.last?.number ?? 0) + 1
            report.findings.append(
                CheckFinding(
                    kind: fault == .manifestDeleted ? .missing : .damaged,
                    key: ObjectName.manifest, message: "\(fault)", firstPoint: lost,
                    lastPoint: lost))
        }
        var (expected, points) = try await readPoints(contents, &report, progress)
        try await compareListing(&expected, &report, progress)
        if depth >= .read { try await readObjects(expected, &report, progress) }
        report.pointCount = points.count
        report.objectCount += expected.objects.count
        report.byteCount = expected.byteCount
        report.findings.sort { ($0.firstPoint, $0.key) < ($1.firstPoint, $1.key) }
        var lost: [UInt64] = []
        for finding in report.findings {
            let damaged = finding.firstPoint...finding.lastPoint
            lost += points.filter { damaged.contains($0) }
            points.removeAll { damaged.contains($0) }
        }
        report.soundPointCount = points.count
        report.repairedFrom = contents.histories.last { $0.isPutAgain }?.firstPoint
        report.lostPointCount = lost.count { $0 < report.repairedFrom ?? 0 }
        return report
    }

    // MARK: Points

    /// Reads all points with their lists, by their numbers. Gives what they refer to, and the
    /// numbers of those that are kept.
    private func readPoints(
        _ contents: BackupContents, _ report: inout CheckReport,
        _ progress: @Sendable (Stage, UInt64, UInt64) -> Void
    ) async throws -> (ExpectedObjects, [UInt64]) {
        var expected = ExpectedObjects()
        var numbers: [UInt64] = []
        var lists = Set<ListReference>()
        var unreadable: [PointSummary] = []
        let restorer = Restorer(storage: storage)
        let reader = FileReader(storage: storage)
        let total = UInt64(contents.points.count)
        var rest = contents.points[...]
        while !rest.isEmpty {
            let batch = rest.prefix(readCountMax)
            rest = rest.dropFirst(readCountMax)
            let read = await outcomes(of: batch) { try await restorer.point($0, contents) }
            for (summary, outcome) in zip(batch, read) {
                try Task.checkCancellation()
                let key = ObjectName.point(summary)
                do {
                    let point = try outcome.get()
                    let files = try await reader.files(of: point)
                    await reader.keepLists(of: point)
                    numbers.append(point.number)
                    lists.formUnion(point.lists)
                    expected.add(files, of: point.number)
                } catch ShippingError.missing(key, _) {
                    unreadable.append(summary)
                } catch let error as ShippingError {
                    numbers.append(summary.number)
                    add(try finding(error, of: summary), to: &report)
                }
                progress(.points, UInt64(numbers.count), total)
            }
        }
        report.objectCount = lists.count
        // Those that are listed still were not pruned in the meantime.
        if !unreadable.isEmpty {
            let now = Set(try await restorer.contents().points.map(\.number))
            for summary in unreadable where now.contains(summary.number) {
                numbers.append(summary.number)
                let error = ShippingError.missing(
                    key: ObjectName.point(summary), point: summary.number)
                report.findings.append(try finding(error, of: summary))
            }
        }
        return (expected, numbers)
    }

    /// Runs an operation for some points at the same time; the outcomes are in their order.
    private func outcomes<Value: Sendable>(
        of points: ArraySlice<PointSummary>,
        _ operation: @escaping @Sendable (PointSummary) async throws -> Value
    ) async -> [Result<Value, any Error>] {
        await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (place, point) in points.enumerated() {
                group.addTask {
                    do {
                        return (place, .success(try await operation(point)))
                    } catch {
                        return (place, .failure(error))
                    }
                }
            }
            var found: [Int: Result<Value, any Error>] = [:]
            for await (place, outcome) in group { found[place] = outcome }
            return points.indices.compactMap { found[$0 - points.startIndex] }
        }
    }

    /// Adds a finding of a point, or this point to a finding of the same object.
    private func add(_ finding: CheckFinding, to report: inout CheckReport) {
        let place = report.findings.lastIndex {
            $0.key == finding.key && $0.kind == finding.kind
        }
        if let place {
            report.findings[place].lastPoint = finding.lastPoint
        } else {
            report.findings.append(finding)
        }
    }

    /// What an error of a point or one of its lists says of it.
    private func finding(_ error: ShippingError, of point: PointSummary) throws -> CheckFinding {
        switch error {
        case .missing(let key, _):
            return CheckFinding(
                kind: .missing, key: key, message: "it is not there", firstPoint: point.number,
                lastPoint: point.number)
        case .damaged(let key, let reason):
            return CheckFinding(
                kind: .damaged, key: key, message: reason, firstPoint: point.number,
                lastPoint: point.number)
        default: throw error
        }
    }

    // MARK: Parts

    private func compareListing(
        _ expected: inout ExpectedObjects, _ report: inout CheckReport,
        _ progress: @Sendable (Stage, UInt64, UInt64) -> Void
    ) async throws {
        let total = UInt64(expected.objects.count)
        var knownCount: UInt64 = 0
        var otherCount = 0
        var findings: [CheckFinding] = []
        var objects = expected
        try await storage.list(prefix: ObjectName.data) { item in
            let (isKnown, finding) = objects.note(item)
            if let finding { findings.append(finding) }
            if isKnown { knownCount += 1 } else { otherCount += 1 }
            if knownCount % 1_000 == 0 { progress(.listing, knownCount, total) }
        }
        expected = objects
        report.otherObjectCount = otherCount
        report.findings += findings + expected.missing
    }

    private func readObjects(
        _ expected: ExpectedObjects, _ report: inout CheckReport,
        _ progress: @Sendable (Stage, UInt64, UInt64) -> Void
    ) async throws {
        let bad = Set(report.findings.map(\.key))
        let objects = expected.objects.filter { !bad.contains($0.key) }
            .sorted { $0.key < $1.key }
        let total = objects.reduce(0) { $0 + $1.value.byteCount }
        let reader = PointReader(storage: storage)
        try await withThrowingTaskGroup(of: (UInt64, CheckFinding?).self) { group in
            var next = 0
            func add() {
                guard next < objects.count else { return }
                let (key, object) = objects[next]
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    do {
                        let bytes = try await reader.content(
                            key, sha256: object.sha256, byteCountMax: PartPlan.partByteCountMax,
                            point: object.points.lowerBound)
                        return (UInt64(bytes.count), nil)
                    } catch ShippingError.missing {
                        return (0, object.finding(.missing, key, "it is not there any more"))
                    } catch ShippingError.damaged(_, let reason) {
                        return (0, object.finding(.damaged, key, reason))
                    }
                }
            }
            for _ in 0..<readCountMax { add() }
            while let (byteCount, finding) = try await group.next() {
                report.readByteCount += byteCount
                if let finding { report.findings.append(finding) }
                progress(.reading, report.readByteCount, total)
                add()
            }
        }
    }
}
