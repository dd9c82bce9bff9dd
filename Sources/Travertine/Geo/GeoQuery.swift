import TravertineStore

extension Query {
    /// The point of an embedded object lies in a shape or on its edge; nil lies nowhere.
    ///
    /// The object's class stores a string `type`, which is "Point", and a list of doubles
    /// `coordinates`, the longitude first; an object that has others lies nowhere. Stops with a
    /// message for a class that stores no such properties.
    public func geoWithin<Target: EmbeddedObject>(_ shape: any GeoShape) -> Query<Bool>
    where T == Target? {
        Query<Bool>(.predicate(.isWithin(path, shape)))
    }

    /// The point of one of the embedded objects lies in a shape or on its edge.
    public func geoWithin<Target: EmbeddedObject>(_ shape: any GeoShape) -> Query<Bool>
    where T == List<Target> {
        Query<Bool>(.predicate(.isWithin(path, shape)))
    }
}

/// Looks for points in a shape.
final class GeoTest: RowTest {
    private let reader: PropertyReader
    private let shape: any GeoShape
    private let point: StoredPoint
    private let target: ObjectTable
    /// The points of derived classes, by the number of the type, where links name the types of
    /// their objects; nil for one that is no point.
    private var derivedPoints: [UInt32: StoredPoint?] = [:]

    init(_ names: [String], _ shape: any GeoShape, _ table: ObjectTable) {
        reader = PropertyReader(names, table)
        self.shape = shape
        guard let target = reader.target, let point = StoredPoint(target) else {
            misuse(
                "'\(names.joined(separator: "."))' is no point: its class must store a string "
                    + "'type' and a list of doubles 'coordinates', as CanonicalGeoPoint does.")
        }
        self.point = point
        self.target = target
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard let (table, key) = target.session.link(value, to: target),
                let found = try point(of: table)?.value(of: key)
            else { return false }
            return shape.contains(found)
        }
    }

    @inline(__always)
    private func point(of table: ObjectTable) -> StoredPoint? {
        if table === target { return point }
        if let known = derivedPoints[table.stored.number] { return known }
        let found = StoredPoint(table)
        derivedPoints[table.stored.number] = .some(found)
        return found
    }
}

/// The table of a class whose objects are points, by its stored properties.
struct StoredPoint {
    private let table: ObjectTable
    private let typeSlot: Int
    private let coordinatesSlot: Int

    /// Nil if the table has other properties.
    init?(_ table: ObjectTable) {
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
