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

/// A keyspace's definition as the system keyspace stores it.
///
/// Key: the identifier, 4 bytes, big-endian. Value: kind (1 byte) · compression (1 byte: 0 off, 1
/// cold, 2 packed) · zero (2 bytes) · the name in UTF-8. The default keyspace has a definition only if its
/// compression was ever changed. The definition of a dropped keyspace stays, so that its identifier is never used again.
package struct KeyspaceDefinition: Equatable {
    package var id: UInt32
    package var kind: Keyspace.Kind
    package var name: String
    package var compression = KeyspaceCompression.off

    package static let nameByteCountMax = 255
    /// Identifiers are below: they are never used again, and opening takes memory for each.
    package static let idLimit = 1 << 24

    /// The identifier of the next keyspace, where there are so many, dropped ones included.
    static func nextID(behind count: Int) throws(StoreError) -> UInt32 {
        guard count < idLimit else { throw .outOfNumbers("\(idLimit) numbers of keyspaces") }
        return UInt32(count)
    }

    var key: [UInt8] { withUnsafeBytes(of: id.bigEndian, Array.init) }
    var value: [UInt8] { [kind.rawValue, compression.rawValue, 0, 0] + Array(name.utf8) }

    package init(
        id: UInt32, kind: Keyspace.Kind, name: String, compression: KeyspaceCompression = .off
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.compression = compression
    }

    /// The definition in a record of the system keyspace, or nil if it is not one.
    package init?(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard key.count == 4, value.count >= 4, value.count <= 4 + Self.nameByteCountMax,
            let kind = Keyspace.Kind(rawValue: value[0]),
            let compression = KeyspaceCompression(rawValue: value[1]), value[2] == 0, value[3] == 0,
            let name = String(validating: value.dropFirst(4), as: UTF8.self)
        else { return nil }
        self.id = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
        self.kind = kind
        self.name = name
        self.compression = compression
    }

    /// The flags of the tree of a keyspace of this kind.
    var treeFlags: UInt32 {
        switch kind {
        case .records:
            switch compression {
            case .off: 0
            case .cold: TreeFlags.cold
            case .packed: TreeFlags.packed
            }
        case .derived: TreeFlags.derived
        case .dropped: TreeFlags.dropped
        }
    }
}
