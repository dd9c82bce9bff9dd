import TravertineStore

extension StoredSchema {
    /// Stores a layout.
    static func put(
        _ layout: Layout, of type: UInt32, _ transaction: WriteTransaction, _ keyspace: UInt32
    ) throws {
        try put(layoutKey(type, layout.number), layout.encoded, transaction, keyspace)
    }

    /// Stores an object type.
    static func put(
        _ type: StoredObjectType, _ transaction: WriteTransaction, _ keyspace: UInt32
    ) throws {
        try put(typeKey(type.number), type.encoded, transaction, keyspace)
    }

    static func put(
        _ key: [UInt8], _ value: [UInt8], _ transaction: WriteTransaction, _ keyspace: UInt32
    ) throws {
        try key.withBytes { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: keyspace)
            }
        }
    }
}
