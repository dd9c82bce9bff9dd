import Foundation
import TestSupport

@testable import Travertine

/// Random points and shapes, with the places where geometry is hard: poles, the meridian of 180
/// degrees, edges of cells, tiny and huge shapes.
struct PlaceRandom {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A number from 0 to less than 1.
    mutating func unit() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

    mutating func direction() -> UnitVector {
        let (z, turn) = (2 * unit() - 1, 2 * Double.pi * unit())
        let radius = (1 - z * z).squareRoot()
        return UnitVector(radius * cos(turn), radius * sin(turn), z)
    }

    mutating func point() -> GeoPoint {
        let wholes: [(Double, Double)] = [
            (90, 0), (-90, 77), (0, 0), (0, 180), (0, -180), (-0.0, -0.0), (45, 45), (-45, 135),
            (0, 90), (0, -90), (35.264389682754654, 45), (90, -180), (89.999999999, 12),
            (-89.9999999, 179.9999999), (12, 179.99999999), (12, -179.99999999),
        ]
        switch random.below(10) {
        case 0:
            let whole = random.pick(wholes)
            return GeoPoint(latitude: whole.0, longitude: whole.1) ?? origin
        case 1:
            return GeoPoint(
                latitude: Double(random.below(181)) - 90, longitude: Double(random.below(361)) - 180
            )
                ?? origin
        case 2: return near(origin, degrees: 0.01)
        default: return direction().point ?? origin
        }
    }

    private var origin: GeoPoint { GeoPoint(latitude: 38.7, longitude: -9.1)! }

    /// A point whose coordinates differ by at most so many degrees, and more to the east and west
    /// close to a pole.
    mutating func near(_ point: GeoPoint, degrees: Double) -> GeoPoint {
        let latitude = min(90, max(-90, point.latitude + (2 * unit() - 1) * degrees))
        let widening = min(180, degrees / max(1e-9, cos(latitude * .pi / 180)))
        var longitude = point.longitude + (2 * unit() - 1) * widening
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return GeoPoint(latitude: latitude, longitude: min(180, max(-180, longitude))) ?? point
    }

    /// Degrees, of any magnitude from a millimetre to the whole sphere.
    mutating func degrees() -> Double { 180 * pow(10, -11 * unit()) }

    mutating func shape() -> any GeoShape { shape(around: point()) }

    mutating func shape(around center: GeoPoint) -> any GeoShape {
        switch random.below(10) {
        case 0..<4:
            let radius = random.chance(10) ? 0 : degrees() * .pi / 180
            return GeoCircle(center: center, radiusInRadians: radius)!
        case 4..<7: return box(around: center)
        default: return polygon(around: center) ?? box(around: center)
        }
    }

    mutating func box(around center: GeoPoint) -> GeoBox {
        let wide = degrees()
        let (first, second) =
            random.chance(10) ? (point(), point()) : (near(center, degrees: wide), center)
        let east = GeoPoint(
            latitude: max(first.latitude, second.latitude),
            longitude: random.chance(50) ? first.longitude : second.longitude)!
        let west = east.longitude == first.longitude ? second.longitude : first.longitude
        let bottom = min(first.latitude, second.latitude)
        if random.chance(5) {
            return GeoBox(bottomLeft: (bottom, -180), topRight: (east.latitude, 180))!
        }
        if random.chance(3) { return GeoBox(bottomLeft: (-90, -180), topRight: (90, 180))! }
        return GeoBox(bottomLeft: GeoPoint(latitude: bottom, longitude: west)!, topRight: east)
    }

    /// A star around a point, perhaps with a hole; nil if the numbers make no polygon.
    mutating func polygon(around center: GeoPoint) -> GeoPolygon? {
        let reach = min(80, degrees()) * .pi / 180
        func ring(_ count: Int, _ scale: Double, _ radii: [Double]) -> [GeoPoint] {
            let middle = UnitVector(center)
            let helper =
                abs(middle.z) < 0.9 ? UnitVector(0, 0, 1) : UnitVector(1, 0, 0)
            let east = UnitVector.cross(helper, middle)
            let length = UnitVector.dot(east, east).squareRoot()
            let (e, m) = (
                UnitVector(east.x / length, east.y / length, east.z / length), middle
            )
            let n = UnitVector.cross(m, e)
            let corners = (0..<count).map { index in
                let turn = 2 * Double.pi * Double(index) / Double(count)
                let far = reach * scale * radii[index]
                let (a, b, c) = (cos(far), sin(far) * cos(turn), sin(far) * sin(turn))
                return UnitVector(
                    a * m.x + b * e.x + c * n.x, a * m.y + b * e.y + c * n.y,
                    a * m.z + b * e.z + c * n.z
                ).point!
            }
            return corners + [corners[0]]
        }
        let count = 3 + random.below(8)
        let radii = (0..<count).map { _ in 0.6 + 0.4 * unit() }
        let outer = ring(count, 1, radii)
        let hole = random.chance(40) ? [ring(count, 0.3 + 0.3 * unit(), radii)] : []
        return GeoPolygon(outerRing: outer, holes: hole)
    }
}
