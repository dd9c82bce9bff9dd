import TravertineStore

/// Looks for points in a shape.
final class GeoTest: RowTest {
    private let reader: PropertyReader
    private let shape: any GeoShape
    private let point: StoredPoint?
    private let target: TableState
    /// The points of derived classes, by the number of the type, where links name the types of
    /// their objects; nil for one that is no point.
    private var derivedPoints: [UInt32: StoredPoint?] = [:]

    /// - Parameter reader: one that leads to points.
    init(_ reader: PropertyReader, _ shape: any GeoShape) {
        self.reader = reader
        self.shape = shape
        target = reader.target ?? reader.table
        point = StoredPoint(target)
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
    private func point(of table: TableState) -> StoredPoint? {
        if table === target { return point }
        if let point = derivedPoints[table.stored.number] { return point }
        let found = StoredPoint(table)
        derivedPoints[table.stored.number] = .some(found)
        return found
    }
}
