import TravertineStore

/// Reads the points that a path leads to, from the row of an object.
final class PointReader {
    private let reader: PropertyReader
    private let point: StoredPoint?
    private let target: TableState
    /// The points of derived classes, by the number of the type, where links name the types of
    /// their objects; nil for one that is no point.
    private var derivedPoints: [UInt32: StoredPoint?] = [:]

    /// - Parameter reader: one that leads to points.
    init(_ reader: PropertyReader) {
        self.reader = reader
        target = reader.target ?? reader.table
        point = StoredPoint(target)
    }

    /// The slot of the link, if the path is one link of the row itself.
    var directSlot: Int? { reader.directSlot }

    /// Whether the path leads to objects that can be points.
    var leadsToPoints: Bool { reader.target != nil && point != nil }

    /// Whether a test holds for any of the points.
    @inline(__always)
    func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ test: (GeoPoint) -> Bool
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard let (table, key) = target.session.link(value, to: target),
                let found = try point(of: table)?.value(of: key)
            else { return false }
            return test(found)
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
