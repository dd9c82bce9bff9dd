import TravertineStore

/// Where the objects of a type have a point: by its stored properties.
struct PointSlots: Sendable {
    private let type: Int
    private let coordinates: Int

    /// Nil if the type has other properties.
    init?(_ properties: [StoredProperty]) {
        guard
            let type = properties.firstIndex(where: {
                $0.name == "type" && $0.type == .string && $0.collection == .none
            }),
            let coordinates = properties.firstIndex(where: {
                $0.name == "coordinates" && $0.type == .double && $0.collection == .list
                    && !$0.isOptional
            })
        else { return nil }
        self.type = type
        self.coordinates = coordinates
    }

    /// Whether the point changes with the value of a slot.
    func contains(_ slot: Int) -> Bool { slot == type || slot == coordinates }

    /// The point that a row has; nil if it says that it is something else, or its coordinates are
    /// out of range.
    ///
    /// - Parameter tree: gives the first two elements of a list that is not in the row, by the slot
    ///   and the piece that is there.
    @inline(__always)
    func point(
        in values: some SlotValues,
        tree: (_ slot: Int, _ piece: UnsafeRawBufferPointer) throws -> [Double]
    ) rethrows -> GeoPoint? {
        guard case .bytes(let text) = values.value(at: type),
            text.elementsEqual(GeoPoint.pointType.utf8),
            case .bytes(let piece) = values.value(at: coordinates)
        else { return nil }
        switch CollectionPiece(piece) {
        case .inline(let count):
            let header = CollectionPiece.inlineHeaderByteCount
            guard count > 1, piece.count >= header + 16 else { return nil }
            func number(_ offset: Int) -> Double {
                Double(
                    bitPattern: UInt64(
                        littleEndian: piece.loadUnaligned(
                            fromByteOffset: header + offset, as: UInt64.self)))
            }
            return GeoPoint(latitude: number(8), longitude: number(0))
        case .tree:
            let found = try tree(coordinates, piece)
            return found.count < 2 ? nil : GeoPoint(latitude: found[1], longitude: found[0])
        }
    }
}

/// The table of a class whose objects are points, by its stored properties.
struct StoredPoint {
    private let table: TableState
    private let slots: PointSlots

    /// Nil if the table has other properties.
    init?(_ table: TableState) {
        guard let slots = PointSlots(table.properties) else { return nil }
        self.table = table
        self.slots = slots
    }

    /// The point of an object; nil if there is no such object, if it says that it is something
    /// else, or if its coordinates are out of range.
    func value(of key: UInt64) throws -> GeoPoint? {
        guard let row = try table.session.access.value(forKey: key, in: table.stored.rows) else {
            return nil
        }
        return try value(in: try table.values(of: row), of: key)
    }

    /// The point that a row of the table has.
    func value(in row: RowValues, of key: UInt64) throws -> GeoPoint? {
        try slots.point(in: row) { slot, piece in
            let storage = CollectionStorage(table.session, table, key, slot)
            var found: [Double] = []
            try CollectionTree(table.session, storage.owner, storage.run, CollectionPiece(piece))?
                .forEach(from: 0) {
                    if case .word(let word) = $0.value {
                        found.append(Double(bitPattern: UInt64(bitPattern: word)))
                    }
                    return found.count < 2
                }
            return found
        }
    }
}
