/// A named, separate, ordered set of keys in a store.
///
/// All keyspaces of a store change together in one transaction and share one version, so that a
/// snapshot sees all of them as of one commit. Identifiers are never used again after a drop.
public struct Keyspace: Hashable, Sendable {
    /// The number that records in the log carry; also the place of its tree in a root.
    public let id: UInt32
    /// The name it was created with.
    public let name: String
    /// What its values are.
    package let kind: Kind

    /// What the values of a keyspace are.
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        /// Values are records in the log.
        case records = 0
        /// Values are 64-bit numbers in the index pages, derived from records and rebuildable.
        case derived = 1
        /// The keyspace was dropped; its identifier stays taken.
        case dropped = 2
    }

    /// The keyspace that is used when none is named.
    @inlinable
    public static var `default`: Keyspace {
        // Computed, so that reads have it as a constant, without a reference to be counted.
        Keyspace(id: 1, name: "default", kind: .records)
    }

    /// The keyspace of keyspace definitions; it is never handed to users.
    package static let system = Keyspace(id: 0, name: "", kind: .records)

    @usableFromInline
    package init(id: UInt32, name: String, kind: Kind) {
        self.id = id
        self.name = name
        self.kind = kind
    }
}
