import TravertineStore

/// The table of a class whose objects are points, by its stored properties.
struct StoredPoint {
    private let table: TableState
    private let typeSlot: Int
    private let coordinatesSlot: Int

    /// Nil if the table has other properties.
    init?(_ table: TableState) {
        guard
            let type = table.properties.firstIndex(where: {
                $0.name == "type" && $0.type == .string && $0.collection == .none
            }),
            let coordinates = table.properties.firstIndex(where: {
                $0.name == "coordinates" && $0.type == .double && $0.collection == .list
                    && !$0.isOptional
            })
        else { return nil }
        self.table = table
        typeSlot = type
        coordinatesSlot = coordinates
    }

    /// The point of an object; nil if it says that it is something else, or its coordinates are out
    /// of range.
    func value(of key: UInt64) throws -> GeoPoint? {
        guard let row = try table.session.access.value(forKey: key, in: table.stored.rows),
            case .bytes(let type) = table.value(
                at: typeSlot, in: row, try table.binding(of: row)),
            type.elementsEqual(GeoPoint.pointType.utf8)
        else { return nil }
        var coordinates: [Double] = []
        try CollectionStorage(table.session, table, key, coordinatesSlot).visit {
            if case .word(let word) = $0 {
                coordinates.append(Double(bitPattern: UInt64(bitPattern: word)))
            }
            return coordinates.count < 2
        }
        guard coordinates.count == 2 else { return nil }
        return GeoPoint(latitude: coordinates[1], longitude: coordinates[0])
    }
}
