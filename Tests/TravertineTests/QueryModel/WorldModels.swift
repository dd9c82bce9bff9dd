import Foundation
import RealmSwift

@testable import Travertine

enum WorldGrade: Int, PersistableEnum {
    case low = 1
    case middle = 2
    case high = 3
}

/// Has a property of each type that is no collection, optional and not.
class WorldSpot: Object, WorldClass {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var size: Int
    @Persisted(indexed: true) var sizeOrNil: Int?
    @Persisted var tiny: Int8
    @Persisted var small: Int16?
    @Persisted(indexed: true) var flag: Bool
    @Persisted var flagOrNil: Bool?
    @Persisted(indexed: true) var real: Double
    @Persisted var realOrNil: Double?
    @Persisted var single: Float
    @Persisted(indexed: true) var singleOrNil: Float?
    @Persisted(indexed: true) var name: String
    @Persisted var nameOrNil: String?
    @Persisted var bytes: Data
    @Persisted(indexed: true) var bytesOrNil: Data?
    @Persisted(indexed: true) var when: Date
    @Persisted var whenOrNil: Date?
    @Persisted var price: Decimal128
    @Persisted(indexed: true) var priceOrNil: Decimal128?
    @Persisted(indexed: true) var mark: ObjectId
    @Persisted var markOrNil: ObjectId?
    @Persisted var tag: UUID
    @Persisted(indexed: true) var tagOrNil: UUID?
    @Persisted(indexed: true) var grade: WorldGrade
    @Persisted var gradeOrNil: WorldGrade?
    @Persisted var anything: AnyRealmValue
    @Persisted(indexed: true) var other: AnyRealmValue
    @Persisted(indexed: .fullText) var prose: String
    @Persisted(indexed: .fullText(.trigrams)) var parts: String?
    @Persisted(indexed: .fullText(.codePoints)) var signs: String
    @Persisted(indexed: .geo) var place: WorldPoint?
    @Persisted var spare: WorldPoint?
    @Persisted var code: String?
    @Persisted var next: WorldSpot?
    @Persisted var owner: WorldOwner?
    @Persisted var crate: WorldCrate?
    @Persisted var crates: List<WorldCrate>
    @Persisted var fans: List<WorldOwner>
    @Persisted(originProperty: "next") var before: LinkingObjects<WorldSpot>
    @Persisted(originProperty: "spots") var owners: LinkingObjects<WorldOwner>

    override class func indexes() -> [ObjectIndex] {
        [
            ObjectIndex("flag", "name", "sizeOrNil"), ObjectIndex("code", isUnique: true),
            ObjectIndex("flag", "realOrNil"),
        ]
    }
}

class WorldPier: WorldSpot {
    @Persisted var depth: Int?
}

/// Has collections of all kinds. Its objects are ordered by their creation, which is the order of
/// `id`, too.
class WorldOwner: Object, WorldClass {
    @Persisted var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var favorite: WorldSpot?
    @Persisted var ints: List<Int>
    @Persisted var texts: List<String?>
    @Persisted var reals: List<Double>
    @Persisted var singles: List<Float>
    @Persisted var prices: List<Decimal128>
    @Persisted var dates: List<Date?>
    @Persisted var flags: List<Bool>
    @Persisted var anythings: List<AnyRealmValue>
    @Persisted var spots: List<WorldSpot>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var textSet: MutableSet<String>
    @Persisted var spotSet: MutableSet<WorldSpot>
    @Persisted var realMap: Map<String, Double>
    @Persisted var textMap: Map<String, String?>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var spotMap: Map<String, WorldSpot?>
    @Persisted(originProperty: "owner") var visitors: LinkingObjects<WorldSpot>
}

class WorldCrate: EmbeddedObject {
    @Persisted var weight: Int?
    @Persisted var label: String
    @Persisted var marks: List<Int>
    @Persisted var spot: WorldSpot?
}

/// A point, where its values are those of one.
class WorldPoint: EmbeddedObject {
    @Persisted var type: String
    @Persisted var coordinates: List<Double>
}

/// The same for the plain model.
enum WorldModels {
    static let schema = WorldSchema(
        types: types,
        classes: [
            WorldSpot.self, WorldPier.self, WorldOwner.self, WorldCrate.self, WorldPoint.self,
        ])

