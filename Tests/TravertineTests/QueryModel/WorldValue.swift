import Foundation
import RealmSwift

@testable import Travertine

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

    /// The bytes of the value, to distinguish values that queries do not (1 and 1.0, 0 and -0).
    var text: String {
        switch self {
        case .string(let value): "s\(Array(value.utf8))"
        case .data(let value): "b\(Array(value))"
        case .date(let value): "t\(value.timeIntervalSinceReferenceDate)"
        case .list(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .dictionary(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.text)" })}"
        case .null: "n"
        case .bool(let value): value ? "y" : "z"
        case .int(let value): "i\(value)"
        case .float(let value): "f\(value.bitPattern)"
        case .double(let value): "d\(value.bitPattern)"
        case .decimal(let value): "m\(value)"
        case .objectId(let value): "o\(value)"
        case .uuid(let value): "u\(value)"
        case .link(let key): "l\(key.type)#\(key.id)"
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
    /// Whether a schema adds it to a class that does not declare it.
    var isAdded = false
    /// Whether it links to objects of its target only, and not to those of derived types: without a
    /// class there are none.
    var isExact = false

    /// What its values are: the name without a number at the end. "prose" and "prose2" are alike.
    var role: String { String(name.prefix { !$0.isNumber }) }

    /// Whether it is stored, and not derived from links.
    var isStored: Bool {
        if case .links = kind { false } else { true }
    }
}

/// A type of the model.
struct WorldType {
    var name: String
    var base: String?
    var isEmbedded = false
    /// The class of its objects in the realm; nil for a type without a class.
    var model: (any WorldClass.Type)?
    /// Whether `id` is the primary key.
    var hasPrimaryKey = true
    var properties: [WorldProperty]

    func property(_ name: String) -> WorldProperty? {
        properties.first { $0.name == name }
    }
}

/// The types and objects of the model: what a realm with the same contents has.
struct WorldData {
    let types: [String: WorldType]
    private(set) var objects: [WorldKey: WorldObject] = [:]
    /// The keys of the objects of each type, ascending.
    private var keys: [String: [WorldKey]] = [:]

    init(_ types: [WorldType]) {
        self.types = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
    }

    /// The objects of a type without those of derived ones, in the order of a realm's results.
    func keys(of type: String) -> [WorldKey] { keys[type] ?? [] }

    /// Adds an object whose key comes after all others of its type.
    mutating func add(_ object: WorldObject) {
        assert(keys[object.key.type]?.last.map { $0 < object.key } ?? true)
        objects[object.key] = object
        keys[object.key.type, default: []].append(object.key)
    }

    /// Removes an object, but no link to it.
    mutating func remove(_ key: WorldKey) {
        objects[key] = nil
        keys[key.type]?.removeAll { $0 == key }
    }

    /// Sets a property of an object.
    mutating func set(_ name: String, of key: WorldKey, _ value: WorldValue) {
        objects[key]?.values[name] = value
    }

    /// The names of the types whose objects are not embedded, in order.
    var objectTypes: [String] {
        types.values.filter { !$0.isEmbedded }.map(\.name).sorted()
    }

    /// The names of the types that are derived from one, in order.
    func derived(from type: String) -> [String] {
        types.keys.sorted().filter { $0 != type && isType($0, kindOf: type) }
    }

    /// How the text at the end of a path is cut into words.
    func tokenizer(_ path: PropertyPath) -> FullTextTokenizer {
        guard case .property(let name)? = path.steps.last else { return .words }
        return switch WorldProperty(name: name, type: .string).role {
        case "parts": .trigrams
        case "signs": .codePoints
        default: .words
        }
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
