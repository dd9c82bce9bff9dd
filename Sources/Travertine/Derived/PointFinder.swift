import TravertineStore

/// Finds the points that links lead to, for `DerivedBuilder`: in the rows of other stored types, of
/// which no session has a table.
struct PointFinder<Target: DerivedTarget> {
    private let transaction: Target
    private let schemaKeyspace: KeyspaceID
    private let schema: StoredSchema
    /// The types that were looked at; nil for one that is no point.
    private var sources: [UInt32: Source?] = [:]

    private struct Source {
        let slots: PointSlots
        var builder: DerivedBuilder<Target>
        let tableSlots: [TableSlot]
    }

    /// - Throws: `Realm.Error` where the schema is damaged.
    init(transaction: Target, schemaKeyspace: KeyspaceID) throws {
        self.transaction = transaction
        self.schemaKeyspace = schemaKeyspace
        guard let schema = try StoredSchema.load(transaction.access, keyspace: schemaKeyspace)
        else {
            throw Realm.Error.damagedSchema
        }
        self.schema = schema
    }

    /// The point that a link of a property leads to; nil if there is none.
    mutating func point(of link: PlaceLink, _ property: StoredProperty) throws -> GeoPoint? {
        let found =
            link.type == 0
            ? schema.type(named: property.target)
            : schema.types.first { $0.number == link.type }
        guard let type = found else { return nil }
        if sources[type.number] == nil { sources[type.number] = .some(source(type)) }
        guard var source = sources[type.number].flatMap(\.self) else { return nil }
        guard let row = try transaction.access.value(forKey: link.target, in: type.rows) else {
            return nil
        }
        let values = try source.builder.values(of: row, source.tableSlots)
        sources[type.number] = source
        return try source.slots.point(in: values) { slot, piece in
            try firstElements(
                of: CollectionPiece(piece),
                CollectionOwner(
                    keyspace: type.pieces, object: link.target,
                    property: type.properties[slot].number))
        }
    }

    private func source(_ type: StoredObjectType) -> Source? {
        guard let slots = PointSlots(type.properties) else { return nil }
        return Source(
            slots: slots,
            builder: DerivedBuilder(
                transaction: transaction, type: type, schemaKeyspace: schemaKeyspace),
            tableSlots: type.properties.map { TableSlot($0) })
    }

    // MARK: Large lists

    /// The first two doubles of a list in nodes (O26: each step goes one level down).
    private func firstElements(
        of piece: CollectionPiece, _ owner: CollectionOwner
    ) throws -> [Double] {
        guard case .tree(let height, let root, _, _) = piece,
            CollectionTree.soundHeights.contains(height)
        else { throw Realm.Error.damagedSchema }
        var found: [Double] = []
        try collect(root, height, owner, &found)
        return found
    }

    private func collect(
        _ node: UInt32, _ level: Int, _ owner: CollectionOwner, _ found: inout [Double]
    ) throws {
        let bytes = try owner.key(node).withBytes { (key) throws(StoreError) in
            try transaction.access.value(forKey: key, in: owner.keyspace).map { Array($0) }
        }
        guard let bytes else { throw Realm.Error.damagedSchema }
        if level > 1 {
            for entry in bytes.withUnsafeBytes({ CollectionTree.decode($0) }) where found.count < 2
            {
                try collect(entry.node, level - 1, owner, &found)
            }
            return
        }
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) where found.count < 2 {
            found.append(
                bytes.withUnsafeBytes {
                    Double(
                        bitPattern: UInt64(
                            littleEndian: $0.loadUnaligned(
                                fromByteOffset: offset, as: UInt64.self)))
                })
        }
    }
}
