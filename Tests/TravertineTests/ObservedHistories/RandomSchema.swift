import RealmSwift
import TestSupport

@testable import Travertine

/// Random types of a world: which classes take part, types without a class, embedded ones, and the
/// properties of each, with their indexes and stored names.
struct RandomSchema {
    private var random: SeededRandom
    private var types: [WorldType] = []
    private var added: [String: [Property]] = [:]
    /// How many properties there are; the number makes their names different.
    private var count = 0

    /// The schema of a seed.
    static func schema(seed: UInt64) -> WorldSchema {
        var made = RandomSchema(random: SeededRandom(scattering: seed))
        return made.make()
    }

    private init(random: SeededRandom) { self.random = random }

    private mutating func make() -> WorldSchema {
        let hasClasses = random.chance(75)
        if hasClasses {
            types.append(
                WorldType(name: "PoolStone", model: PoolStone.self, properties: Self.stone))
            if random.chance(60) {
                types.append(
                    WorldType(
                        name: "PoolGem", base: "PoolStone", model: PoolGem.self,
                        properties: Self.stone
                            + [WorldProperty(name: "cut", type: .int, isOptional: true)]))
            }
        }
        for name in ["Leaf", "Twig"] where random.chance(hasClasses ? 45 : 70) || types.isEmpty {
            types.append(
                WorldType(
                    name: name, hasPrimaryKey: name == "Leaf",
                    properties: [WorldProperty(name: "id", type: .int)]))
        }
        if random.chance(45) {
            types.append(WorldType(name: "Knot", isEmbedded: true, properties: []))
        }
        if random.chance(35) {
            types.append(
                WorldType(name: "Point", isEmbedded: true, properties: Self.point))
            added["Point"] = Self.point.map { Self.declared($0, index: .none, storedName: nil) }
        }
        for index in types.indices where types[index].name != "Point" { fill(index) }
        return schema()
    }

    private func schema() -> WorldSchema {
        WorldSchema(
            types: types, classes: types.compactMap { $0.model },
            objectSchemas: types.map { type in
                let properties = added[type.name] ?? []
                if let model = type.model {
                    return ObjectSchema(extending: model, adding: properties)
                }
                let id = Property("id", .int, isPrimaryKey: type.hasPrimaryKey)
                return ObjectSchema(
                    type.name, kind: type.isEmbedded ? .embedded : .object,
                    properties: (type.isEmbedded ? [] : [id]) + properties)
            })
    }

    /// Gives a type its properties; a derived class those of its base as well.
    private mutating func fill(_ index: Int) {
        if let base = types[index].base, let from = types.first(where: { $0.name == base }) {
            let own = Set(types[index].properties.map(\.name))
            types[index].properties += from.properties.filter { !own.contains($0.name) }
            added[types[index].name] = added[base]
        }
        for _ in 0..<1 + random.below(types[index].isEmbedded ? 3 : 6) {
            var property = property(of: types[index])
            property.isAdded = types[index].model != nil
            types[index].properties.append(property)
            let storedName = random.chance(25) ? "stored_\(property.name)" : nil
            added[types[index].name, default: []].append(
                Self.declared(property, index: self.index(property), storedName: storedName))
        }
    }

    // MARK: Properties

    private static let stone: [WorldProperty] = [
        WorldProperty(name: "id", type: .int),
        WorldProperty(name: "rank", type: .int),
        WorldProperty(name: "label", type: .string),
        WorldProperty(name: "beside", type: .object, isOptional: true, target: "PoolStone"),
        WorldProperty(name: "kin", type: .object, kind: .list, target: "PoolStone"),
        WorldProperty(
            name: "neighbours", type: .object, kind: .links(type: "PoolStone", property: "beside"),
            target: "PoolStone"),
    ]

    private static let point: [WorldProperty] = [
        WorldProperty(name: "type", type: .string),
        WorldProperty(name: "coordinates", type: .double, kind: .list),
    ]

    private mutating func name(_ role: String) -> String {
        count += 1
        return "\(role)\(count)"
    }

    private mutating func property(of type: WorldType) -> WorldProperty {
        let embedded = types.filter(\.isEmbedded).map(\.name)
        switch random.below(18) {
        case 0, 1:
            return WorldProperty(name: name("any"), type: .any, isOptional: true)
        case 2, 3: return link(.single)
        case 4, 5: return link(random.pick([.list, .list, .set, .map]))
        case 6: return values(.list)
        case 7: return values(.set)
        case 8: return values(.map)
        case 9, 10:
            let role = random.pick(["prose", "prose", "parts", "signs"])
            return WorldProperty(
                name: name(role), type: .string, isOptional: random.chance(30))
        case 11, 12:
            guard !type.isEmbedded, !embedded.isEmpty else { break }
            let target = random.pick(embedded)
            let isList = target == "Knot" && random.chance(50)
            return WorldProperty(
                name: name(target == "Point" ? "place" : "knot"), type: .object,
                kind: isList ? .list : .single, isOptional: !isList, target: target,
                isEmbedded: true)
        default: break
        }
        let type = random.pick(WorldGenerator.plainTypes)
        return WorldProperty(
            name: name("\(type)".filter { $0 != " " }), type: type, isOptional: random.chance(40))
    }

    private mutating func link(_ kind: WorldProperty.Kind) -> WorldProperty {
        let target = random.pick(types.filter { !$0.isEmbedded }).name
        return WorldProperty(
            name: name("link"), type: .object, kind: kind,
            isOptional: kind == .single || kind == .map, target: target, isExact: true)
    }

    private mutating func values(_ kind: WorldProperty.Kind) -> WorldProperty {
        // Elements of sets are compared as texts by the model.
        let exact: [PropertyType] = [.int, .string, .data, .UUID, .objectId]
        let all = WorldGenerator.plainTypes + [.any]
        let type = random.pick(kind == .set ? exact : all)
        return WorldProperty(
            name: name("many"), type: type, kind: kind,
            isOptional: type == .any || kind != .set && random.chance(30))
    }

    private mutating func index(_ property: WorldProperty) -> Property.Index {
        guard property.kind == .single else { return .none }
        switch property.role {
        case "parts": return .fullText(.trigrams)
        case "signs": return .fullText(.codePoints)
        case "prose": return random.chance(70) ? .fullText : .none
        case "place": return random.chance(60) ? .geo : .none
        default: return property.type != .object && random.chance(40) ? .general : .none
        }
    }

    private static func declared(
        _ property: WorldProperty, index: Property.Index, storedName: String?
    ) -> Property {
        let collection: CollectionKind =
            switch property.kind {
            case .list: .list
            case .set: .set
            case .map: .map
            default: .none
            }
        return Property(
            property.name, property.type,
            isOptional: property.type == .any ? false : property.isOptional,
            collection: collection, objectType: property.target, storedName: storedName,
            index: index)
    }
}
