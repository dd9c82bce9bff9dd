// For the layers above, which see nothing else of the log.
@_exported import struct SegmentLog.KeyspaceID

/// A named, separate, ordered set of keys in a store.
///
/// All keyspaces of a store change together in one transaction and share one version, so that a
/// snapshot sees all of them as of one commit. Identifiers are never used again after a drop.
public struct Keyspace: Hashable, Sendable {
    /// The number that records in the log carry; also the place of its tree in a root.
    @inlinable public var id: UInt32 { identifier.rawValue }
    /// The same number, with the type that everything inside the package takes.
    @usableFromInline package let identifier: KeyspaceID
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
        Keyspace(id: .default, name: "default", kind: .records)
    }

    /// The keyspace of keyspace definitions; it is never handed to users.
    package static let system = Keyspace(id: .system, name: "", kind: .records)

    @usableFromInline
    package init(id: KeyspaceID, name: String, kind: Kind) {
        identifier = id
        self.name = name
        self.kind = kind
    }
}
