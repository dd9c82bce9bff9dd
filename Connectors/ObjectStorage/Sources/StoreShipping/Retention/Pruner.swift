/// Removes points that the rules do not keep, and objects that no point needs.
///
/// It needs not hold the backup, and several may run at once, beside a shipper (U7):
///
/// Within the grace after points were removed it does nothing, so that several which run at
/// different times do not keep each other from the second step for ever.
///
/// 1. `archivedPoints`: the points that there are, up to the newest, *N*.
/// 2. `sweep`: objects are removed whose number *n* is at most *N*, where point *n* is not there
///    and the first point after it does not refer to them. An object is referred to by its own
///    point and some that follow, without a gap, so no other point does.
/// 3. `removePoints`: points are removed that the rules do not keep. Their objects stay until a
///    sweep after the grace, so that a restore that has begun can end.
public struct Pruner: Sendable {
    /// What was removed stays restorable for so long, for those who have begun.
    static let graceMilliseconds: Int64 = 3_600_000
    /// A clock that is further ahead of the shipper's is taken for a wrong one. Signs of life come
    /// each minute.
    static let clockToleranceMilliseconds: Int64 = 6 * 3_600_000
    /// A clock that is no further ahead of the service's is taken for right. The service says its
    /// time in whole seconds, and has said it some moments ago. AWS allows as much.
    private static let serviceToleranceMilliseconds: Int64 = 15 * 60_000
    private static let deletionCountMax = 1_000

    let storage: any BackupStorage
    let rules: RetentionRules
    let now: @Sendable () -> Int64
    /// Ages are those at this time where the clock is after it; nil where the clock is believed.
    let ageLimit: Int64?

    /// A pruner of a backup.
    ///
    /// - Parameter now: Milliseconds since 1970.
    public init(
        storage: any BackupStorage, rules: RetentionRules, now: @escaping @Sendable () -> Int64
    ) {
        self.init(storage: storage, rules: rules, now: now, ageLimit: nil)
    }

    init(
        storage: any BackupStorage, rules: RetentionRules, now: @escaping @Sendable () -> Int64,
        ageLimit: Int64?
    ) {
        self.storage = storage
        self.rules = rules
        self.now = now
        self.ageLimit = ageLimit
    }

    /// Removes what is not needed.
    ///
    /// Costs a request for each 1,000 objects that there are or that are removed, and one or two
    /// for each point after a gap.
    ///
    /// - Parameter onlyCounts: says what would be removed, and removes nothing.
    /// - Throws: `StorageFailure`, `ShippingError`, `CancellationError`. What was removed until
    ///   then stays so.
    public func prune(onlyCounts: Bool = false) async throws -> PruningReport {
        let reader = PointReader(storage: storage)
        guard let manifest = try await reader.manifest()?.manifest else {
            throw ShippingError.noBackup
        }
        var report = PruningReport()
        guard let newest = manifest.point else { return report }
        try checkClock(manifest)
        let points = try await reader.archivedPoints(before: newest.number)
        // After the points were listed: one that another pruner has removed since is among them,
        // and of one that it removed before, the record is there.
        let wait = try await waitMilliseconds(onlyCounts)
        guard wait <= 0 else {
            report.waitMilliseconds = wait
            report.keptPointCount = points.count + 1
            return report
        }
        try await sweep(points, newest, onlyCounts, &report)
        let kept = rules.kept(of: points + [newest.summary], at: ageTime)
        let removed = points.filter { !kept.contains($0.number) }
        report.pointCount = removed.count
        report.keptPointCount = kept.count
        if !onlyCounts { try await remove(removed) }
        return report
    }

    /// The time of day by the clock of this machine; by that of the service, as its last answer
    /// said it, if this one is far ahead of that.
    private var time: Int64 {
        let own = now()
        guard let service = storage.timeMilliseconds,
            own - service > Self.serviceToleranceMilliseconds
        else { return own }
        return service
    }

    /// The time at which points have the ages that the rules mean.
    private var ageTime: Int64 { min(time, ageLimit ?? .max) }

    /// Throws where the clock is hours after the newest sign of life of a shipper that has not
    /// ended: by a clock that was set wrong all points would be old.
    private func checkClock(_ manifest: ShippingManifest) throws {
        let ahead = time - manifest.timeMilliseconds
        guard !manifest.isHeld || ahead <= Self.clockToleranceMilliseconds else {
            throw ShippingError.clockAhead(hours: ahead / 3_600_000, isOwn: false)
        }
    }

