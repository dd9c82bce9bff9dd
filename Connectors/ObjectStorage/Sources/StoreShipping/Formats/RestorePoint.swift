#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A state of a store that can be restored: which objects make up its files.
struct RestorePoint: Codable, Hashable, Sendable {
    /// 1 for the first point of a backup; each one adds one.
    var number: UInt64
    /// Which history of the store it belongs to, from 1 on.
    var history: UInt64
    /// When the image was taken, in milliseconds since 1970 by the clock of the shipper; never less
    /// than that of the point before.
    var timeMilliseconds: Int64
    /// The LSN of the newest commit.
    var lsn: UInt64
    /// The store's UUID in 36 characters.
    var storeUUID: String
    /// The store's lineage.
    var lineage: HexadecimalNumber
    /// The bytes of the file `manifest`, in base64.
    var manifest: Data
    /// The bytes of all files.
    var byteCount: UInt64
    /// Files that other points share.
    var lists: [ListReference]
    /// The segment that grows.
    var files: [ShippedFile]
}

extension RestorePoint {
    /// What distinguishes it from others.
    var summary: PointSummary {
        PointSummary(
            number: number, history: history, timeMilliseconds: timeMilliseconds, lsn: lsn)
    }
}

/// What is known of a point without reading it.
public struct PointSummary: Hashable, Sendable, Codable {
    /// 1 for the first point of a backup.
    public var number: UInt64
    /// Which history of the store it belongs to, from 1 on.
    public var history: UInt64
    /// When its image was taken, in milliseconds since 1970.
    public var timeMilliseconds: Int64
    /// The LSN of the newest commit.
    public var lsn: UInt64
}

/// One of the states of a store that follow from each other.
///
/// Another one begins where the store was put back to an older state, is a copy that has its own
/// lineage, or is another store.
struct ShippingHistory: Codable, Hashable, Sendable {
    /// From 1 on.
    var number: UInt64
    /// The number of its first point.
    var firstPoint: UInt64
    /// Why it began.
    var note: String
    /// True if everything was to be put again, after damage; otherwise absent.
    var isPutAgain: Bool?
}
