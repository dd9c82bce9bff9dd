/// A place on the Earth's surface, by latitude and longitude in degrees.
///
/// Points, boxes, circles and polygons are values to build queries from; they are not stored. What
/// is stored is an embedded object of GeoJSON's shape.
public struct GeoPoint: Sendable, Hashable {
    /// Degrees to the north, from -90 to 90.
    public let latitude: Double
    /// Degrees to the east, from -180 to 180.
    public let longitude: Double
    /// Metres above the sea, not below zero. Points that differ in it are different; no query looks
    /// at it.
    public let altitude: Double

    /// A point; nil if a coordinate is out of range or not a number.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard
            (-90...90).contains(latitude), (-180...180).contains(longitude),
            altitude >= 0
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// A point; nil if a coordinate is out of range or not a number.
    public init?(_ latitude: Double, _ longitude: Double, _ altitude: Double = 0) {
        self.init(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// Whether another point has the same latitude and longitude, at whatever altitude.
    func isSamePoint(as other: GeoPoint) -> Bool {
        latitude == other.latitude && longitude == other.longitude
    }
}

extension GeoPoint: CustomStringConvertible {
    /// Longitude and latitude, as GeoJSON orders them: "[-122.35, 47.68]".
    public var description: String { "[\(longitude), \(latitude)]" }
}
