import Foundation
import RealmSwift

/// A value of the plain model of a realm, which the plain evaluator reads.
enum WorldValue {
    case null
    case bool(Bool)
    case int(Int)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    case string(String)
    case data(Data)
    case date(Date)
    case objectId(ObjectId)
    case uuid(UUID)
    case link(WorldKey)
    /// The elements of a list or set, or a list in a value of any type.
    case list([WorldValue])
    /// The elements of a map, or a dictionary in a value of any type. Keys are ASCII: keys of
    /// Swift's dictionaries are equal when they are canonically equivalent.
    case dictionary([String: WorldValue])

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The bytes of the value, to tell values apart that queries do not (1 and 1.0, 0 and -0).
    var text: String {
        switch self {
        case .string(let value): "s\(Array(value.utf8))"
        case .data(let value): "b\(Array(value))"
        case .date(let value): "t\(value.timeIntervalSinceReferenceDate)"
        case .list(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .dictionary(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.text)" })}"
        default: "\(self)"
        }
    }
}

/// Which object of the model.
struct WorldKey: Hashable, Comparable {
    var type: String
    /// The value of the property `id`; of embedded objects a number of the model.
    var id: Int

    static func < (left: WorldKey, right: WorldKey) -> Bool {
        (left.type, left.id) < (right.type, right.id)
    }
}

/// An object of the model.
struct WorldObject {
    var key: WorldKey
    var values: [String: WorldValue]
}

/// A property of a type of the model.
struct WorldProperty {
    enum Kind: Equatable {
        case single
        case list
        case set
        case map
        /// The objects of a type that link here by a property.
        case links(type: String, property: String)

        var isCollection: Bool { self != .single }
    }

    var name: String
    var type: PropertyType
    var kind: Kind = .single
    var isOptional = false
    /// The type of the objects that are linked to.
    var target: String?
    var isEmbedded = false
}

/// A type of the model.
struct WorldType {
    var name: String
    var base: String?
    var isEmbedded = false
    var properties: [WorldProperty]

    func property(_ name: String) -> WorldProperty? {
        properties.first { $0.name == name }
    }
}

/// The types and objects of the model: what a realm with the same contents has.
struct WorldData {
    var types: [String: WorldType]
    var objects: [WorldKey: WorldObject] = [:]

    init(_ types: [WorldType]) {
        self.types = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
    }

    /// The objects of a type without those of derived ones, in the order of a realm's results.
    func keys(of type: String) -> [WorldKey] {
        objects.keys.filter { $0.type == type }.sorted()
    }

    /// Whether a type is another one or derived from it.
    func isType(_ type: String, kindOf other: String) -> Bool {
        var name: String? = type
        while let current = name {
            if current == other { return true }
            name = types[current]?.base
        }
        return false
    }

    /// The objects that link to one by a property, as often as they do, in the order of keys.
    func origins(of target: WorldKey, type: String, property: String) -> [WorldKey] {
        objects.values
            .filter { isType($0.key.type, kindOf: type) }
            .sorted { $0.key < $1.key }
            .flatMap { object in
                let links = (object.values[property] ?? .null).links.filter { $0 == target }
                return Array(repeating: object.key, count: links.count)
            }
    }
}

extension WorldValue {
    /// All links in the value.
    var links: [WorldKey] {
        switch self {
        case .link(let key): [key]
        case .list(let values): values.flatMap(\.links)
        case .dictionary(let values): values.values.flatMap(\.links)
        default: []
        }
    }
}
