import RealmSwift

@testable import Travertine

/// The types of a world: for the plain model, and for the realm.
struct WorldSchema {
    var types: [WorldType]
    var classes: [ObjectBase.Type]
    /// Types without a class, and what is added to classes.
    var objectSchemas: [ObjectSchema] = []
}

/// A class of objects of a world, which have a property `id`.
protocol WorldClass: Object {}

extension WorldClass {
    static func find(_ id: Int, _ type: WorldType, in realm: Realm) -> Object? {
        type.hasPrimaryKey
            ? realm.object(ofType: Self.self, forPrimaryKey: id)
            : realm.objects(Self.self).first { $0["id"] as? Int == id }
    }

    static func make(_ id: Int, in realm: Realm) -> Object {
        realm.create(Self.self, value: ["id": id])
    }

    static func results(in realm: Realm, withDerived: Bool = false) -> any WorldResults {
        withDerived
            ? realm.objects(Self.self, includingSubclasses: true) : realm.objects(Self.self)
    }
}

/// Results of objects, of whatever class.
protocol WorldResults {
    /// The objects that an expression finds, in order; counts them first.
    func keys(_ expression: QueryExpression) throws -> [WorldKey]

    /// The same objects, observed.
    func followed(
        _ name: String, _ history: ObservedHistory, _ paths: [[String]]?,
        _ expression: QueryExpression, isUnordered: Bool,
        _ expected: @escaping (WorldData) throws -> [WorldKey], current: (([Int]) -> [WorldKey])?
    ) throws -> FollowedObjects
}

extension Results: WorldResults where Element: ObjectBase {
    func keys(_ expression: QueryExpression) throws -> [WorldKey] {
        let results = try applying(expression)
        // Counted before anything is found: from summaries where there are any.
        let count = results.count
        let keys = results.map { World.key(of: $0) }
        if count != keys.count {
            throw RealmEvaluation.WrongCount(count: count, foundCount: keys.count)
        }
        return keys
    }

    func followed(
        _ name: String, _ history: ObservedHistory, _ paths: [[String]]?,
        _ expression: QueryExpression, isUnordered: Bool,
        _ expected: @escaping (WorldData) throws -> [WorldKey], current: (([Int]) -> [WorldKey])?
    ) throws -> FollowedObjects {
        let results = try applying(expression)
        // A query that is refused is refused when it first runs.
        _ = results.count
        return FollowedObjects(
            name, history, paths, results, isUnordered: isUnordered, expected,
            current: current.map { keys in
                { results.isInvalidated ? [] : keys(Array(results.indices)) }
            })
    }
}

/// A list, whatever its elements are.
protocol WorldList {
    /// Inserts or replaces an element; false if it is none of the list's.
    func set(_ element: Any, at position: Int, isReplaced: Bool) -> Bool
    func remove(at position: Int)
    func move(from source: Int, to target: Int)
    /// The element, if it is an object.
    func object(at position: Int) -> ObjectBase?
}

extension List: WorldList {
    func set(_ element: Any, at position: Int, isReplaced: Bool) -> Bool {
        guard let made = World.made(of: element, as: Element.self) else { return false }
        if isReplaced { self[position] = made } else { insert(made, at: position) }
        return true
    }

    func object(at position: Int) -> ObjectBase? { self[position] as? ObjectBase }
}

/// A map, whatever its values are.
protocol WorldMap {
    /// The values by keys.
    var entries: [(key: String, value: Any)] { get }
    /// Sets a value, or removes it; false if it is none of the map's.
    func set(_ value: Any?, for key: String) -> Bool
    /// The same map, observed.
    func followed(
        _ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey, _ property: String
    ) -> FollowedMap
}

extension Map: WorldMap where Key == String {
    var entries: [(key: String, value: Any)] { map { ($0.key, $0.value as Any) } }

    func set(_ value: Any?, for key: String) -> Bool {
        guard let value else {
            removeObject(for: key)
            return true
        }
        guard let made = World.made(of: value, as: Value.self) else { return false }
        self[key] = made
        return true
    }

    func followed(
        _ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey, _ property: String
    ) -> FollowedMap {
        FollowedMap(history, paths, key, property, self)
    }
}

extension World {
    /// A value as a collection has it; properties without a class hold objects without one.
    fileprivate static func made<Element: RealmCollectionValue>(
        of value: Any, as type: Element.Type
    ) -> Element? {
        let key = (value as? Object).map { World.key(of: $0) }
        guard type == DynamicObject.self || type == DynamicObject?.self, let key,
            let realm = (value as? Object)?.realm
        else { return Element._makeElement(from: value) }
        return realm.dynamicObjects(key.type).first { $0["id"] as? Int == key.id } as? Element
    }
}
