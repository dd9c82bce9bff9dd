import Foundation
import Travertine

/// A value of a property that outlives its object, so that it can be set again.
indirect enum KeptValue {
    /// A single value; nil for null.
    case single(Any?)
    case link(ObjectAddress)
    /// An embedded object, with the address that it had.
    case embedded(String, [(name: String, value: KeptValue)])
    case elements([KeptValue])
    case entries([(key: String, value: KeptValue)])
}

/// The address of an object that the page was given, and a way to what is embedded in it.
struct ObjectAddress: Hashable {
    var type: String
    var id: String
    var path: [String] = []
}

/// Takes values out of the realm.
struct ValueKeeper {
    let references: ReferenceTable
    /// Elements, entries and properties that are taken still, and bytes.
    private(set) var valueCount = Self.valueLimit
    private(set) var byteCount = Self.byteLimit
    private var keptPlaces: Set<ObjectAddress> = []
    /// The ways to embedded objects from the object whose values were taken last, by their
    /// addresses.
    private(set) var embedded: [String: [String]] = [:]

    static let valueLimit = 100_000
    static let byteLimit = 32 << 20
    /// How deep embedded objects and collections are taken.
    private static let depthLimit = 64

    init(references: ReferenceTable) { self.references = references }

    /// Makes the keeper incomplete: there is more than it takes.
    mutating func giveUp() { valueCount = 0 }

    /// Whether there was room for everything.
    var isComplete: Bool { valueCount > 0 && byteCount > 0 }

    /// The values of an object, and the ways to what is embedded in it.
    mutating func values(of object: DynamicObject) -> [(name: String, value: KeptValue)] {
        embedded = [:]
        return values(of: object, path: [])
    }

    private mutating func values(
        of object: DynamicObject, path: [String]
    ) -> [(name: String, value: KeptValue)] {
        object.objectSchema.properties.filter { $0.type != .linkingObjects }.map {
            ($0.columnName, keep(object[$0.name], path + [$0.columnName]))
        }
    }

    /// The value of a property, unless it was taken before.
    mutating func keepOnce(
        _ value: Any?, _ address: ObjectAddress, _ property: String
    ) -> KeptValue? {
        var place = address
        place.path.append(property)
        return keptPlaces.insert(place).inserted ? keep(value) : nil
    }

    /// A value; when there is no room left, null.
    mutating func keep(_ value: Any?, _ path: [String] = []) -> KeptValue {
        valueCount -= 1
        if path.count > Self.depthLimit { giveUp() }
        guard isComplete else { return .single(nil) }
        switch StoredValue(value) {
        case .null: return .single(nil)
        case .object(let object):
            let address = references.address(of: object)
            byteCount -= address.utf8.count
            guard object.objectSchema.isEmbedded else {
                return .link(ObjectAddress(type: object.objectSchema.objectTypeName, id: address))
            }
            embedded[address] = path
            return .embedded(address, values(of: object, path: path))
        case .elements(let elements):
            // Taken in parts, so that a long list costs no more than the limit.
            var kept: [KeptValue] = []
            while isComplete {
                let part = elements.values(from: kept.count, count: 1000)
                if part.isEmpty { break }
                for value in part { kept.append(keep(value, path + [String(kept.count)])) }
            }
            return .elements(kept)
        case .entries(let entries):
            guard entries.count < valueCount else {
                giveUp()
                return .single(nil)
            }
            let all = entries.entries(from: 0, count: entries.count)
            // A map compares keys by their bytes, a dictionary by their characters.
            if Set(all.map(\.key)).count < all.count { giveUp() }
            return .entries(
                all.map {
                    byteCount -= $0.key.utf8.count
                    return ($0.key, keep($0.value, path + [$0.key]))
                })
        case .string(let text): byteCount -= text.utf8.count
        case .data(let data): byteCount -= data.count
        default: break
        }
        return .single(Self.plain(value))
    }

    /// A single value without the wrapping of optionals and of values of any type.
    private static func plain(_ value: Any?) -> Any? {
        let value = (value as any OptionalValue).content
        guard let mixed = value as? AnyRealmValue else { return value }
        switch mixed {
        case .int(let value): return value
        case .bool(let value): return value
        case .float(let value): return value
        case .double(let value): return value
        case .string(let value): return value
        case .data(let value): return value
        case .date(let value): return value
        case .objectId(let value): return value
        case .decimal128(let value): return value
        case .uuid(let value): return value
        case .none, .object, .list, .dictionary: return nil
        }
    }
}

extension KeptValue {
    /// The value as properties take it. A link to an object that is not there is null, and left out
    /// of lists and sets.
    func value(_ object: (ObjectAddress) -> DynamicObject?) -> Any? {
        switch self {
        case .single(let value): return value
        case .link(let address): return object(address)
        case .embedded(_, let values):
            return Dictionary(
                values.map { ($0.name, $0.value.value(object) as Any) }, uniquingKeysWith: { $1 })
        case .elements(let elements):
            return elements.compactMap { element -> Any? in
                let value = element.value(object)
                if case .link = element, value == nil { return nil }
                return .some(value as Any)
            }
        case .entries(let entries):
            return Dictionary(
                entries.map { ($0.key, $0.value.value(object) as Any) }, uniquingKeysWith: { $1 })
        }
    }

    /// Makes the addresses of embedded objects lead to those that replace them.
    ///
    /// - Parameter value: what the property has now.
    func readdress(_ value: Any?, in references: ReferenceTable) {
        switch (self, StoredValue(value)) {
        case (.embedded(let address, let values), .object(let object)):
            references.replace(address, with: object)
            for (name, value) in values {
                guard let property = object.objectSchema[name] else { continue }
                value.readdress(object[property.name], in: references)
            }
        case (.elements(let kept), .elements(let elements)) where kept.first?.isEmbedded == true:
            for (kept, value) in zip(kept, elements.values(from: 0, count: kept.count)) {
                kept.readdress(value, in: references)
            }
        case (.entries(let kept), .entries(let entries)):
            for entry in kept where entry.value.isEmbedded {
                entry.value.readdress(entries.entry(under: entry.key) ?? nil, in: references)
            }
        default: return
        }
    }

    private var isEmbedded: Bool {
        if case .embedded = self { return true }
        return false
    }

    /// The addresses of objects that are linked to.
    var addresses: [ObjectAddress] {
        switch self {
        case .single: []
        case .link(let address): [address]
        case .embedded(_, let values): values.flatMap { $0.value.addresses }
        case .elements(let elements): elements.flatMap(\.addresses)
        case .entries(let entries): entries.flatMap { $0.value.addresses }
        }
    }
}
