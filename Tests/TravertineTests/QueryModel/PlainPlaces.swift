import Foundation
import RealmSwift

@testable import Travertine

/// Whether points are in shapes, for the plain evaluator: from the documentation of the shapes
/// alone.
enum PlainPlaces {
    /// Closer to an edge than this angle, rounding decides.
    private static let margin = 1e-9

    /// The point of an embedded object; nil if it is none (Objects 12.2).
    static func point(_ values: [String: WorldValue]) -> (latitude: Double, longitude: Double)? {
        guard case .string("Point")? = values["type"],
            case .list(let coordinates)? = values["coordinates"], coordinates.count >= 2,
            case .double(let longitude) = coordinates[0],
            case .double(let latitude) = coordinates[1],
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        return (latitude, longitude)
    }

    static func contains(
        _ shape: ShapeConstant, _ point: (latitude: Double, longitude: Double)
    ) throws -> Bool {
        switch shape {
        case .box(let box): return isIn(box, point)
        case .circle(let circle):
            let center = (circle.center.latitude, circle.center.longitude)
            let angle = angle(direction(center.0, center.1), direction(point.0, point.1))
            if point.latitude == center.0, point.longitude == center.1 { return true }
            if abs(angle - circle.radians) < margin { throw PlainEvaluator.Unclear("an edge") }
            return angle < circle.radians
        case .polygon(let polygon): return try isIn(polygon, point)
        case .other: throw PlainEvaluator.Unclear("a shape of a user")
        }
    }

    private static func isIn(
        _ box: GeoBox, _ point: (latitude: Double, longitude: Double)
    ) -> Bool {
        let (south, north) = (box.bottomLeft.latitude, box.topRight.latitude)
        guard south <= point.latitude && point.latitude <= north else { return false }
        if abs(point.latitude) == 90 { return true }
        let (west, east) = (box.bottomLeft.longitude, box.topRight.longitude)
        // The meridian of 180 degrees has two numbers.
        let longitudes =
            abs(point.longitude) == 180 ? [-180, 180] : [point.longitude]
        return longitudes.contains {
            west <= east ? west <= $0 && $0 <= east : west <= $0 || $0 <= east
        }
    }

    /// A triangle: the point is on the same side of all three great circles as the middle.
    private static func isIn(
        _ polygon: GeoPolygon, _ point: (latitude: Double, longitude: Double)
    ) throws -> Bool {
        let corners = polygon.outerRing.map { direction($0.latitude, $0.longitude) }
        guard corners.count == 4, polygon.holes.isEmpty else {
            throw PlainEvaluator.Unclear("a polygon that is no triangle")
        }
        let middle = corners.dropLast().reduce([0, 0, 0]) { zip($0, $1).map(+) }
        let place = direction(point.latitude, point.longitude)
        let sides = try zip(corners, corners.dropFirst()).map { from, to in
            let plane = cross(from, to)
            let side = dot(plane, place)
            if abs(side) < margin { throw PlainEvaluator.Unclear("an edge") }
            return (side > 0) == (dot(plane, middle) > 0)
        }
        return sides.allSatisfy { $0 }
    }

    // MARK: Vectors

    private static func direction(_ latitude: Double, _ longitude: Double) -> [Double] {
        let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
        return [cos(north) * cos(east), cos(north) * sin(east), sin(north)]
    }

    private static func dot(_ left: [Double], _ right: [Double]) -> Double {
        zip(left, right).map(*).reduce(0, +)
    }

    private static func cross(_ left: [Double], _ right: [Double]) -> [Double] {
        [
            left[1] * right[2] - left[2] * right[1], left[2] * right[0] - left[0] * right[2],
            left[0] * right[1] - left[1] * right[0],
        ]
    }

    private static func angle(_ left: [Double], _ right: [Double]) -> Double {
        let plane = cross(left, right)
        return atan2(dot(plane, plane).squareRoot(), dot(left, right))
    }
}
