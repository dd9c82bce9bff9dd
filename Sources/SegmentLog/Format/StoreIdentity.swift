/// What distinguishes one store's files from another's: a random UUID, and a lineage that changes
/// when a restored or copied store is opened for writing.
package struct StoreIdentity: Hashable, Sendable, BitwiseCopyable {
    /// The first eight bytes of the UUID, as a little-endian number.
    package var uuidLow: UInt64
    /// The last eight bytes of the UUID, as a little-endian number.
    package var uuidHigh: UInt64
    package var lineage: UInt64

    package init(uuidLow: UInt64, uuidHigh: UInt64, lineage: UInt64) {
        self.uuidLow = uuidLow
        self.uuidHigh = uuidHigh
        self.lineage = lineage
    }

    /// Whether both have one UUID, whatever their lineages.
    package func isOfSameStore(as other: StoreIdentity) -> Bool {
        uuidLow == other.uuidLow && uuidHigh == other.uuidHigh
    }
}
