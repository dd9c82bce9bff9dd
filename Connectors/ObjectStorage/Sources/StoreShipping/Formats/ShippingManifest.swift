/// The object that makes the others a backup: the newest point, and who may write the next one.
///
/// It is replaced by conditional puts alone, and never deleted (U1).
struct ShippingManifest: Codable, Hashable, Sendable {
    static let formatName = "travertine-shipping"
    static let newestVersion = 1

    /// `travertine-shipping`.
    var format = ShippingManifest.formatName
    /// The version of the format of all objects.
    var version = ShippingManifest.newestVersion
    /// Each put adds one.
    var sequence: UInt64
    /// Random, so that no two manifests have the same content.
    var nonce: HexadecimalNumber
    /// When it was put, in milliseconds since 1970 by the clock of the shipper.
    var timeMilliseconds: Int64
    /// Who put it.
    var holder: ShipperIdentity
    /// Whether the holder goes on; false once it has ended on its own.
    var isHeld: Bool
    /// All histories that have points, the oldest first.
    var histories: [ShippingHistory]
    /// The newest point; nil before the first.
    var point: RestorePoint?
    /// Who put the newest point, or began with `beginsNew` elsewhere when nothing was new; nil
    /// before the first.
    var pointHolder: ShipperIdentity?
}

/// A process that ships.
struct ShipperIdentity: Codable, Hashable, Sendable {
    /// Random, for each run.
    var id: HexadecimalNumber
    /// The machine's name.
    var host: String
    /// Random, for each start of the machine; nil where it is not known.
    var boot: String?
    /// A number of the machine that stays the same; nil where it is not known.
    var machine: String?
    /// The process number there.
    var process: Int32
    /// When it began, in milliseconds since 1970.
    var sinceMilliseconds: Int64
    /// The path of the store there; nil where an older program has put it.
    var directory: String?
}

/// The object `pruned`.
struct PruningRecord: Codable, Hashable, Sendable {
    /// When points were last removed, in milliseconds since 1970.
    var timeMilliseconds: Int64
}
