import TravertineStore

/// Whose nodes they are.
struct CollectionOwner: Equatable {
    var keyspace: KeyspaceID
    var object: UInt64
    var property: UInt32
    /// The number of the collection inside a value of any type; 0 for the property's own.
    var nested: UInt32 = 0

    var numbering: CollectionOwner {
        CollectionOwner(
            keyspace: keyspace, object: object, property: property,
            nested: CollectionNodes.numbering)
    }

    func name(_ node: UInt32) -> CollectionNodes.Name {
        CollectionNodes.Name(
            keyspace: keyspace, object: object, property: property, nested: nested, node: node)
    }

    func key(_ node: UInt32) -> [UInt8] {
        withUnsafeBytes(of: object.bigEndian, Array.init)
            + withUnsafeBytes(of: property.bigEndian, Array.init)
            + (nested == 0 ? [] : withUnsafeBytes(of: nested.bigEndian, Array.init))
            + withUnsafeBytes(of: node.bigEndian, Array.init)
    }
}
