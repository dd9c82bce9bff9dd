import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Histories over schemas that are made at random: objects without class, against plain values in
/// memory, with reopening, rollback, compaction and crashes between.
@Suite("Random schemas")
struct RandomSchemaTests {
    @Test(
        "after random histories over random schemas every object equals its model",
        arguments: Array(1...8) as [UInt64])
    func histories(seed: UInt64) throws {
        var history = RandomHistory(seed: seed)
        print("random schema, seed \(seed):", history.schemas.map(\.description).joined())
        for round in 0..<4 {
            let realm = try history.open(compacting: round % 2 == 1)
            for _ in 0..<12 {
                try history.transaction(in: realm)
                try history.crashSometimes(realm)
            }
            try history.check(realm)
            // What goes on is what a crash left, every other time.
            if round % 2 == 0 { try history.crash(realm, goingOn: true) }
        }
        try history.check(try history.open(compacting: true))
        let report = try ObjectVerifier.verify(path: history.directory.url.path)
        #expect(report.findings.isEmpty, "seed \(seed): \(report.findings)")
        #expect(report.objectCount >= history.model.count)
    }
}

/// A value as the model has it.
private indirect enum ModelValue: Hashable, CustomStringConvertible {
    case none
    /// A single value by its text, which distinguishes all that are used here.
    case single(String)
    case link(ObjectName)
    case embedded([String: ModelValue])
    case list([ModelValue])
    case set(Set<ModelValue>)
    case map([String: ModelValue])

    var description: String {
        switch self {
        case .none: "nil"
        case .single(let text): text
        case .link(let name): "\(name.type)#\(name.id)"
        case .embedded(let values): "{\(values.sorted { $0.key < $1.key })}"
        case .list(let values): "\(values)"
        case .set(let values): "\(values.map(\.description).sorted())"
        case .map(let values): "\(values.sorted { $0.key < $1.key })"
        }
    }

    /// The value after an object was deleted.
    func without(_ deleted: ObjectName) -> ModelValue {
        switch self {
        case .none, .single: self
        case .link(let name): name == deleted ? .none : self
        case .embedded(let values): .embedded(values.mapValues { $0.without(deleted) })
        case .list(let values):
            .list(values.filter { $0 != .link(deleted) }.map { $0.without(deleted) })
        case .set(let values): .set(values.filter { $0 != .link(deleted) })
        case .map(let values): .map(values.mapValues { $0.without(deleted) })
        }
    }
}

private struct ObjectName: Hashable {
    var type: String
    var id: Int
}

