#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a cell is on the sphere, as its face sees it: the area between four great circles.
///
/// Angles are right to about 1e-15; what is decided by them keeps `margin` away from where it would
/// matter. So does the number of a point near an edge, which rounding may have put into the
/// neighbouring cell.
struct CellOutline {
    /// An angle, of 64 micrometres, below which nothing is taken for certain.
    static let margin = 1e-11

    let face: Int
    /// The tangents of the sides.
    private let lower: (y: Double, z: Double)
    private let upper: (y: Double, z: Double)
    /// The middle.
    let center: UnitVector

    init(_ cell: GeoCell) {
        self.init(
            face: Int(cell.face), level: Int(cell.level), first: cell.first..<(cell.first + 1),
            second: cell.second..<(cell.second + 1))
    }

    /// The outline of neighbouring cells of a face, by their places along its sides.
    @inline(__always)
    init(face: Int, level: Int, first: Range<UInt32>, second: Range<UInt32>) {
        let size = 1 / Double(1 << level)
        func tangents(_ places: Range<UInt32>) -> (Double, Double, Double) {
            let (lower, upper) = (Double(places.lowerBound), Double(places.upperBound))
            return (
                FaceFrame.tangent(lower * size), FaceFrame.tangent((lower + upper) / 2 * size),
                FaceFrame.tangent(upper * size)
            )
        }
        let (y, z) = (tangents(first), tangents(second))
        self.face = face
        lower = (y.0, z.0)
        upper = (y.2, z.2)
        center = Self.direction(y.1, z.1)
    }

    private static func direction(_ y: Double, _ z: Double) -> UnitVector {
        let length = (1 + y * y + z * z).squareRoot()
        return UnitVector(1 / length, y / length, z / length)
    }

    /// The middle as a direction from the centre of the Earth.
    var globalCenter: UnitVector { FaceFrame.global(center, face) }

    /// The corners, one after the other around the cell, as the face sees them.
    var corners: FourVectors {
        FourVectors(
            Self.direction(lower.y, lower.z), Self.direction(upper.y, lower.z),
            Self.direction(upper.y, upper.z), Self.direction(lower.y, upper.z))
    }

    /// The planes of the sides, as vectors of length 1 that point inwards.
    var planes: FourVectors {
        func length(_ tangent: Double) -> Double { (1 + tangent * tangent).squareRoot() }
        let (south, north) = (length(lower.y), length(upper.y))
        let (west, east) = (length(lower.z), length(upper.z))
        return FourVectors(
            UnitVector(-lower.y / south, 1 / south, 0), UnitVector(upper.y / north, -1 / north, 0),
            UnitVector(-lower.z / west, 0, 1 / west), UnitVector(upper.z / east, 0, -1 / east))
    }

    /// Whether a circle, as wide as the sine says, is in the cell for certain.
    func contains(_ center: UnitVector, sine: Double) -> Bool {
        let local = FaceFrame.local(center, face)
        return planes.allSatisfy { UnitVector.dot($0, local) > sine + Self.margin } && local.x > 0
    }

    // MARK: Distances

    /// More than the straight line from the middle of a cell of a level to any of its points.
    static func chordMax(ofLevel level: UInt8) -> Double { 1.3 / Double(1 << Int(level)) }

    /// The angles from a point to the nearest and to the farthest point of the cell.
    func distances(from point: UnitVector) -> (least: Double, greatest: Double) {
        let local = FaceFrame.local(point, face)
        let corners = corners
        return (
            least(from: local, corners),
            .pi - least(from: UnitVector(-local.x, -local.y, -local.z), corners)
        )
    }

    /// The angle from a point to the nearest point of the cell.
    func leastDistance(from point: UnitVector) -> Double {
        least(from: FaceFrame.local(point, face), corners)
    }

    private func least(from point: UnitVector, _ corners: FourVectors) -> Double {
        if point.x > 0 {
            let (y, z) = (point.y / point.x, point.z / point.x)
            if lower.y <= y, y <= upper.y, lower.z <= z, z <= upper.z { return 0 }
        }
        var least = Double.pi
        least = min(least, Self.side(lower.y, point.x, point.y, point.z, lower.z, upper.z))
        least = min(least, Self.side(upper.y, point.x, point.y, point.z, lower.z, upper.z))
        least = min(least, Self.side(lower.z, point.x, point.z, point.y, lower.y, upper.y))
        least = min(least, Self.side(upper.z, point.x, point.z, point.y, lower.y, upper.y))
        return min(least, Self.angle(to: corners, from: point))
    }

    /// The angle to the nearest of some corners. Those on the other side of the Earth are compared
    /// by the lines from the antipode, because the lines from here have lost the digits.
    private static func angle(to corners: FourVectors, from point: UnitVector) -> Double {
        let antipode = UnitVector(-point.x, -point.y, -point.z)
        var (line, lineFromAntipode) = (Double.infinity, 0.0)
        corners.visit { corner in
            line = min(line, corner.squaredChord(to: point))
            lineFromAntipode = max(lineFromAntipode, corner.squaredChord(to: antipode))
        }
        if line > 2 { line = 4 - lineFromAntipode } else { lineFromAntipode = 4 - line }
        return 2 * atan2(line.squareRoot(), lineFromAntipode.squareRoot())
    }

    /// The angle to a side in the plane b = tangent · a, if the nearest point of its great circle
    /// is on it; else π.
    private static func side(
        _ tangent: Double, _ a: Double, _ b: Double, _ c: Double, _ lower: Double, _ upper: Double
    ) -> Double {
        let length = (1 + tangent * tangent).squareRoot()
        let height = (b - tangent * a) / length
        let foot = a + tangent * height / length
        guard foot > 0, lower * foot <= c, c <= upper * foot else { return .pi }
        let footB = b - height / length
        return atan2(abs(height), (foot * foot + footB * footB + c * c).squareRoot())
    }
}

/// Four vectors in place: making an array of them would cost more than what is computed with them.
struct FourVectors {
    let first: UnitVector
    let second: UnitVector
    let third: UnitVector
    let fourth: UnitVector

    init(_ first: UnitVector, _ second: UnitVector, _ third: UnitVector, _ fourth: UnitVector) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    @inline(__always)
    func visit(_ body: (UnitVector) -> Void) {
        body(first)
        body(second)
        body(third)
        body(fourth)
    }

    @inline(__always)
    func allSatisfy(_ test: (UnitVector) -> Bool) -> Bool {
        test(first) && test(second) && test(third) && test(fourth)
    }
}

extension UnitVector {
    static func dot(_ a: UnitVector, _ b: UnitVector) -> Double {
        a.x * b.x + a.y * b.y + a.z * b.z
    }

    static func cross(_ a: UnitVector, _ b: UnitVector) -> UnitVector {
        UnitVector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    /// The square of the straight line to another point.
    func squaredChord(to other: UnitVector) -> Double {
        let (x, y, z) = (x - other.x, y - other.y, z - other.z)
        return x * x + y * y + z * z
    }

    /// The angle between two directions, exact for neighbours and antipodes.
    func angle(to other: UnitVector) -> Double {
        let opposite = UnitVector(-other.x, -other.y, -other.z)
        return 2
            * atan2(squaredChord(to: other).squareRoot(), squaredChord(to: opposite).squareRoot())
    }

    /// The point of the Earth's surface in this direction.
    var point: GeoPoint? {
        let latitude = atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
        let longitude = atan2(y, x) * 180 / .pi
        return GeoPoint(
            latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
    }
}
