#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a cell lies to a shape.
enum CellRelation {
    /// No point of the cell is in the shape.
    case outside
    /// Every point is.
    case inside
    /// Neither is certain.
    case crossing
}

/// A shape, prepared to be compared with cells.
///
/// `outside` and `inside` hold for each point whose number is in the cell, by the exact test of the
/// shape: angles within `CellOutline.margin` of an edge are `crossing`.
enum CellRegion {
    case circle(CircleRegion)
    case box(BoxRegion)
    case polygon(PolygonRegion)

    /// Nil for a user's own shape, of which nothing is known.
    init?(_ shape: ShapeConstant) {
        switch shape {
        case .circle(let circle): self = .circle(CircleRegion(circle))
        case .box(let box): self = .box(BoxRegion(box))
        case .polygon(let polygon): self = .polygon(PolygonRegion(polygon))
        case .other: return nil
        }
    }

    /// Whether no point is in the shape: a box whose bottom lies above its top.
    var isEmpty: Bool {
        if case .box(let region) = self { region.isEmpty } else { false }
    }

    /// A circle around the shape; nil if there is none that is smaller than half of the sphere.
    var bound: BoundingCircle? {
        switch self {
        case .circle(let region): region.bound
        case .box(let region): region.bound
        case .polygon(let region): region.bound
        }
    }

    /// The sides that the faces of the cube are compared with; none but of a polygon.
    var sides: [Int32] {
        guard case .polygon(let region) = self else { return [] }
        return Array(0..<Int32(region.sides.count))
    }

    /// How a cell lies to the shape.
    ///
    /// - Parameter sides: those that cross the cell around it; only those that cross the cell are
    ///   left of them.
    func relation(of cell: GeoCell, _ sides: inout [Int32]) -> CellRelation {
        switch self {
        case .circle(let region): region.relation(of: cell)
        case .box(let region): region.relation(of: cell)
        case .polygon(let region): region.relation(of: cell, &sides)
        }
    }
}

/// A circle around a shape, by which most cells are found to be far away without an angle.
struct BoundingCircle {
    let center: UnitVector
    /// The sine of the radius.
    let sine: Double
    /// The straight line from the middle to the edge.
    private let chord: Double

    /// Nil for a radius of nearly a right angle or more.
    init?(_ center: UnitVector, radius: Double) {
        guard radius < 1.5 else { return nil }
        self.center = center
        sine = sin(radius)
        chord = 2 * sin(radius / 2) + CellOutline.margin
    }

    /// Whether no point of a cell is in the circle for certain.
    @inline(__always)
    func isFar(from outline: CellOutline, level: UInt8) -> Bool {
        let reach = chord + CellOutline.chordMax(ofLevel: level)
        return outline.globalCenter.squaredChord(to: center) > reach * reach
    }

    /// Whether the middle of a cell is outside, so that the cell can't be inside.
    @inline(__always)
    func hasOutside(_ outline: CellOutline) -> Bool {
        outline.globalCenter.squaredChord(to: center) > chord * chord
    }
}

/// A circle.
struct CircleRegion {
    private let center: UnitVector
    private let radius: Double
    fileprivate let bound: BoundingCircle?

    init(_ circle: GeoCircle) {
        center = UnitVector(circle.center)
        radius = circle.radians
        bound = BoundingCircle(center, radius: radius)
    }

    func relation(of cell: GeoCell) -> CellRelation {
        if radius >= .pi { return .inside }
        let outline = CellOutline(cell)
        if bound?.isFar(from: outline, level: cell.level) == true { return .outside }
        if bound?.hasOutside(outline) == true {
            let least = outline.leastDistance(from: center)
            return least > radius + CellOutline.margin ? .outside : .crossing
        }
        let (least, greatest) = outline.distances(from: center)
        if least > radius + CellOutline.margin { return .outside }
        return greatest < radius - CellOutline.margin ? .inside : .crossing
    }
}

/// A box between two latitudes and two longitudes.
struct BoxRegion {
    private let latitudes: (lower: Double, upper: Double)
    private let west: Double
    /// From the west side to the east side.
    private let width: Double
    fileprivate let bound: BoundingCircle?

    init(_ box: GeoBox) {
        let radiansPerDegree = Double.pi / 180
        let (south, north) = (box.bottomLeft.latitude, box.topRight.latitude)
        latitudes = (
            south == -90 ? -.infinity : south * radiansPerDegree,
            north == 90 ? .infinity : north * radiansPerDegree
        )
        let (left, right) = (box.bottomLeft.longitude, box.topRight.longitude)
        west = left * radiansPerDegree
        width = (right - left + (left <= right ? 0 : 360)) * radiansPerDegree
        bound = Self.bound(south * radiansPerDegree, north * radiansPerDegree, west, width)
    }

    var isEmpty: Bool { latitudes.lower > latitudes.upper }

    /// A circle around the middle: to each point leads a way along the meridian, and one along the
    /// parallel that is the longest.
    private static func bound(
        _ south: Double, _ north: Double, _ west: Double, _ width: Double
    ) -> BoundingCircle? {
        let (middle, turn) = ((south + north) / 2, west + width / 2)
        let widest = south <= 0 && north >= 0 ? 1 : max(cos(south), cos(north))
        let center = UnitVector(cos(middle) * cos(turn), cos(middle) * sin(turn), sin(middle))
        let radius = abs(north - south) / 2 + width / 2 * widest + CellOutline.margin
        return BoundingCircle(center, radius: radius)
    }

