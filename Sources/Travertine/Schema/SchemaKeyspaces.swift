import TravertineStore

/// The keyspaces of stored types, as a transaction makes and drops them.
struct SchemaKeyspaces {
    private let transaction: WriteTransaction

    /// What a type has a keyspace for.
    enum Role {
        case rows
        case pieces
        /// Object keys by primary key. The name has the number of the next property, so that
        /// another primary key gets another keyspace.
        case primaryKey
        case backlinks(property: UInt32)
        case index(property: UInt32)
        /// An index beside those of single properties, by what its keyspace's name ends with.
        case otherIndex(String)
    }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// The keyspace of a type for a role; made if it is not there.
    func make(_ role: Role, of type: StoredObjectType) throws -> KeyspaceID {
        let (name, kind): (String, Keyspace.Kind) =
            switch role {
            case .rows: ("rows", .records)
            case .pieces: ("pieces", .records)
            case .primaryKey: ("key.\(type.nextProperty)", .derived)
            case .backlinks(let property): ("backlinks.\(property)", .derived)
            case .index(let property): ("index.\(property)", .derived)
            case .otherIndex(let name): (name, .derived)
            }
        let keyspace = try transaction.keyspace(named: "type.\(type.number).\(name)", kind: kind)
        // Rows are small, and read in place from packs as well.
        if case .rows = role { try transaction.setCompression(.packed, of: keyspace) }
        return keyspace.identifier
    }

    /// Gives a type a keyspace for pieces of collections if a property may need it.
    func addPieces(to type: inout StoredObjectType) throws {
        if type.pieces == .absent,
            type.properties.contains(where: { $0.collection != .none || $0.type == .any })
        {
            type.pieces = try make(.pieces, of: type)
        }
    }

    /// Makes the primary key of a type an ordinary property. Objects keep their keys; new ones are
    /// counted up after them.
    func dropPrimaryKey(of type: inout StoredObjectType) throws {
        for position in type.properties.indices { type.properties[position].isPrimaryKey = false }
        type.keyKind = .assigned
        try dropKeyIndex(of: &type)
    }

    /// Drops the index of a type's primary key, if there is one.
    func dropKeyIndex(of type: inout StoredObjectType) throws {
        try drop([type.keyIndex])
        type.keyIndex = .absent
    }

    /// Drops those keyspaces that are there.
    func drop(_ identifiers: [KeyspaceID]) throws {
        for id in identifiers where id != .absent {
            if let keyspace = transaction.knownKeyspace(id: id) {
                try transaction.dropKeyspace(keyspace)
            }
        }
    }
}
