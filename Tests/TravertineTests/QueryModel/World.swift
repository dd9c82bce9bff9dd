import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

/// A realm, and the plain model of what it has, changed in step.
final class World {
    private(set) var data: WorldData
    private(set) var realm: Realm
    private let schema: WorldSchema
    private let directory = TemporaryDirectory()
    /// The number of the next object of each type.
    private var nextIDs: [String: Int] = [:]

    /// Opens an empty world.
    init(_ schema: WorldSchema = WorldModels.schema) throws {
        self.schema = schema
        data = WorldData(schema.types)
        realm = try World.open(directory, schema)
    }

    private static func open(
        _ directory: TemporaryDirectory, _ schema: WorldSchema,
        _ verification: Realm.Verification = .onFirstRead
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: directory.path("world"), directoryHint: .notDirectory),
            objectTypes: schema.classes, durability: .unsynced)
        configuration.objectSchemas = schema.objectSchemas
        configuration.verification = verification
        return try Realm(configuration: configuration)
    }

    /// Opens another realm of the same objects, which is not refreshed when this one writes.
    func openAnother() throws -> Realm { try World.open(directory, schema, .always) }

    /// Goes on with a realm of the same objects.
    func use(_ realm: Realm) { self.realm = realm }

    /// Opens the realm again.
    func reopen() throws {
        realm.invalidate()
        realm = try World.open(directory, schema)
    }

    /// Writes the live records anew.
    func compact() throws { try realm.store.compact() }

    /// Changes the realm in a transaction.
    func write(_ body: () throws -> Void) throws { try realm.write(body) }

    /// Changes the realm in a transaction that is cancelled.
    func cancel(_ body: () throws -> Void) throws {
        let before = data
        realm.beginWrite()
        try body()
        realm.cancelWrite()
        data = before
    }

    /// Sets a property of the model to what a block sets it to in the realm.
    func change(_ name: String, of key: WorldKey, to value: WorldValue, _ body: () -> Void) {
        body()
        data.set(name, of: key, value)
    }

    /// The object with a key.
    func handle(_ key: WorldKey) -> Object? {
        guard let type = data.types[key.type], !type.isEmbedded, key.id >= 0 else { return nil }
        if let model = type.model { return model.find(key.id, type, in: realm) }
        return type.hasPrimaryKey
            ? realm.dynamicObject(ofType: type.name, forPrimaryKey: key.id)
            : realm.dynamicObjects(type.name).first { $0["id"] as? Int == key.id }
    }

    /// What a query finds objects in; nil for a collection of an object that is not there.
    func results(_ source: WorldSource) -> (any WorldResults)? {
        switch source {
        case .type(let name):
            data.types[name]?.model?.results(in: realm) ?? realm.dynamicObjects(name)
        case .family(let name): data.types[name]?.model?.results(in: realm, withDerived: true)
        case .collection(let key, let property):
            handle(key)?[property.name].flatMap { World.results(of: $0) }
        }
    }

    /// The objects of a collection as results.
    static func results(of value: Any) -> (any WorldResults)? {
        func results(_ collection: some RealmCollection) -> Any { collection._results }
        return (value as? any RealmCollection).flatMap { results($0) as? any WorldResults }
    }

    /// Which object of the model a handle is; of an object in no realm one that does not exist.
    static func key(of object: ObjectBase) -> WorldKey {
        guard object.realm != nil, !object.isInvalidated else {
            return WorldKey(type: "", id: -1)
        }
        switch object {
        case let object as WorldSpot:
            return WorldKey(type: object is WorldPier ? "WorldPier" : "WorldSpot", id: object.id)
        case let object as WorldOwner: return WorldKey(type: "WorldOwner", id: object.id)
        default:
            // Embedded objects have no numbers in the realm.
            if object.table.stored.isEmbedded { return WorldKey(type: "", id: -1) }
            return WorldKey(type: object.table.stored.name, id: object["id"] as? Int ?? -1)
        }
    }

    // MARK: Changing

    /// Adds an object; properties that are missing have the values of a new object in Swift.
    ///
    /// Embedded objects are in the values as dictionaries of their properties.
    @discardableResult
    func add(_ type: String, _ values: [String: WorldValue]) throws -> WorldKey {
        let key = WorldKey(type: type, id: nextIDs[type, default: 0])
        nextIDs[type] = key.id + 1
        var complete: [String: WorldValue] = [:]
        for property in data.types[type]!.properties {
            complete[property.name] = values[property.name] ?? World.initial(property)
        }
        complete["id"] = .int(key.id)
        let object =
            data.types[type]!.model?.make(key.id, in: realm)
            ?? realm.dynamicCreate(type, value: ["id": key.id])
        // A value that did not fit has failed the transaction.
        if let failure = realm.session.failure { throw failure }
        data.add(WorldObject(key: key, values: ["id": .int(key.id)]))
        for (name, value) in complete.sorted(by: { $0.key < $1.key }) where name != "id" {
            set(name, of: object, key, value)
        }
        return key
    }

    /// Sets a property.
    func set(_ name: String, of key: WorldKey, _ value: WorldValue) {
        guard let object = handle(key) else { return }
        set(name, of: object, key, value)
    }

    private func set(_ name: String, of object: Object, _ key: WorldKey, _ value: WorldValue) {
        let property = data.types[key.type]!.property(name)!
        if case .links = property.kind { return }
        object[name] = any(value, property)
        if let old = data.objects[key]?.values[name], property.isEmbedded {
            for key in old.links { data.remove(key) }
        }
        let stored = property.isEmbedded ? embedded(value, property) : value
        data.set(name, of: key, stored)
    }

    /// Removes an object, from what links to it as well.
    func delete(_ key: WorldKey) {
        guard let object = handle(key) else { return }
        realm.delete(object)
        let embedded = data.types[key.type]!.properties.filter(\.isEmbedded)
            .flatMap { data.objects[key]?.values[$0.name]?.links ?? [] }
        for key in embedded { data.remove(key) }
        data.remove(key)
        for (other, object) in data.objects {
            for property in data.types[other.type]!.properties {
                guard let value = object.values[property.name], value.links.contains(key) else {
                    continue
                }
                data.set(property.name, of: other, World.without(key, value, property))
            }
        }
    }

    private static func without(
        _ key: WorldKey, _ value: WorldValue, _ property: WorldProperty
    ) -> WorldValue {
        switch value {
        case .link(key): return .null
        case .list(let values):
            let isRemoved = property.type == .object
            return .list(
                values.compactMap { element in
                    guard element.links.contains(key) else { return element }
                    return isRemoved ? nil : without(key, element, property)
                })
        case .dictionary(let values):
            return .dictionary(values.mapValues { without(key, $0, property) })
        default: return value
        }
    }

    /// Makes objects of the model of embedded ones that are given by their values.
    private func embedded(_ value: WorldValue, _ property: WorldProperty) -> WorldValue {
        switch value {
        case .list(let values): return .list(values.map { embedded($0, property) })
        case .dictionary(let values):
            let key = WorldKey(type: property.target!, id: nextIDs[property.target!, default: 0])
            nextIDs[key.type] = key.id + 1
            data.add(WorldObject(key: key, values: values))
            return .link(key)
        default: return value
        }
    }

    private static func initial(_ property: WorldProperty) -> WorldValue {
        switch property.kind {
        case .list, .set: return .list([])
        case .map: return .dictionary([:])
        case .links: return .null
        case .single: break
        }
        if property.isOptional { return .null }
        return switch property.type {
        case .int: .int(property.role == "grade" ? 1 : 0)
        case .bool: .bool(false)
        case .float: .float(0)
        case .double: .double(0)
        case .decimal128: .decimal(0)
        case .string: .string("")
        case .data: .data(Data())
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .objectId: .objectId(ObjectId())
        case .UUID: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .object, .any, .linkingObjects: .null
        }
    }

    // MARK: Values of the realm

    func any(_ value: WorldValue, _ property: WorldProperty) -> Any? {
        switch (property.kind, value) {
        case (.list, .list(let values)), (.set, .list(let values)):
            return values.map { element($0, property) as Any }
        case (.map, .dictionary(let values)):
            return values.mapValues { element($0, property) as Any }
        default: return element(value, property)
        }
    }

    func element(_ value: WorldValue, _ property: WorldProperty) -> Any? {
        if property.type == .any { return mixed(value) }
        if case .dictionary(let values) = value {
            let type = data.types[property.target!]!
            return values.reduce(into: [String: Any]()) { result, entry in
                result[entry.key] = any(entry.value, type.property(entry.key)!) as Any
            }
        }
        return mixed(value).plain
    }

    /// The value as one of any type.
    func mixed(_ value: WorldValue) -> AnyRealmValue {
        switch value {
        case .null: .none
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal128(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .link(let key): handle(key).map { .object($0) } ?? .none
        case .list(let values): .fromArray(values.map { mixed($0) })
        case .dictionary(let values): .fromDictionary(values.mapValues { mixed($0) })
        }
    }
}