    func relation(of cell: GeoCell) -> CellRelation {
        let margin = CellOutline.margin
        let outline = CellOutline(cell)
        if bound?.isFar(from: outline, level: cell.level) == true { return .outside }
        let (fromPole, toPole) = outline.distances(from: UnitVector(0, 0, 1))
        let (lower, upper) = (.pi / 2 - toPole - margin, .pi / 2 - fromPole + margin)
        if upper < latitudes.lower || lower > latitudes.upper { return .outside }
        let isWithinLatitudes = lower >= latitudes.lower && upper <= latitudes.upper
        // All longitudes meet in a pole.
        let isAtPole = fromPole <= 2 * margin || .pi - toPole <= 2 * margin
        if isAtPole {
            return isWithinLatitudes && width >= 2 * .pi ? .inside : .crossing
        }
        let (start, length) = longitudes(outline, distanceToPole: min(fromPole, .pi - toPole))
        // From the west side of the box to that of the cell, eastwards.
        var offset = (start - west).truncatingRemainder(dividingBy: 2 * .pi)
        if offset < 0 { offset += 2 * .pi }
        if offset > width, offset + length < 2 * .pi { return .outside }
        let isWithinLongitudes = width >= 2 * .pi || offset + length <= width
        return isWithinLatitudes && isWithinLongitudes ? .inside : .crossing
    }

    /// Where the longitudes of a cell begin, and how far they go eastwards; those at its corners,
    /// because the longitude grows or falls all along a great circle.
    private func longitudes(
        _ outline: CellOutline, distanceToPole: Double
    ) -> (start: Double, length: Double) {
        let center = outline.globalCenter
        let middle = atan2(center.y, center.x)
        var (least, greatest) = (0.0, 0.0)
        outline.corners.visit { corner in
            let corner = FaceFrame.global(corner, outline.face)
            // The turn from the middle to the corner.
            let turn = atan2(
                center.x * corner.y - center.y * corner.x, center.x * corner.x + center.y * corner.y
            )
            least = min(least, turn)
            greatest = max(greatest, turn)
        }
        let margin = min(.pi, 4 * CellOutline.margin / sin(distanceToPole))
        return (middle + least - margin, min(greatest - least + 2 * margin, 2 * .pi))
    }
}

/// A polygon with its holes: a cell that no side crosses is on one side of all.
struct PolygonRegion {
    struct Side {
        let from: UnitVector
        let to: UnitVector
        /// A vector of length 1 that the side goes around.
        let axis: UnitVector
        /// How far from the plane of the side a corner must be: the direction of a short side is
        /// not certain.
        let axisMargin: Double
    }

    private let polygon: GeoPolygon
    let sides: [Side]
    fileprivate let bound: BoundingCircle?

    init(_ polygon: GeoPolygon) {
        self.polygon = polygon
        sides = ([polygon.outerRing] + polygon.holes).flatMap { ring in
            let corners = ring.map { UnitVector($0) }
            return zip(corners, corners.dropFirst()).map { Side($0, $1) }
        }
        bound = Self.bound(polygon.outerRing.map { UnitVector($0) })
    }

    /// A circle around the outer ring: if it is smaller than half of the sphere, the part of the
    /// sphere on its side of the ring is the smaller one, which is the polygon.
    private static func bound(_ corners: [UnitVector]) -> BoundingCircle? {
        let sum = corners.reduce(UnitVector(0, 0, 0)) {
            UnitVector($0.x + $1.x, $0.y + $1.y, $0.z + $1.z)
        }
        let length = UnitVector.dot(sum, sum).squareRoot()
        guard length > 1e-3 else { return nil }
        let middle = UnitVector(sum.x / length, sum.y / length, sum.z / length)
        let farthest = corners.map { middle.angle(to: $0) }.max() ?? 0
        return BoundingCircle(middle, radius: farthest + CellOutline.margin)
    }

    func relation(of cell: GeoCell, _ candidates: inout [Int32]) -> CellRelation {
        let outline = CellOutline(cell)
        if bound?.isFar(from: outline, level: cell.level) == true { return .outside }
        if !candidates.isEmpty {
            let (planes, corners) = (outline.planes, outline.corners)
            candidates.removeAll { !sides[Int($0)].mayCross(outline, planes, corners) }
        }
        if !candidates.isEmpty { return .crossing }
        guard let middle = outline.globalCenter.point else { return .crossing }
        return polygon.contains(middle) ? .inside : .outside
    }
}

extension PolygonRegion.Side {
    init(_ from: UnitVector, _ to: UnitVector) {
        let cross = UnitVector.cross(from, to)
        let length = UnitVector.dot(cross, cross).squareRoot()
        self.from = from
        self.to = to
        axis = UnitVector(cross.x / length, cross.y / length, cross.z / length)
        axisMargin = length > 0 ? max(CellOutline.margin, 4e-15 / length) : .infinity
    }

    /// Whether a part of the side may be in a cell: nothing separates the two for certain.
    func mayCross(
        _ outline: CellOutline, _ planes: FourVectors, _ corners: FourVectors
    ) -> Bool {
        let margin = CellOutline.margin
        let from = FaceFrame.local(from, outline.face)
        let to = FaceFrame.local(to, outline.face)
        let isOnCellsSide = planes.allSatisfy {
            UnitVector.dot($0, from) >= -margin || UnitVector.dot($0, to) >= -margin
        }
        guard isOnCellsSide else { return false }
        let local = FaceFrame.local(axis, outline.face)
        return !corners.allSatisfy { UnitVector.dot(local, $0) > axisMargin }
            && !corners.allSatisfy { UnitVector.dot(local, $0) < -axisMargin }
    }
}