    /// How long it is until points were removed long enough ago; 0 or less if they were. If that
    /// can't be read, or is far in the future, it counts as now.
    private func waitMilliseconds(_ onlyCounts: Bool) async throws -> Int64 {
        do {
            let content = try await storage.get(
                ObjectName.pruned, byteCountMax: ObjectCoding.byteCountMax)
            let record = try ObjectCoding.decode(
                PruningRecord.self, content.bytes, key: ObjectName.pruned)
            // One that is more than an hour in the future was put by a wrong clock, and would keep
            // all until then. One that is less so may be of a clock that is somewhat ahead.
            let age = time - record.timeMilliseconds
            if age < -Self.graceMilliseconds, !onlyCounts { try await putRecord() }
            return min(Self.graceMilliseconds - age, Self.graceMilliseconds)
        } catch StorageFailure.notFound {
            return 0
        } catch ShippingError.damaged {
            if !onlyCounts { try await putRecord() }
            return Self.graceMilliseconds
        }
    }

    private func putRecord() async throws {
        let record = PruningRecord(timeMilliseconds: time)
        _ = try await storage.put(
            try ObjectCoding.encode(record), at: ObjectName.pruned, condition: .always)
    }

    private func remove(_ points: [PointSummary]) async throws {
        guard !points.isEmpty else { return }
        try await putRecord()
        try await delete(points.map(ObjectName.point))
    }

    private func delete(_ keys: [String]) async throws {
        var rest = keys[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            try await storage.delete(Array(rest.prefix(Self.deletionCountMax)))
            rest = rest.dropFirst(Self.deletionCountMax)
        }
    }

    // MARK: Objects

    private func sweep(
        _ points: [PointSummary], _ newest: RestorePoint, _ onlyCounts: Bool,
        _ report: inout PruningReport
    ) async throws {
        let numbers = points.map(\.number) + [newest.number]
        let isPoint = Set(numbers)
        // Where all points are kept a gap means that the listing was an old one, or that the rules
        // were others.
        let kept = Set(
            (points + [newest.summary]).filter {
                ageTime - $0.timeMilliseconds <= rules.all.milliseconds
            }.map(\.number))
        // Objects whose own point is gone, by the first point after it.
        var candidates: [UInt64: [StoredItem]] = [:]
        for prefix in [ObjectName.data, ObjectName.lists] {
            try await storage.list(prefix: prefix) { item in
                guard let number = ObjectName.firstPoint(inKey: item.key),
                    number < newest.number, !isPoint.contains(number)
                else { return }
                let next = numbers[numbers.firstIndex(after: number)]
                if !kept.contains(next) { candidates[next, default: []].append(item) }
            }
        }
        let summaries = Dictionary(points.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        let reader = PointReader(storage: storage)
        for (number, items) in candidates.sorted(by: { $0.key < $1.key }) {
            let needed: Set<String>
            do {
                var point = newest
                if let summary = summaries[number] { point = try await reader.point(summary) }
                needed = try await keys(of: point)
            } catch ShippingError.missing {
                // Another pruner was faster: the next sweep looks again.
                continue
            } catch ShippingError.damaged {
                // It is not known what the point needs. It goes by the rules, and then these.
                report.unreadablePointCount += 1
                continue
            }
            let garbage = items.filter { !needed.contains($0.key) }
            report.objectCount += garbage.count
            report.byteCount += garbage.reduce(0) { $0 + $1.byteCount }
            if !onlyCounts { try await delete(garbage.map(\.key)) }
        }
    }

    /// All objects that a point refers to.
    private func keys(of point: RestorePoint) async throws -> Set<String> {
        var keys = Set(point.lists.map(ObjectName.list))
        let lists = try await PointReader(storage: storage).lists(of: point)
        for file in lists.flatMap(\.files) + point.files {
            for part in file.locatedParts { keys.insert(part.key) }
        }
        return keys
    }
}

/// What pruning removed.
public struct PruningReport: Sendable, Hashable, Codable {
    /// Points that were removed.
    public var pointCount = 0
    /// Points that are there still.
    public var keptPointCount = 0
    /// Points that can't be read, so that objects stay which they may need.
    public var unreadablePointCount = 0
    /// Parts and lists that were removed.
    public var objectCount = 0
    /// After so long it may remove something again; nil unless points were removed within the last
    /// hour, and so nothing was removed now.
    public var waitMilliseconds: Int64?
    /// The bytes of these.
    public var byteCount: UInt64 = 0
}

extension [UInt64] {
    /// The place of the first element after a number, of ascending ones; there is one.
    fileprivate func firstIndex(after number: UInt64) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