private struct RandomHistory {
    private(set) var directory = TemporaryDirectory()
    private var crashedDirectories: [TemporaryDirectory] = []
    private(set) var schemas: [ObjectSchema] = []
    private(set) var model: [ObjectName: [String: ModelValue]] = [:]
    private var random: SeededRandom
    private var nextID = 1

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let tops = (0..<2 + random.below(3)).map { "Type\($0)" }
        let parts = (0..<random.below(3)).map { "Part\($0)" }
        for name in tops {
            // Keys of every kind: one that is the object key, one with a key index, none.
            let isKey = random.chance(70)
            let key = Property(
                "id", .int, isOptional: isKey && random.chance(40), isPrimaryKey: isKey)
            schemas.append(
                ObjectSchema(name, properties: [key] + properties(2...9, tops, parts)))
        }
        for (place, name) in parts.enumerated() {
            // Embedded types hold only those after them, so that there is no cycle.
            let later = Array(parts[(place + 1)...])
            schemas.append(
                ObjectSchema(name, kind: .embedded, properties: properties(1...4, tops, later)))
        }
    }

    private mutating func properties(
        _ counts: ClosedRange<Int>, _ tops: [String], _ parts: [String]
    ) -> [Property] {
        let singles: [PropertyType] = [
            .int, .bool, .string, .data, .date, .float, .double, .objectId, .decimal128, .UUID,
            .any,
        ]
        let unindexed: [PropertyType] = [.float, .double, .decimal128]
        return (0..<counts.lowerBound + random.below(counts.count)).map { place in
            let name = "p\(place)"
            let collection = random.pick(
                [.none, .none, .none, .list, .set, .map] as [CollectionKind])
            if random.chance(30) {
                return Property(
                    name, .object, collection: collection, objectType: random.pick(tops))
            }
            if !parts.isEmpty, random.chance(30), collection != .set {
                return Property(
                    name, .object, collection: collection, objectType: random.pick(parts))
            }
            let type = random.pick(singles)
            let isIndexed = collection == .none && !unindexed.contains(type) && random.chance(40)
            return Property(
                name, type, isOptional: type != .any && random.chance(40),
                collection: collection, index: isIndexed ? .general : .none)
        }
    }

    func open(compacting: Bool, _ other: TemporaryDirectory? = nil) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: (other ?? directory).url, shouldCompactOnLaunch: { _, _ in compacting },
            objectTypes: [], durability: .unsynced)
        configuration.objectSchemas = schemas
        return try Realm(configuration: configuration)
    }

    private func schema(_ name: String) -> ObjectSchema? {
        schemas.first { $0.className == name }
    }

    private var names: [ObjectName] {
        model.keys.sorted { ($0.type, $0.id) < ($1.type, $1.id) }
    }

    // MARK: Changing

    /// A few changes, which a third of the transactions take back.
    mutating func transaction(in realm: Realm) throws {
        let before = model
        let isUndone = random.chance(30)
        do {
            try realm.write {
                for _ in 0..<1 + random.below(8) { try change(realm) }
                if isUndone { throw Stop() }
            }
        } catch is Stop {
            model = before
        }
        if random.chance(20) { try check(realm) }
    }

    mutating func crashSometimes(_ realm: Realm) throws {
        if random.chance(20) { try crash(realm, goingOn: false) }
    }

    /// Compares what a crash would leave now, or in the middle of a transaction, with the model.
    mutating func crash(_ realm: Realm, goingOn: Bool) throws {
        let before = model
        let isInside = random.chance(50)
        if isInside {
            realm.beginWrite()
            for _ in 0..<1 + random.below(8) { try change(realm) }
        }
        let crashed = TemporaryDirectory()
        try FileManager.default.copyItem(at: directory.url, to: crashed.url)
        if isInside {
            realm.cancelWrite()
            model = before
        }
        do {
            let recovered = try open(compacting: random.chance(30), crashed)
            try check(recovered)
        }
        let report = try ObjectVerifier.verify(path: crashed.url.path)
        #expect(report.findings.isEmpty, "\(report.findings)")
        if goingOn {
            // The store that crashed is still open: it keeps its files.
            crashedDirectories.append(directory)
            directory = crashed
        }
    }

    private mutating func change(_ realm: Realm) throws {
        let names = names
        if names.isEmpty || random.chance(30) {
            let tops = schemas.filter { !$0.isEmbedded }
            let schema = tops[random.below(tops.count)]
            let name = ObjectName(type: schema.className, id: nextID)
            nextID += 1
            let (given, values) = values(of: schema, name, realm)
            realm.dynamicCreate(schema.className, value: given)
            model[name] = values
            return
        }
        let name = names[random.below(names.count)]
        let object = try #require(find(name, realm))
        if random.chance(25) {
            realm.delete(object)
            model[name] = nil
            for (other, values) in model {
                model[other] = values.mapValues { $0.without(name) }
            }
            return
        }
        let schema = try #require(self.schema(name.type))
        let properties = schema.properties.filter { $0.name != "id" }
        let property = properties[random.below(properties.count)]
        switch random.below(10) {
        case 0, 1, 2:
            if schema.primaryKeyProperty == nil { break }
            return try update(name, properties, realm)
        case 3:
            if !property.isArray { break }
            return sort(object, name, property)
        case 4: return try insertAgain(schema, realm)
        default: break
        }
        let (value, modeled) = self.value(of: property, realm)
        object[property.name] = value
        model[name]?[property.name] = modeled
    }

    /// Changes some of an object's properties by a dictionary, and of its embedded objects a part.
    private mutating func update(
        _ name: ObjectName, _ properties: [Property], _ realm: Realm
    ) throws {
        var given: [String: Any] = ["id": name.id]
        for property in properties where random.chance(40) {
            var (value, modeled) = self.value(of: property, realm)
            if case .embedded(let stored) = model[name]?[property.name],
                property.collection == .none,
                case .embedded(let new) = modeled, var values = value as? [String: Any]
            {
                let kept = new.filter { _ in random.chance(60) }
                values = values.filter { kept[$0.key] != nil }
                (value, modeled) = (values, .embedded(stored.merging(kept) { $1 }))
            }
            given[property.name] = value ?? Any?.none as Any
            model[name]?[property.name] = modeled
        }
        realm.dynamicCreate(name.type, value: given, update: random.pick([.modified, .all]))
    }

    private mutating func sort(_ object: DynamicObject, _ name: ObjectName, _ property: Property) {
        guard case .list(let values) = model[name]?[property.name] else { return }
        model[name]?[property.name] = .list(values.sorted { $0.description < $1.description })
        (object[property.name] as? any SortableByText)?.sort(byText: {
            value($0, property).description
        })
    }

    /// Values for a new object of a type, and what the model has of them.
    private mutating func values(
        of schema: ObjectSchema, _ name: ObjectName, _ realm: Realm
    ) -> (given: [String: Any], modeled: [String: ModelValue]) {
        var given: [String: Any] = ["id": name.id]
        var values: [String: ModelValue] = ["id": .single("\(name.id)")]
        for property in schema.properties where property.name != "id" {
            let (value, modeled) = self.value(of: property, realm)
            given[property.name] = value ?? Any?.none as Any
            values[property.name] = modeled
        }
        return (given, values)
    }

    /// Makes an object that is refused at its end, and then again without what was wrong.
    private mutating func insertAgain(_ schema: ObjectSchema, _ realm: Realm) throws {
        let name = ObjectName(type: schema.className, id: nextID)
        nextID += 1
        let (given, values) = values(of: schema, name, realm)
        var refused = given
        let links = schema.properties.filter { $0.type == .object && !$0.isMap }
        if links.isEmpty {
            refused["missing"] = 1
        } else {
            let link = links[random.below(links.count)]
            let wrong: [String: Any] = ["id": -1, "missing": 1]
            refused[link.name] = link.collection == .none ? wrong : [wrong]
        }
        #expect(throws: Realm.Error.self) {
            try realm.dynamicInsert(schema.className, value: refused)
        }
        try realm.dynamicInsert(schema.className, value: given)
        model[name] = values
    }

    private func find(_ name: ObjectName, _ realm: Realm) -> DynamicObject? {
        if schema(name.type)?.primaryKeyProperty != nil {
            return realm.dynamicObject(ofType: name.type, forPrimaryKey: name.id)
        }
        return realm.dynamicObjects(name.type).first { $0["id"] as? Int == name.id }
    }

    // MARK: Values

    private mutating func value(of property: Property, _ realm: Realm) -> (Any?, ModelValue) {
        // Large ones become trees; of embedded objects there would be too many.
        let isLarge = property.type != .object && random.chance(5)
        let count = isLarge ? 150 : random.below(4)
        if property.isMap {
            var given: [String: Any] = [:]
            var values: [String: ModelValue] = [:]
            for place in 0..<count {
                let (value, modeled) = element(of: property, realm)
                given["k\(place)"] = value ?? Any?.none as Any
                values["k\(place)"] = modeled
            }
            return (given, .map(values))
        }
        guard property.isArray || property.isSet else { return element(of: property, realm) }
        var given: [Any] = []
        var values: [ModelValue] = []
        for _ in 0..<count {
            let (value, modeled) = element(of: property, realm)
            // Lists and sets hold no nil objects.
            if value == nil, property.type == .object { continue }
            given.append(value ?? Any?.none as Any)
            values.append(modeled)
        }
        return (given, property.isSet ? .set(Set(values)) : .list(values))
    }

    private mutating func element(of property: Property, _ realm: Realm) -> (Any?, ModelValue) {
        guard property.type == .object else {
            if property.isOptional, random.chance(30) { return (nil, .none) }
            let value = single(property.type)
            return (value, value.map { .single(Self.text($0)) } ?? .none)
        }
        guard let target = property.objectClassName.flatMap({ schema($0) }), random.chance(80)
        else { return (nil, .none) }
        if target.isEmbedded {
            var given: [String: Any] = [:]
            var values: [String: ModelValue] = [:]
            for property in target.properties {
                let (value, modeled) = self.value(of: property, realm)
                given[property.name] = value ?? Any?.none as Any
                values[property.name] = modeled
            }
            return (given, .embedded(values))
        }
        let names = names.filter { $0.type == target.className }
        guard !names.isEmpty else { return (nil, .none) }
        let name = names[random.below(names.count)]
        guard let object = find(name, realm) else { return (nil, .none) }
        return (object, .link(name))
    }

    private mutating func single(_ type: PropertyType) -> Any? {
        switch type {
        case .int:
            return random.chance(20) ? Int(bitPattern: UInt(random.next())) : random.below(300)
        case .bool: return random.chance(50)
        case .string: return random.text()
        case .data: return Data(random.text().utf8)
        case .date: return Date(timeIntervalSinceReferenceDate: Double(random.below(1000)) / 8)
        case .float: return Float(random.below(1000)) / 4
        case .double: return Double(random.below(100_000)) / 16
        case .objectId: return ObjectId.generate()
        case .decimal128: return Decimal128(random.below(100_000))
        case .UUID:
            let last = UInt8(random.below(50))
            return UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last))
        case .any: return random.chance(50) ? random.below(9) : random.text()
        case .object, .linkingObjects: return nil
        }
    }

    /// A text that is different for different values of one type.
    private static func text(_ value: Any) -> String {
        switch value {
        case let data as Data: "\(Array(data))"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case AnyRealmValue.int(let number): "\(number)"
        case AnyRealmValue.string(let text): text
        default: "\(value)"
        }
    }

    // MARK: Comparing

    /// Compares every object of the realm with the model.
    func check(_ realm: Realm) throws {
        for schema in schemas where !schema.isEmbedded {
            var found: [ObjectName: [String: ModelValue]] = [:]
            for object in realm.dynamicObjects(schema.className) {
                let id = try #require(object["id"] as? Int)
                found[ObjectName(type: schema.className, id: id)] = values(of: object, schema)
            }
            let expected = model.filter { $0.key.type == schema.className }
            #expect(Set(found.keys) == Set(expected.keys))
            for (name, values) in expected {
                for (property, value) in values {
                    let stored = found[name]?[property]
                    if stored == value { continue }
                    let text = stored?.description ?? "missing"
                    Issue.record("\(name.type)#\(name.id).\(property): \(text), not \(value)")
                }
            }
        }
    }

    private func values(of object: DynamicObject, _ schema: ObjectSchema) -> [String: ModelValue] {
        var values: [String: ModelValue] = [:]
        for property in schema.properties {
            values[property.name] = value(object[property.name], property)
        }
        return values
    }

    private func value(_ stored: Any?, _ property: Property) -> ModelValue {
        guard let stored = stored.flatMap({ content($0) }) else { return .none }
        if let collection = stored as? any UntypedCollection {
            switch collection.contents {
            case .values(let values):
                let values = values.map { value($0, property) }
                return property.isSet ? .set(Set(values)) : .list(values)
            case .entries(let entries):
                return .map(
                    Dictionary(
                        entries.map { ($0, value($1, property)) }, uniquingKeysWith: { $1 }))
            }
        }
        guard let object = stored as? DynamicObject else { return .single(Self.text(stored)) }
        guard let target = property.objectClassName.flatMap({ schema($0) }) else { return .none }
        if target.isEmbedded { return .embedded(values(of: object, target)) }
        return .link(ObjectName(type: target.className, id: object["id"] as? Int ?? -1))
    }

    /// What an element that may be an optional holds.
    private func content(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

/// A list whose elements have texts.
private protocol SortableByText {
    func sort(byText text: (Any) -> String)
}

extension List: SortableByText {
    fileprivate func sort(byText text: (Any) -> String) {
        sort { text($0) < text($1) }
    }
}

extension Property {
    fileprivate var collection: CollectionKind {
        isArray ? .list : isSet ? .set : isMap ? .map : .none
    }
}
