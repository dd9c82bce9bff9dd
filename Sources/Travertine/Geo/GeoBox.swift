/// All points between two latitudes and two longitudes.
///
/// The edges belong to the box. A box whose left side lies east of its right side goes over the
/// meridian of 180 degrees; one whose bottom lies above its top holds no point.
public struct GeoBox: Sendable, Hashable {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// The box between two corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// The box between two corners, each a latitude and a longitude; nil if one is out of range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft.0, bottomLeft.1),
            let topRight = GeoPoint(topRight.0, topRight.1)
        else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    /// Whether a point lies in the box or on its edge.
    public func contains(_ point: GeoPoint) -> Bool {
        guard bottomLeft.latitude <= point.latitude, point.latitude <= topRight.latitude else {
            return false
        }
        // All longitudes meet in a pole.
        if abs(point.latitude) == 90 { return true }
        let (west, east) = (bottomLeft.longitude, topRight.longitude)
        if west <= east {
            // 180 degrees east and 180 degrees west are one meridian.
            return (west <= point.longitude && point.longitude <= east)
                || (abs(point.longitude) == 180 && (west == -180 || east == 180))
        }
        return west <= point.longitude || point.longitude <= east
    }
}

extension GeoBox: CustomStringConvertible {
    /// The corners, each longitude first: "GeoBox([-122.7, 47.3], [-122.1, 48.1])".
    public var description: String { "GeoBox(\(bottomLeft), \(topRight))" }
}
