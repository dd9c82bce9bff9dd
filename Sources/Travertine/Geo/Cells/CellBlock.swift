/// Four cells of one level and face that meet in a corner, around a small shape.
///
/// The smallest cell that a shape is in may be a thousand times larger, if one of its sides goes
/// through the shape. The block of the four cells around the corner that is nearest to the middle
/// of the shape is at most four times as wide, wherever the sides are.
struct CellBlock {
    private let face: Int
    private let level: Int
    /// The place of the first cell, in cells of the level.
    private let first: UInt32
    private let second: UInt32

    /// The block of the smallest cells that a circle is in for certain; nil for a circle near the
    /// edge of a face, and for one that is wide or too small to be compared.
    init?(around circle: BoundingCircle) {
        guard circle.sine > 1e-8, circle.sine < 0.1 else { return nil }
        let (face, local) = FaceFrame.face(of: circle.center)
        let places = (
            FaceFrame.stretched(local.y / local.x), FaceFrame.stretched(local.z / local.x)
        )
        // Cells of the first level are hardly ever as wide as the circle; those of the last one
        // are.
        let finest = 1 - Int((4 * circle.sine).exponent)
        for level in (max(finest - 4, 1)...max(finest, 1)).reversed() {
            if let block = CellBlock(face, min(level, GeoCell.levelMax), places),
                block.outline.contains(circle.center, sine: circle.sine)
            {
                self = block
                return
            }
        }
        return nil
    }

    /// The block around the corner that is nearest to a point of a face; nil if it is not all on
    /// it.
    private init?(_ face: Int, _ level: Int, _ places: (Double, Double)) {
        let width = Double(1 << level)
        let (first, second) = (
            (places.0 * width).rounded() - 1, (places.1 * width).rounded() - 1
        )
        guard first >= 0, second >= 0, first + 2 <= width, second + 2 <= width else { return nil }
        self.face = face
        self.level = level
        self.first = UInt32(first)
        self.second = UInt32(second)
    }

    private var outline: CellOutline {
        CellOutline(
            face: face, level: level, first: first..<(first + 2), second: second..<(second + 2))
    }

    /// The numbers of the four cells.
    var ranges: [CellRange] {
        let shift = UInt64(2 * (GeoCell.levelMax - level))
        var ranges: [CellRange] = []
        ranges.reserveCapacity(4)
        for (first, second) in [
            (first, second), (first + 1, second), (first, second + 1), (first + 1, second + 1),
        ] {
            let start =
                UInt64(face) << UInt64(2 * GeoCell.levelMax)
                | GeoCurve.position(first, second, levels: level) << shift
            ranges.append(CellRange(lower: start, upper: start + (1 << shift), isInside: false))
        }
        return ranges
    }
}
