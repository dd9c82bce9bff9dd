import RealmSwift

/// What a program has from another module: no class of objects.
struct Coordinate: Hashable, Codable {
    var latitude: Double
    var longitude: Double

    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension Coordinate: CustomPersistable {
    typealias PersistedType = Location
    init(persistedValue: Location) {
        self.init(persistedValue.latitude, persistedValue.longitude)
    }
    var persistableValue: Location { Location(value: [latitude, longitude]) }
}

class Location: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var longitude: Double

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Restaurant: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var coordinate: Coordinate
    @Persisted var entrance: Coordinate?
    @Persisted var places: List<Coordinate>
    @Persisted var named: Map<String, Coordinate?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RestaurantView: Projection<Restaurant> {
    @Projected(\Restaurant.coordinate) var coordinate: Coordinate
    @Projected(\Restaurant.entrance) var entrance: Coordinate?
}

class MisplacedCoordinates: Object {
    @Persisted(primaryKey: true) var key: Coordinate
    @Persisted(indexed: true) var indexed: Coordinate
    @Persisted var some: MutableSet<Coordinate>
    @Persisted var named: Map<String, Coordinate>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A value that holds the object that it is stored as.
struct WrappedPlace: CustomPersistable, Hashable {
    var location: Location
    init(location: Location) { self.location = location }
    init(persistedValue: Location) { location = persistedValue }
    var persistableValue: Location { location }
}

class Wrapping: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var place: WrappedPlace

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Wrappings: Object {
    @Persisted var code: String
    @Persisted var first: WrappedPlace
    @Persisted var second: WrappedPlace?
    @Persisted var places: List<WrappedPlace>
    @Persisted var named: Map<String, WrappedPlace?>
    @Persisted var next: Wrappings?

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("code", isUnique: true)] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A value whose form links to an object.
struct Stay: CustomPersistable, Hashable {
    var guest: StayGuest?
    var guestName: String
    var nights: Int

    init(_ guest: StayGuest?, nights: Int) {
        self.guest = guest
        guestName = guest?.name ?? ""
        self.nights = nights
    }

    init(persistedValue: StayForm) {
        self.init(persistedValue.guest, nights: persistedValue.nights)
    }
    var persistableValue: StayForm {
        StayForm(value: ["guest": guest as Any, "nights": nights])
    }
}

class StayForm: EmbeddedObject {
    @Persisted var guest: StayGuest?
    @Persisted var nights: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class StayGuest: Object {
    @Persisted(primaryKey: true) var name: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GuestHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var stay: Stay
    @Persisted var maybe: Stay?
    @Persisted var stays: List<Stay>
    @Persisted var named: Map<String, Stay?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EarlyStand: Object {
    @Persisted(primaryKey: true) var id: Int

    override class func objectTypeName() -> String { "Stand" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Stand: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var coordinate = Coordinate(50, 51)
    @Persisted var plain: Coordinate
    @Persisted var maybe: Coordinate?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A place north of the equator, on which a new object's is not.
struct Northern: FailableCustomPersistable, Hashable {
    var latitude: Double
    init?(persistedValue: Location) {
        guard persistedValue.latitude > 0 else { return nil }
        latitude = persistedValue.latitude
    }
    init(latitude: Double) { self.latitude = latitude }
    var persistableValue: Location { Location(value: ["latitude": latitude]) }
}

class Plot: Object {
    @Persisted var corner = Northern(latitude: 50)
    @Persisted var maybe: Northern?
    @Persisted var corners: List<Northern>
    @Persisted var maybes: Map<String, Northern?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LinkedRestaurant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var coordinate: Location?
    @Persisted var entrance: Location?
    @Persisted var places: List<Location>
    @Persisted var named: Map<String, Location?>

    override class func objectTypeName() -> String { "Restaurant" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct Diner: PersistedStruct, Equatable {
    var id: Int
    var coordinate: Coordinate
    var entrance: Coordinate?
    var places: [Coordinate]
    var named: [String: Coordinate]

    static func objectTypeName() -> String { "Restaurant" }
    static func primaryKey() -> String? { "id" }
}

/// Stored as a location, or as one that has a depth.
struct Mooring: CustomPersistable, Hashable {
    var depth: Int?
    init(depth: Int?) { self.depth = depth }
    init(persistedValue: Location) { depth = (persistedValue as? DeepLocation)?.depth }
    var persistableValue: Location {
        depth.map { DeepLocation(value: ["depth": $0]) } ?? Location()
    }
}

class DeepLocation: Location {
    @Persisted var depth: Int
}

class Harbour: Object {
    @Persisted var berth: Mooring
    @Persisted var maybe: Mooring?
    @Persisted var berths: List<Mooring>
    @Persisted var named: Map<String, Mooring?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SpottedPlace: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var place: Coordinate

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Leg: EmbeddedObject {
    @Persisted var end: Coordinate

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A type that is stored as another custom type, which is stored as an embedded object.
struct Waypoint: CustomPersistable, Hashable {
    var coordinate: Coordinate
    init(coordinate: Coordinate) { self.coordinate = coordinate }
    init(persistedValue: Coordinate) { coordinate = persistedValue }
    var persistableValue: Coordinate { coordinate }
}

class Route: Object {
    @Persisted var first: Leg?
    @Persisted var renamed: Waypoint

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldStop: Object {
    let place = RealmProperty<Coordinate?>()
    let places = List<Coordinate>()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
