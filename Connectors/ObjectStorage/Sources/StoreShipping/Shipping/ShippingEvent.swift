/// What a shipper reports.
public enum ShippingEvent: Sendable, Equatable {
    /// It has the backup, and may write; the text says from whom it took it.
    case holding(takenFrom: String?)
    /// A history of the store began.
    case history(number: UInt64, note: String)
    /// So many bytes of a round are stored.
    case uploading(byteCount: UInt64, totalByteCount: UInt64)
    /// A point can be restored.
    case shipped(ShippedRound)
    /// The storage, or the store, can't be used now; said once until `recovered`.
    case waiting(reason: String)
    /// It can be used again.
    case recovered
    /// The clock was so much after the newest sign of life when this program began. Nothing may
    /// have been shipped for so long, or it is wrong; ages do not follow it for a day.
    case clockDoubted(hours: Int64)
    /// Points were removed, and objects that no point needs.
    case pruned(PruningReport)
    /// Pruning failed; it is tried again when it is due. Shipping goes on.
    case pruningFailed(reason: String)
}

/// A round that made a point.
public struct ShippedRound: Sendable, Equatable, Codable {
    /// The point.
    public var point: PointSummary
    /// Requests that stored something.
    public var putCount: Int
    /// Bytes of parts that were put.
    public var byteCount: UInt64
    /// Bytes of parts that an interrupted round had put already.
    public var resumedByteCount: UInt64
    /// How long the round took, in milliseconds.
    public var milliseconds: Int64
}
