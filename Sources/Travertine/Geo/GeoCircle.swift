#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// All points within a distance of a centre; the edge belongs to the circle.
public struct GeoCircle: Sendable, Hashable {
    /// The centre.
    public let center: GeoPoint
    /// The radius as an angle.
    public let radians: Double

    /// The circle around a centre; nil if the radius is below zero or not a number.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        radians = radiusInRadians
    }

    /// The circle around a centre.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radians = radius.radians
    }

    /// The circle around a latitude and a longitude; nil if a number is out of range.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let point = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: point, radiusInRadians: radiusInRadians)
    }

    /// The circle around a latitude and a longitude; nil if one is out of range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let point = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: point, radius: radius)
    }

    /// Whether a point lies in the circle or on its edge.
    public func contains(_ point: GeoPoint) -> Bool {
        point.isSamePoint(as: center) || center.angle(to: point) <= radians
    }
}

extension GeoCircle: CustomStringConvertible {
    /// Centre and radius: "GeoCircle([-121.9, 47.3], 0.004 radians)".
    public var description: String { "GeoCircle(\(center), \(radians) radians)" }
}

extension GeoPoint {
    /// The angle between two points at the Earth's centre, in radians.
    ///
    /// By the cross and the dot product, which is as exact for neighbours as for antipodes.
    public func angle(to other: GeoPoint) -> Double {
        let radiansPerDegree = Double.pi / 180
        let step = (other.longitude - longitude) * radiansPerDegree
        let (from, to) = (latitude * radiansPerDegree, other.latitude * radiansPerDegree)
        let north = sin((to - from) / 2)
        let east = sin(step / 2)
        // 1 - cos x = 2 sin² (x / 2) keeps the digits that the cosine of a small angle loses.
        let y = cos(to) * sin(step)
        let x = sin(to - from) + 2 * sin(from) * cos(to) * east * east
        let chord = north * north + cos(from) * cos(to) * east * east
        return atan2((x * x + y * y).squareRoot(), 1 - 2 * chord)
    }
}
