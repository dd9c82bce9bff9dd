import TravertineStore

extension StoredSchema {
    /// Stores a layout.
    static func put(
        _ layout: Layout, of type: UInt32, _ transaction: WriteTransaction, _ keyspace: KeyspaceID
    ) throws {
        try put(layoutKey(type, layout.number), layout.encoded, transaction, keyspace)
    }

    /// Stores an object type.
    static func put(
        _ type: StoredObjectType, _ transaction: WriteTransaction, _ keyspace: KeyspaceID
    ) throws {
        try put(typeKey(type.number), type.encoded, transaction, keyspace)
    }

    /// Removes every record of a type.
    static func removeAll(
        of type: UInt32, _ transaction: WriteTransaction, _ keyspace: KeyspaceID
    ) throws {
        let keyspace = Keyspace(id: keyspace, name: keyspaceName, kind: .records)
        for key in [typeKey(type), layoutKey(type, 0), floorKey(type), valueDomainKey(type)] {
            let start = Array(key.prefix(5))
            let end =
                [start[0]] + withUnsafeBytes(of: (type + 1).bigEndian, Array.init)
            try transaction.deleteRange(from: start, to: end, in: keyspace)
        }
    }

    static func put(
        _ key: [UInt8], _ value: [UInt8], _ transaction: WriteTransaction, _ keyspace: KeyspaceID
    ) throws {
        try key.withBytes { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: keyspace)
            }
        }
    }
}
