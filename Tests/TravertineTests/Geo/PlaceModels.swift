import RealmSwift

@testable import Travertine

class PlacedShop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var kind: Int
    @Persisted(indexed: .geo) var place: CanonicalGeoPoint?
    @Persisted var unindexed: CanonicalGeoPoint?
    @Persisted(indexed: .geo) var own: PlacedPoint?
    @Persisted(indexed: .geo) var varying: PlacedBase?
    @Persisted var stops: List<CanonicalGeoPoint>
}

class PlacedCourier: Object {
    @Persisted var name: String
    @Persisted var shop: PlacedShop?
}

/// A point whose properties have other names, and can be made no point.
class PlacedPoint: EmbeddedObject {
    @Persisted var kind: String? = "Point"
    @Persisted var degrees: List<Double>

    override class func propertiesMapping() -> [String: String] {
        ["kind": "type", "degrees": "coordinates"]
    }

    convenience init(_ degrees: [Double], kind: String? = "Point") {
        self.init()
        self.kind = kind
        self.degrees.append(objectsIn: degrees)
    }
}

class PlacedBase: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

class PlacedHigh: PlacedBase {
    @Persisted var height: Int
}

enum PlacedTypes {
    static let all: [ObjectBase.Type] = [
        PlacedShop.self, PlacedCourier.self, PlacedPoint.self, PlacedBase.self, PlacedHigh.self,
    ]
}
