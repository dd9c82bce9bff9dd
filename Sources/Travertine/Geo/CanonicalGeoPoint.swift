/// A point on the Earth's surface as objects store it: an embedded object of GeoJSON's shape.
///
/// ```swift
/// class Shop: Object {
///     @Persisted var place: CanonicalGeoPoint?
/// }
/// shop.place = CanonicalGeoPoint(latitude: 38.7, longitude: -9.1)
/// let near = realm.objects(Shop.self).where { $0.place.geoWithin(circle) }
/// ```
/// It comes into a schema with the first class that has a property of it. An embedded class of your
/// own is a point as well if it stores a string `type`, which is "Point", and a list of doubles
/// `coordinates`, the longitude first; the Swift names don't matter.
public final class CanonicalGeoPoint: EmbeddedObject {
    @Persisted private var type: String = GeoPoint.pointType
    @Persisted private var coordinates: List<Double>

    /// A point; its coordinates are stored as they are.
    public convenience init(latitude: Double, longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }

    /// A point with the coordinates of a value.
    public convenience init(_ point: GeoPoint) {
        self.init(latitude: point.latitude, longitude: point.longitude)
    }

    /// Degrees to the north; 0 for a point without coordinates.
    public var latitude: Double {
        get { coordinates.count > 1 ? coordinates[1] : 0 }
        set { set(latitude: newValue, longitude: longitude) }
    }

    /// Degrees to the east; 0 for a point without coordinates.
    public var longitude: Double {
        get { coordinates.first ?? 0 }
        set { set(latitude: latitude, longitude: newValue) }
    }

    private func set(latitude: Double, longitude: Double) {
        coordinates.replaceSubrange(0..<coordinates.count, with: [longitude, latitude])
    }

    /// The point as a value; nil if there are no coordinates, or one is out of range.
    public func toGeoPoint() -> GeoPoint? {
        guard coordinates.count > 1 else { return nil }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }

    /// The name that the type is stored under.
    public override class func objectTypeName() -> String { "CanonicalGeoPoint" }
}
