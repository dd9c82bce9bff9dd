import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

/// Random values of the properties of a world, from few choices, so that values collide.
struct WorldGenerator {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    static let keys = ["a", "b", "key", "K"]
    /// A text that an index key does not hold in full.
    private static let long = String(repeating: "0123456789abcdef", count: 9)

    static let texts = [
        "", "a", "A", "ab", "Ab", "abc", "a\u{0}", "a\u{0}b", "\u{0}", "É", "é", "e\u{301}",
        "E\u{301}", "e", "ß", "ss", "SS", "İ", "i", "i\u{307}", "ı", "I", "Σ", "σ", "ς", "a*b",
        "a?b", "a\\b", "10", "9", "東京", "\u{1F600}", "\u{FFFD}", long, long + "x", long + "y",
        long + "\u{0}", long.uppercased(), "a b", "\n", "œ", "Å", "\u{212B}", "ﬁ",
    ]

    static let ints = [
        0, 1, 2, 3, 4, 5, 7, -1, -2, .min, .min + 1, .max, .max - 1, 1 << 53, 1 << 53 + 1,
        1 << 62, 255, 256,
    ]

    static let doubles: [Double] = [
        0, -0.0, 1, 2, 3, 0.5, 0.1, 2.5, -1, -2.5, .nan, .infinity, -.infinity, 0x1p53,
        0x1p53 + 2, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude, Double(Float(0.1)),
        16_777_217,
    ]

    static let decimals: [Decimal128] = [
        0, "-0", "0.00", 1, "1.0", "1.00", 2, 3, "0.1", "0.5", "0.50", "2.5", -1, .nan, .infinity,
        -.infinity, "9007199254740993", "9223372036854775807", "9223372036854775808",
        "0.1000000000000000055511151231257827021181583404541015625".decimal, "1E+6000", "1E-6000",
        "-1E+300",
    ]

    static let prose = ["red", "Green", "blue", "redder", "sea", "seaside", "of", "x1"]

    mutating func text() -> String { random.pick(WorldGenerator.texts) }

    mutating func int() -> Int {
        random.chance(75) ? random.below(6) : random.pick(WorldGenerator.ints)
    }

    mutating func double() -> Double {
        random.chance(50) ? Double(random.below(4)) : random.pick(WorldGenerator.doubles)
    }

    mutating func bytes() -> Data {
        Data(
            random.chance(50)
                ? Array(text().utf8)
                : (0..<random.below(4)).map { _ in random.pick([0, 1, 127, 128, 255]) })
    }

    mutating func date() -> Date {
        Date(
            timeIntervalSinceReferenceDate: random.pick([
                0, -0.5, 0.5, 1, 2, 1e9, -1e9, 0.25, 978_307_200,
            ]))
    }

    mutating func objectId() -> ObjectId {
        let (first, last) = (random.pick(["00", "01", "ff"]), random.pick(["00", "09", "c8"]))
        let text = first + String(repeating: "0", count: 20) + last
        return (try? ObjectId(string: text)) ?? ObjectId()
    }

    mutating func uuid() -> UUID {
        UUID(
            uuid: (
                random.pick([0, 1, 255]), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                random.pick([0, 9, 200])
            ))
    }

    /// A value of a type that is not a link and not any.
    mutating func value(_ type: PropertyType) -> WorldValue {
        switch type {
        case .int: .int(int())
        case .bool: .bool(random.chance(50))
        case .float: .float(Float(double()))
        case .double: .double(double())
        case .decimal128:
            .decimal(
                random.chance(40)
                    ? Decimal128(random.below(4)) : random.pick(WorldGenerator.decimals))
        case .string: .string(text())
        case .data: .data(bytes())
        case .date: .date(date())
        case .objectId: .objectId(objectId())
        case .UUID: .uuid(uuid())
        case .object, .any, .linkingObjects: .null
        }
    }

    static let plainTypes: [PropertyType] = [
        .int, .int, .bool, .float, .double, .decimal128, .string, .string, .data, .date,
        .objectId, .UUID,
    ]

    /// A value of any type.
    mutating func mixed(_ data: WorldData, depth: Int = 0) -> WorldValue {
        switch random.below(12) {
        case 0, 1: return .null
        case 2 where depth < 3:
            return .list((0..<random.below(4)).map { _ in mixed(data, depth: depth + 1) })
        case 3 where depth < 3: return .dictionary(dictionary { $0.mixed(data, depth: depth + 1) })
        case 4 where depth == 0:
            let types = data.objectTypes.filter { data.types[$0]?.base == nil }
            return link(data, random.pick(types))
        default: return value(random.pick(WorldGenerator.plainTypes))
        }
    }

    private mutating func dictionary(
        _ element: (inout WorldGenerator) -> WorldValue
    ) -> [String: WorldValue] {
        var result: [String: WorldValue] = [:]
        for _ in 0..<random.below(4) { result[random.pick(WorldGenerator.keys)] = element(&self) }
        return result
    }

