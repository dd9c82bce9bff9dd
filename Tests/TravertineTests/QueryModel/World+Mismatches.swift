import Foundation
import RealmSwift

@testable import Travertine

extension World {
    /// The properties in which the realm and the model differ, for a test to compare with nothing.
    func mismatches() -> [String] {
        var result: [String] = []
        for type in ["WorldSpot", "WorldPier", "WorldOwner"] {
            let count =
                switch type {
                case "WorldSpot": realm.objects(WorldSpot.self).count
                case "WorldPier": realm.objects(WorldPier.self).count
                default: realm.objects(WorldOwner.self).count
                }
            let keys = data.keys(of: type)
            if count != keys.count { result.append("\(count) objects of \(type)") }
            for key in keys {
                guard let object = handle(key) else {
                    result.append("no object \(key)")
                    continue
                }
                result += mismatches(object, key)
            }
        }
        return result
    }

    private func mismatches(_ object: ObjectBase, _ key: WorldKey) -> [String] {
        var result: [String] = []
        for property in data.types[key.type]!.properties {
            if case .links = property.kind { continue }
            let expected = data.objects[key]!.values[property.name] ?? .null
            if property.isEmbedded {
                let embedded =
                    property.kind == .single
                    ? [object[property.name] as? EmbeddedObject].compactMap { $0 }
                    : (object[property.name] as? List<WorldCrate>).map(Array.init) ?? []
                if embedded.count != expected.links.count {
                    result.append("\(key).\(property.name) has \(embedded.count)")
                    continue
                }
                for (crate, link) in zip(embedded, expected.links) {
                    result += mismatches(crate, link)
                }
                continue
            }
            let isSet = property.kind == .set
            let (found, wanted) = (
                World.read(object[property.name], isSet), World.sorted(expected, isSet)
            )
            if found.text != wanted.text {
                result.append("\(key).\(property.name) is \(found.text), not \(wanted.text)")
            }
        }
        return result
    }

    static func sorted(_ value: WorldValue, _ isSet: Bool) -> WorldValue {
        guard isSet, case .list(let values) = value else { return value }
        return .list(values.sorted { $0.text < $1.text })
    }

    /// What `subscript` of an object returns as a value of the model.
    static func read(_ value: Any?, _ isSet: Bool) -> WorldValue {
        guard let value else { return .null }
        switch value {
        case let value as WorldGrade: return .int(value.rawValue)
        case let value as Int8: return .int(Int(value))
        case let value as Int16: return .int(Int(value))
        case let values as any RealmKeyedCollection:
            var result: [String: WorldValue] = [:]
            for case (let label, let element)? in elements(values) { result[label] = element }
            return .dictionary(result)
        case let values as any RealmCollection:
            return sorted(.list(elements(of: values)), isSet)
        case let object as Object: return .link(key(of: object))
        default: return AnyRealmValue(any: value).map(read) ?? .null
        }
    }

    private static func elements(of values: some RealmCollection) -> [WorldValue] {
        values.map { read($0 as Any, false) }
    }

    private static func elements(
        _ values: some RealmKeyedCollection
    ) -> [(String, WorldValue)?] {
        switch values {
        case let map as Map<String, Double>: map.map { ($0.key, .double($0.value)) }
        case let map as Map<String, String?>:
            map.map { ($0.key, $0.value.map { .string($0) } ?? .null) }
        case let map as Map<String, AnyRealmValue>: map.map { ($0.key, read($0.value)) }
        case let map as Map<String, WorldSpot?>:
            map.map { ($0.key, $0.value.map { .link(key(of: $0)) } ?? .null) }
        default: []
        }
    }

    private static func read(_ value: AnyRealmValue) -> WorldValue {
        switch value {
        case .none: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .object(let value): .link(key(of: value))
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal(value)
        case .uuid(let value): .uuid(value)
        case .dictionary(let value):
            .dictionary(
                Dictionary(uniqueKeysWithValues: value.map { ($0.key, read($0.value)) }))
        case .list(let value): .list(value.map { read($0) })
        }
    }
}
