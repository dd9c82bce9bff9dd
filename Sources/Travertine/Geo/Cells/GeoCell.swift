/// A part of the sphere: one of the six faces of a cube that is blown up to a sphere, or a quarter
/// of a larger cell, down to squares of about a centimetre.
///
/// The technique is that of the S2 library (s2geometry.io, "S2 Cells"): points are projected to the
/// faces, the coordinates on a face are stretched so that cells of one level have about the same
/// area, and a Hilbert curve numbers the smallest cells. A cell is so a range of numbers. The
/// numbers are not those of S2.
struct GeoCell {
    /// How often a face is divided.
    static let levelMax = 30

    /// 0, 1, 2: where x, y, z is the greatest coordinate; 3, 4, 5: where it is the least.
    let face: UInt8
    let level: UInt8
    /// Its place on the face, in cells of its level.
    let first: UInt32
    let second: UInt32
    /// The number of the first of the smallest cells in it.
    let start: UInt64
    private let turn: UInt8

    private init(
        face: UInt8, level: UInt8, first: UInt32, second: UInt32, start: UInt64, turn: UInt8
    ) {
        self.face = face
        self.level = level
        self.first = first
        self.second = second
        self.start = start
        self.turn = turn
    }

    /// The six faces.
    static let faces = (0..<6).map { face in
        GeoCell(
            face: UInt8(face), level: 0, first: 0, second: 0,
            start: UInt64(face) << UInt64(2 * levelMax), turn: 0)
    }

    /// How many of the smallest cells are in it.
    var leafCount: UInt64 { 1 << UInt64(2 * (Self.levelMax - Int(level))) }

    /// The number after those of the smallest cells in it.
    var end: UInt64 { start + leafCount }

    /// The quarter at a position on the curve, 0 to 3.
    func child(_ position: Int) -> GeoCell {
        let (quarter, turn) = GeoCurve.quarter(at: position, turn: turn)
        return GeoCell(
            face: face, level: level + 1, first: first << 1 | UInt32(quarter >> 1),
            second: second << 1 | UInt32(quarter & 1),
            start: start + UInt64(position) * (leafCount >> 2), turn: turn)
    }

    /// The smallest cell that a circle is in for certain; nil if that is no face.
    static func smallest(around circle: BoundingCircle) -> GeoCell? {
        let number = number(of: circle.center)
        var cell = faces[Int(number >> UInt64(2 * levelMax))]
        guard CellOutline(cell).contains(circle.center, sine: circle.sine) else { return nil }
        while Int(cell.level) < levelMax {
            let shift = UInt64(2 * (levelMax - 1 - Int(cell.level)))
            let child = cell.child(Int(number >> shift & 3))
            guard CellOutline(child).contains(circle.center, sine: circle.sine) else { break }
            cell = child
        }
        return cell
    }

    // MARK: Points

    /// The number of the smallest cell that a point is in.
    static func number(of point: UnitVector) -> UInt64 {
        let (face, local) = FaceFrame.face(of: point)
        let (first, second) = (place(local.y / local.x), place(local.z / local.x))
        return UInt64(face) << UInt64(2 * levelMax)
            | GeoCurve.position(first, second, levels: levelMax)
    }

    private static func place(_ tangent: Double) -> UInt32 {
        let scaled = FaceFrame.stretched(tangent) * Double(1 << levelMax)
        return UInt32(min(max(scaled, 0), Double(1 << levelMax) - 1))
    }
}

/// Coordinates as seen from a face of the cube.
enum FaceFrame {
    /// The face that a direction meets, and the direction as that face sees it: x goes through the
    /// middle of the face, y and z along its sides.
    @inline(__always)
    static func face(of point: UnitVector) -> (face: Int, local: UnitVector) {
        let (x, y, z) = (abs(point.x), abs(point.y), abs(point.z))
        var face = 2
        if x >= y, x >= z {
            face = point.x < 0 ? 3 : 0
        } else if y >= z {
            face = point.y < 0 ? 4 : 1
        } else if point.z < 0 {
            face = 5
        }
        return (face, local(point, face))
    }

    /// A direction as a face sees it.
    @inline(__always)
    static func local(_ point: UnitVector, _ face: Int) -> UnitVector {
        switch face {
        case 0: point
        case 1: UnitVector(point.y, point.z, point.x)
        case 2: UnitVector(point.z, point.x, point.y)
        case 3: UnitVector(-point.x, point.y, point.z)
        case 4: UnitVector(-point.y, point.z, point.x)
        default: UnitVector(-point.z, point.x, point.y)
        }
    }

    /// The direction that a face sees as another one.
    static func global(_ local: UnitVector, _ face: Int) -> UnitVector {
        switch face {
        case 0: local
        case 1: UnitVector(local.z, local.x, local.y)
        case 2: UnitVector(local.y, local.z, local.x)
        case 3: UnitVector(-local.x, local.y, local.z)
        case 4: UnitVector(local.z, -local.x, local.y)
        default: UnitVector(local.y, local.z, -local.x)
        }
    }

    /// The place along a side, from 0 to 1, of a tangent from -1 to 1.
    @inline(__always)
    static func stretched(_ tangent: Double) -> Double {
        tangent >= 0
            ? 0.5 * (1 + 3 * tangent).squareRoot() : 1 - 0.5 * (1 - 3 * tangent).squareRoot()
    }

    /// The tangent of a place along a side.
    @inline(__always)
    static func tangent(_ place: Double) -> Double {
        place >= 0.5
            ? (4 * place * place - 1) / 3 : (1 - 4 * (1 - place) * (1 - place)) / 3
    }
}
