/// What a query can look for points in: a box, a circle or a polygon.
public protocol GeoShape: Sendable {
    /// Whether a point lies inside or on the edge.
    func contains(_ point: GeoPoint) -> Bool
}

extension GeoPoint {
    /// What points store under the name `type`.
    static var pointType: String { "Point" }
}

extension GeoBox: GeoShape {}
extension GeoCircle: GeoShape {}
extension GeoPolygon: GeoShape {}