    static let types: [WorldType] = [
        WorldType(name: "WorldSpot", model: WorldSpot.self, properties: spot),
        WorldType(
            name: "WorldPier", base: "WorldSpot", model: WorldPier.self,
            properties: spot + [WorldProperty(name: "depth", type: .int, isOptional: true)]),
        WorldType(
            name: "WorldOwner", model: WorldOwner.self, hasPrimaryKey: false, properties: owner),
        WorldType(name: "WorldCrate", isEmbedded: true, properties: crate),
        WorldType(name: "WorldPoint", isEmbedded: true, properties: point),
    ]

    private static func pair(_ name: String, _ type: PropertyType) -> [WorldProperty] {
        [
            WorldProperty(name: name, type: type),
            WorldProperty(name: name + "OrNil", type: type, isOptional: true),
        ]
    }

    private static func link(
        _ name: String, _ target: String, _ kind: WorldProperty.Kind = .single,
        isEmbedded: Bool = false
    ) -> WorldProperty {
        WorldProperty(
            name: name, type: .object, kind: kind, isOptional: kind == .single || kind == .map,
            target: target, isEmbedded: isEmbedded)
    }

    private static let spot: [WorldProperty] =
        [
            WorldProperty(name: "id", type: .int),
            WorldProperty(name: "tiny", type: .int),
            WorldProperty(name: "small", type: .int, isOptional: true),
            WorldProperty(name: "anything", type: .any, isOptional: true),
            WorldProperty(name: "other", type: .any, isOptional: true),
            WorldProperty(name: "prose", type: .string),
            WorldProperty(name: "parts", type: .string, isOptional: true),
            WorldProperty(name: "signs", type: .string),
            link("place", "WorldPoint", isEmbedded: true),
            link("spare", "WorldPoint", isEmbedded: true),
            WorldProperty(name: "code", type: .string, isOptional: true),
            link("next", "WorldSpot"),
            link("owner", "WorldOwner"),
            link("crate", "WorldCrate", isEmbedded: true),
            link("crates", "WorldCrate", .list, isEmbedded: true),
            link("fans", "WorldOwner", .list),
            link("before", "WorldSpot", .links(type: "WorldSpot", property: "next")),
            link("owners", "WorldOwner", .links(type: "WorldOwner", property: "spots")),
        ] + pair("size", .int) + pair("flag", .bool) + pair("real", .double)
        + pair("single", .float) + pair("name", .string) + pair("bytes", .data)
        + pair("when", .date) + pair("price", .decimal128) + pair("mark", .objectId)
        + pair("tag", .UUID) + pair("grade", .int)

    private static let owner: [WorldProperty] = [
        WorldProperty(name: "id", type: .int),
        WorldProperty(name: "name", type: .string),
        link("favorite", "WorldSpot"),
        WorldProperty(name: "ints", type: .int, kind: .list),
        WorldProperty(name: "texts", type: .string, kind: .list, isOptional: true),
        WorldProperty(name: "reals", type: .double, kind: .list),
        WorldProperty(name: "singles", type: .float, kind: .list),
        WorldProperty(name: "prices", type: .decimal128, kind: .list),
        WorldProperty(name: "dates", type: .date, kind: .list, isOptional: true),
        WorldProperty(name: "flags", type: .bool, kind: .list),
        WorldProperty(name: "anythings", type: .any, kind: .list, isOptional: true),
        link("spots", "WorldSpot", .list),
        WorldProperty(name: "intSet", type: .int, kind: .set),
        WorldProperty(name: "textSet", type: .string, kind: .set),
        link("spotSet", "WorldSpot", .set),
        WorldProperty(name: "realMap", type: .double, kind: .map),
        WorldProperty(name: "textMap", type: .string, kind: .map, isOptional: true),
        WorldProperty(name: "anyMap", type: .any, kind: .map, isOptional: true),
        link("spotMap", "WorldSpot", .map),
        link("visitors", "WorldSpot", .links(type: "WorldSpot", property: "owner")),
    ]

    private static let crate: [WorldProperty] = [
        WorldProperty(name: "weight", type: .int, isOptional: true),
        WorldProperty(name: "label", type: .string),
        WorldProperty(name: "marks", type: .int, kind: .list),
        link("spot", "WorldSpot"),
    ]
    private static let point: [WorldProperty] = [
        WorldProperty(name: "type", type: .string),
        WorldProperty(name: "coordinates", type: .double, kind: .list),
    ]
}