    /// A link to an object of a type or of a derived one, or nil where there is none.
    mutating func link(
        _ data: WorldData, _ type: String, isExact: Bool = false
    ) -> WorldValue {
        let derived = data.derived(from: type)
        let isOfDerived = !derived.isEmpty && !isExact && random.chance(20)
        let keys = data.keys(of: isOfDerived ? random.pick(derived) : type)
        return keys.isEmpty ? .null : .link(random.pick(keys))
    }

    static let latitudes: [Double] = [0, 1, 2, -1, 1.5, 45, 89, 90, -90, 47.5]
    static let longitudes: [Double] = [0, 1, 2, -1, 1.5, 179, 180, -180, -179, 90, -45]

    /// Those of a point, the longitude first; sometimes of none.
    private mutating func coordinates() -> [WorldValue] {
        if random.chance(10) { return random.chance(50) ? [] : [.double(1)] }
        var numbers = [
            random.pick(WorldGenerator.longitudes), random.pick(WorldGenerator.latitudes),
        ]
        if random.chance(10) { numbers[random.below(2)] = double() }
        if random.chance(10) { numbers.append(1) }
        return numbers.map { .double($0) }
    }

    /// A value of a property, or an element of it.
    mutating func element(_ property: WorldProperty, _ data: WorldData) -> WorldValue {
        if property.name.hasPrefix("grade") { return .int(1 + random.below(3)) }
        if property.name == "tiny" { return .int(random.pick([0, 1, 2, -1, 127, -128])) }
        if property.name == "small" { return .int(random.pick([0, 1, 2, -1, 32_767])) }
        if property.name == "type" { return .string(random.chance(90) ? "Point" : text()) }
        if ["prose", "parts", "signs"].contains(property.role) {
            if property.role == "parts", random.chance(20) { return .string(text()) }
            let words = (0..<random.below(4)).map { _ in random.pick(WorldGenerator.prose) }
            return .string(words.joined(separator: " "))
        }
        if property.isEmbedded, let type = data.types[property.target!] {
            return .dictionary(values(of: type, data))
        }
        if let target = property.target {
            return link(data, target, isExact: property.isExact)
        }
        return property.type == .any ? mixed(data) : value(property.type)
    }

    /// A value of a property; of embedded objects a dictionary of their properties.
    mutating func value(_ property: WorldProperty, _ data: WorldData) -> WorldValue {
        switch property.kind {
        case .links: return .null
        case .single:
            return property.isOptional && random.chance(25) ? .null : element(property, data)
        case .list where property.name == "coordinates": return .list(coordinates())
        case .list, .set:
            var elements: [WorldValue] = []
            var seen: Set<String> = []
            for _ in 0..<random.below(5) {
                let isNull = property.isOptional && random.chance(20)
                let element = isNull ? .null : element(property, data)
                if element.isNull && !property.isOptional { continue }
                // Equal texts of Swift are not equal here, and a set takes either one only.
                if property.kind == .set && !seen.insert(element.text).inserted { continue }
                elements.append(element)
            }
            return .list(elements)
        case .map:
            return .dictionary(
                dictionary {
                    property.isOptional && $0.random.chance(20)
                        ? .null : $0.element(property, data)
                })
        }
    }

    /// Values of all properties of an object, without `id` and `code`, which are unique.
    mutating func values(of type: WorldType, _ data: WorldData) -> [String: WorldValue] {
        var values: [String: WorldValue] = [:]
        for property in type.properties where property.name != "id" && property.name != "code" {
            if case .links = property.kind { continue }
            values[property.name] = value(property, data)
        }
        return values
    }

    // MARK: Worlds

    /// The types whose objects are not embedded, the first of which has two parts of the objects.
    static func common(_ data: WorldData) -> [String] {
        let types = data.objectTypes
        return types + types.suffix(1)
    }

    /// Adds objects, and links among them.
    mutating func fill(_ world: World, _ count: Int) throws {
        try world.write {
            for _ in 0..<count {
                let name = random.pick(Self.common(world.data))
                try add(world, name)
            }
        }
    }

    private mutating func add(_ world: World, _ name: String) throws {
        let type = world.data.types[name]!
        let key = try world.add(name, values(of: type, world.data))
        if type.property("code") != nil && random.chance(70) {
            world.set("code", of: key, .string("\(name) \(key.id)"))
        }
    }

    /// Changes the world: properties, additions, deletions; sometimes opens or compacts it.
    mutating func change(_ world: World, _ count: Int) throws {
        try world.write {
            for _ in 0..<count {
                let name = random.pick(Self.common(world.data))
                let keys = world.data.keys(of: name)
                guard !keys.isEmpty, !random.chance(10) else {
                    try add(world, name)
                    continue
                }
                let key = random.pick(keys)
                if random.chance(10) {
                    world.delete(key)
                    continue
                }
                let properties = world.data.types[name]!.properties
                let property = random.pick(properties)
                guard property.name != "id", property.name != "code" else { continue }
                world.set(property.name, of: key, value(property, world.data))
            }
        }
        if random.chance(20) { try world.compact() }
        if random.chance(20) { try world.reopen() }
    }
}

extension String {
    /// The decimal that is nearest to the number in the text.
    fileprivate var decimal: Decimal128 { Decimal128(rounding: self) ?? .nan }
}
