/// Looks for points in a shape.
final class GeoTest: RowTest {
    private let points: PointReader
    private let shape: any GeoShape

    /// - Parameter reader: one that leads to points.
    init(_ reader: PropertyReader, _ shape: any GeoShape) {
        points = PointReader(reader)
        self.shape = shape
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try points.any(row, binding, key) { shape.contains($0) }
    }
}
