/// The bits of `Tree.flags`.
package enum TreeFlags {
    /// A derived keyspace whose content was lost with the checkpoints; it must be rebuilt.
    package static let invalid: UInt32 = 1
    /// The values are numbers in the index, not locations.
    package static let derived: UInt32 = 2
    /// The keyspace was dropped.
    package static let dropped: UInt32 = 4
    /// Compaction compresses the values.
    package static let cold: UInt32 = 8
    /// Compaction puts several values into one record.
    package static let packed: UInt32 = 16
}
