import Foundation
import RealmSwift

@testable import Travertine

extension World {
    /// The properties in which the realm and the model differ, for a test to compare with nothing.
    func mismatches() -> [String] {
        var result: [String] = []
        for type in data.objectTypes {
            let found = try? results(.type(type))?.keys(QueryExpression(.constant(true)))
            let keys = data.keys(of: type)
            if found != keys { result.append("\(type) has \(found ?? []), not \(keys)") }
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
            if !property.isStored { continue }
            let expected = data.objects[key]!.values[property.name] ?? .null
            if property.isEmbedded {
                let embedded =
                    property.kind == .single
                    ? [object[property.name] as? ObjectBase].compactMap { $0 }
                    : World.embedded(object[property.name])
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

    /// The objects in a list of embedded ones.
    private static func embedded(_ value: Any?) -> [ObjectBase] {
        guard let value, let list = value as? any WorldList,
            let collection = value as? any RealmCollection
        else { return [] }
        return (0..<collection.count).compactMap { list.object(at: $0) }
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
        case let map as any WorldMap:
            return .dictionary(
                Dictionary(
                    uniqueKeysWithValues: map.entries.map { ($0.key, read($0.value, false)) }))
        case let values as any RealmCollection:
            return sorted(.list(elements(of: values)), isSet)
        case let object as Object: return .link(key(of: object))
        default: return AnyRealmValue(any: value).map(read) ?? .null
        }
    }

    private static func elements(of values: some RealmCollection) -> [WorldValue] {
        values.map { read($0 as Any, false) }
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
