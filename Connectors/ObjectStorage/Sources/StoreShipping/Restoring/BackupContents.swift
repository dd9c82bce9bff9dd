/// What a backup has.
public struct BackupContents: Sendable {
    /// What is wrong with the object `manifest`, without which only archived points are known: that
    /// it is missing, or no manifest. Nil if it is there.
    public let manifestFault: ShippingError?
    /// The points that can be restored, by their numbers; the last one is the newest.
    public let points: [PointSummary]
    /// All histories, the oldest first.
    public let histories: [History]
    /// Who wrote last, and whether it goes on, as far as that is known.
    public let holder: (name: String, isHeld: Bool, timeMilliseconds: Int64)
    let newest: RestorePoint?

    /// A history, with why it began.
    public struct History: Sendable, Codable, Hashable {
        /// From 1 on.
        public var number: UInt64
        /// The number of its first point.
        public var firstPoint: UInt64
        /// Why it began.
        public var note: String
        /// Whether everything was put again with it, after damage (`ShipperOptions.putsAgain`).
        public var isPutAgain = false
    }

    /// What a manifest says, with the points that are archived before its own.
    init(_ manifest: ShippingManifest, archived: [PointSummary]) {
        manifestFault = nil
        newest = manifest.point
        points = archived + (manifest.point.map { [$0.summary] } ?? [])
        histories = manifest.histories.map {
            History(
                number: $0.number, firstPoint: $0.firstPoint, note: $0.note,
                isPutAgain: $0.isPutAgain ?? false)
        }
        let writer = manifest.holder
        holder = (
            "process \(writer.process) on \(writer.host)", manifest.isHeld,
            manifest.timeMilliseconds
        )
    }

    /// What archived points say without a manifest; `newest` is the last one of them.
    init(archived: [PointSummary], newest: RestorePoint, _ fault: ShippingError) {
        manifestFault = fault
        self.newest = newest
        points = archived
        var histories: [History] = []
        for point in archived where point.history != histories.last?.number {
            histories.append(
                History(
                    number: point.history, firstPoint: point.number,
                    note: "not known without the manifest"))
        }
        self.histories = histories
        holder = ("a process that is not known", false, newest.timeMilliseconds)
    }

    /// The UUID of the store of the newest point.
    public var storeUUID: String? { newest?.storeUUID }

    /// The bytes that a restore of the newest point reads.
    public var newestByteCount: UInt64? { newest?.byteCount }
}
