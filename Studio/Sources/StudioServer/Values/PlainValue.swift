import Foundation
import Travertine

/// Takes optionals and values of any type apart.
protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? {
        switch self {
        case .some(let value): (value as? any OptionalValue).map(\.content) ?? value
        case .none: nil
        }
    }
}

/// A value of a property, by what the page does with it.
enum StoredValue {
    case null
    case bool(Bool)
    case int(Int)
    /// A floating-point or decimal number, as it prints.
    case decimal(String)
    case string(String)
    case date(Date)
    case data(Data)
    /// An identifier, as it prints.
    case identifier(String)
    case object(DynamicObject)
    case elements(any RealmCollection)
    case entries(any RealmKeyedCollection)
    /// What only a newer library knows.
    case unknown(String)

    /// The value of a property, as `DynamicObject` gives it.
    init(_ value: Any?) {
        let value = (value as any OptionalValue).content
        switch value {
        case nil: self = .null
        case let mixed as AnyRealmValue: self = Self(mixed: mixed)
        case let flag as Bool: self = .bool(flag)
        case let number as Int: self = .int(number)
        case let number as Double: self = .decimal(number.description)
        case let number as Float: self = .decimal(number.description)
        case let number as Decimal128: self = .decimal(number.description)
        case let text as String: self = .string(text)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let identifier as ObjectId: self = .identifier(identifier.stringValue)
        case let identifier as UUID: self = .identifier(identifier.uuidString.lowercased())
        case let object as DynamicObject: self = .object(object)
        case let entries as any RealmKeyedCollection: self = .entries(entries)
        case let elements as any RealmCollection: self = .elements(elements)
        case let other?: self = .unknown("\(other)")
        }
    }

    private init(mixed: AnyRealmValue) {
        switch mixed {
        case .none: self = .null
        case .int(let value): self.init(value)
        case .bool(let value): self.init(value)
        case .float(let value): self.init(value)
        case .double(let value): self.init(value)
        case .string(let value): self.init(value)
        case .data(let value): self.init(value)
        case .date(let value): self.init(value)
        case .objectId(let value): self.init(value)
        case .decimal128(let value): self.init(value)
        case .uuid(let value): self.init(value)
        case .dictionary(let value): self.init(value)
        case .list(let value): self.init(value)
        case .object: self = mixed.dynamicObject.map { .object($0) } ?? .null
        }
    }

    /// The word for the kind of value, shown beside values of any type.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .decimal: "number"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .identifier: "id"
        case .object: "object"
        case .elements: "list"
        case .entries: "map"
        case .unknown: "unknown"
        }
    }
}

extension RealmCollection {
    /// Some elements, whatever their type.
    func values(from start: Int, count: Int) -> [Any?] {
        let total = self.count
        guard start < total else { return [] }
        return (start..<Swift.min(total, start + count)).map { self[$0] }
    }
}

extension RealmKeyedCollection {
    /// Some entries in the order of their keys, whatever their type.
    func entries(from start: Int, count: Int) -> [(key: String, value: Any?)] {
        keys.dropFirst(start).prefix(count).map { ($0._text, self[$0]) }
    }

    /// What is under a key, which may be nil; nil itself if there is nothing.
    func entry(under key: String) -> Any?? { self[Key(_text: key)].map { $0 } }
}
