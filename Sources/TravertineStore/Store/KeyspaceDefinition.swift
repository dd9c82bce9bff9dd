/// A keyspace's definition as the system keyspace stores it.
///
/// Key: the identifier, 4 bytes, big-endian. Value: kind (1 byte) · compression (1 byte: 0 off, 1
/// cold, 2 packed) · zero (2 bytes) · the name in UTF-8. The default keyspace has a definition
/// only if its compression was ever changed. The definition of a dropped keyspace stays, so that
/// its identifier is never used again.
package struct KeyspaceDefinition: Equatable {
    /// The keyspace's identifier.
    package var id: KeyspaceID
    /// What its values are, or that it was dropped.
    package var kind: Keyspace.Kind
    /// Its name.
    package var name: String
    /// What compaction does with its values.
    package var compression = KeyspaceCompression.off

    /// The longest name, in bytes of UTF-8.
    package static let nameByteCountMax = 255
    /// Identifiers are below: they are never used again, and opening takes memory for each.
    package static let idLimit = 1 << 24

    /// The identifier of the next keyspace, where there are so many, dropped ones included.
    static func nextID(after count: Int) throws(StoreError) -> KeyspaceID {
        guard count < idLimit else { throw .outOfNumbers("\(idLimit) numbers of keyspaces") }
        return KeyspaceID(treeNumber: count)
    }

    var key: [UInt8] { withUnsafeBytes(of: id.rawValue.bigEndian, Array.init) }
    var value: [UInt8] { [kind.rawValue, compression.rawValue, 0, 0] + Array(name.utf8) }

    /// A definition of its parts.
    package init(
        id: KeyspaceID, kind: Keyspace.Kind, name: String, compression: KeyspaceCompression = .off
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
        self.id = KeyspaceID(
            rawValue: UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)))
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
