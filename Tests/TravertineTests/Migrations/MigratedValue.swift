import Foundation
import TestSupport

@testable import Travertine

/// What a random property holds.
enum MigratedShape: CaseIterable {
    case int, optionalInt, string, optionalString, double, link, links, ints, texts, part, parts
    case any

    /// The shape whose values it keeps when it becomes optional or required.
    var required: MigratedShape {
        self == .optionalInt ? .int : self == .optionalString ? .string : self
    }

    func property(_ name: String, isIndexed: Bool, target: String) -> Property {
        let index: Property.Index = isIndexed && Self.indexed.contains(self) ? .general : .none
        return switch self {
        case .int: Property(name, .int, index: index)
        case .optionalInt: Property(name, .int, isOptional: true, index: index)
        case .string: Property(name, .string, index: index)
        case .optionalString: Property(name, .string, isOptional: true, index: index)
        case .double: Property(name, .double)
        case .link: Property(name, .object, objectType: target)
        case .links: Property(name, .object, collection: .list, objectType: target)
        case .ints: Property(name, .int, collection: .set)
        case .texts: Property(name, .string, collection: .map)
        case .part: Property(name, .object, objectType: "Part")
        case .parts: Property(name, .object, collection: .list, objectType: "Part")
        case .any: Property(name, .any)
        }
    }

    private static let indexed: [MigratedShape] = [.int, .optionalInt, .string, .optionalString]

    /// What objects have that nothing was set in.
    var nothing: MigratedValue {
        switch self {
        case .int: .int(0)
        case .string: .text("")
        case .double: .double(0)
        case .optionalInt, .optionalString, .link, .part, .any: .none
        case .links, .parts: .list([])
        case .ints: .set([])
        case .texts: .map([:])
        }
    }
}

/// A value of a property, without a realm.
indirect enum MigratedValue: Equatable {
    case none
    case int(Int)
    case text(String)
    case double(Double)
    case link(Int)
    case part(Int)
    case list([MigratedValue])
    case set(Set<Int>)
    case map([String: String])

    /// A value that follows from a number.
    static func made(_ shape: MigratedShape, _ number: Int, targets: [Int]) -> MigratedValue {
        let link: MigratedValue = targets.isEmpty ? .none : .link(targets[number % targets.count])
        // Some are too large for a row.
        let count = number % 23 == 0 ? 300 : number % 4
        return switch shape {
        case .int: .int(number)
        case .optionalInt: number % 3 == 0 ? .none : .int(number << (number % 40))
        case .string: .text(String(repeating: "s", count: number % 50) + "\(number)")
        case .optionalString: number % 3 == 0 ? .none : .text("\(number)")
        case .double: .double(Double(number) / 4)
        case .link: link
        case .links: .list(link == .none ? [] : Array(repeating: link, count: count))
        case .ints: .set(Set((0..<count).map { $0 * number }))
        case .texts: .map(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v") }))
        case .part: number % 3 == 0 ? .none : .part(number)
        case .parts: .list((0..<count).map { .part(number + $0) })
        case .any: [.none, .int(number), .text("any"), link][number % 4]
        }
    }

    /// The value that a property can be set to.
    func plain(_ objects: [Int: DynamicObject]) -> Any? {
        switch self {
        case .none: nil
        case .int(let number): number
        case .text(let text): text
        case .double(let number): number
        case .link(let tag): objects[tag]
        case .part(let number): ["x": number]
        case .list(let values): values.compactMap { $0.plain(objects) }
        case .set(let values): Array(values)
        case .map(let values): values
        }
    }

    /// The value of a property, as a realm has it.
    init(_ value: Any?) {
        switch value {
        case nil: self = .none
        case let number as Int: self = .int(number)
        case let text as String: self = .text(text)
        case let number as Double: self = .double(number)
        case let object as DynamicObject where object.objectSchema.isEmbedded:
            self = .part(object["x"] as? Int ?? -1)
        case let object as DynamicObject: self = .link(object["tag"] as? Int ?? -1)
        case let list as List<DynamicObject>: self = .list(list.map { MigratedValue($0) })
        case let set as MutableSet<Int>: self = .set(Set(set))
        case let map as Map<String, String>:
            self = .map(Dictionary(map.asKeyValueSequence().map { ($0, $1) }) { $1 })
        default: self = .text("\(value as Any)")
        }
    }

    /// The value once objects are deleted.
    func without(_ deleted: Set<Int>) -> MigratedValue {
        switch self {
        case .link(let tag): deleted.contains(tag) ? .none : self
        case .list(let values): .list(values.map { $0.without(deleted) }.filter { $0 != .none })
        default: self
        }
    }
}

/// A version of the types of a random history.
struct MigratedSchema {
    struct Field: Equatable {
        var shape: MigratedShape
        var isIndexed: Bool
    }

    /// The fields of each type, by name.
    var types: [String: [String: Field]] = [:]
    /// The types whose tag is the primary key.
    var keyed: Set<String> = []

    static let names = ["A", "B"]

    static func target(_ type: String) -> String { type == "A" ? "B" : "A" }

    mutating func change(_ random: inout SeededRandom) {
        for type in Self.names {
            for number in 0..<8 where random.chance(40) {
                types[type, default: [:]]["p\(number)"] =
                    random.chance(30)
                    ? nil
                    : Field(
                        shape: random.pick(MigratedShape.allCases), isIndexed: random.chance(40))
            }
            if random.chance(30) { keyed.formSymmetricDifference([type]) }
        }
    }

    var objectSchemas: [ObjectSchema] {
        Self.names.map { type in
            let fields = (types[type] ?? [:]).sorted { $0.key < $1.key }
            let tag = Property("tag", .int, isPrimaryKey: keyed.contains(type))
            return ObjectSchema(
                type,
                properties: [tag]
                    + fields.map { name, field in
                        field.shape.property(
                            name, isIndexed: field.isIndexed, target: Self.target(type))
                    })
        } + [ObjectSchema("Part", kind: .embedded, properties: [Property("x", .int)])]
    }
}
