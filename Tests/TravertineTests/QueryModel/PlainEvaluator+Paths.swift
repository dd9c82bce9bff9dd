import RealmSwift

@testable import Travertine

extension PlainEvaluator {
    /// The values at the end of a path.
    func values(of path: PropertyPath, at item: Item) throws -> [Item] {
        try values(path.steps[...], at: item, countsLinks: false)
    }

    /// - Parameter countsLinks: whether linking objects at the end are there once for each link
    ///   (Q18).
    func values(
        _ steps: ArraySlice<PropertyPath.Step>, at item: Item, countsLinks: Bool
    ) throws -> [Item] {
        guard let step = steps.first else { return [item] }
        let rest = steps.dropFirst()
        func onward(_ items: [Item]) throws -> [Item] {
            try items.flatMap { try values(rest, at: $0, countsLinks: countsLinks) }
        }
        switch step {
        case .property(let name):
            guard let declared = item.target, let type = data.types[declared] else {
                throw Unclear("a step into what is no object")
            }
            guard case .link(let key) = item.value else {
                guard type.property(name) != nil else { throw Unclear("no property \(name)") }
                return try atNil(steps, type)
            }
            guard let property = data.types[key.type]?.property(name) else {
                throw Unclear("no property \(name)")
            }
            if case .links(let origin, let property) = property.kind {
                return try onward(
                    origins(key, origin, property, countsLinks: countsLinks && rest.isEmpty))
            }
            let value = data.objects[key]?.values[name] ?? .null
            if property.kind == .single { return try onward([element(value, property)]) }
            return try values(rest, in: value, property, countsLinks: countsLinks)
        case .links(let type, let property):
            guard case .link(let key) = item.value else { return [] }
            return try onward(
                origins(key, type, property, countsLinks: countsLinks && rest.isEmpty))
        case .type: return try onward([Item(typeName(item), .computed)])
        case .position, .first, .last, .key, .each, .keys, .values:
            guard item.origin == .mixed else { throw Unclear("a step into what is no collection") }
            return try onward(elements(step, of: item.value).map { Item($0, .mixed) })
        }
    }

    private func element(_ value: WorldValue, _ property: WorldProperty) -> Item {
        Item(
            value, property.type == .any ? .mixed : .declared(property.type),
            target: property.target)
    }

    /// Continues in a collection: with what a step chooses, else with each element.
    private func values(
        _ steps: ArraySlice<PropertyPath.Step>, in collection: WorldValue,
        _ property: WorldProperty, countsLinks: Bool
    ) throws -> [Item] {
        var rest = steps
        var chosen = elements(.each, of: collection)
        var isText = false
        switch steps.first {
        case .position?, .first?, .last?, .key?, .each?, .keys?, .values?:
            let step = rest.removeFirst()
            chosen = elements(step, of: collection)
            isText = step == .keys
        default: break
        }
        let items = chosen.map {
            isText ? Item($0, .declared(.string)) : element($0, property)
        }
        return try items.flatMap { try values(rest, at: $0, countsLinks: countsLinks) }
    }

    /// What a step reaches in a collection, or in a value of any type (Q15, Q16).
    private func elements(_ step: PropertyPath.Step, of value: WorldValue) -> [WorldValue] {
        var list: [WorldValue] = []
        var dictionary: [String: WorldValue] = [:]
        if case .list(let elements) = value { list = elements }
        if case .dictionary(let elements) = value { dictionary = elements }
        switch step {
        case .position(let index): return [list.indices.contains(index) ? list[index] : .null]
        case .first: return [list.first ?? .null]
        case .last: return [list.last ?? .null]
        case .key(let key): return [dictionary[key] ?? .null]
        case .keys: return dictionary.keys.sorted().map { .string($0) }
        case .values: return dictionary.sorted { $0.key < $1.key }.map(\.value)
        default: return list + dictionary.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func origins(
        _ key: WorldKey, _ type: String, _ property: String, countsLinks: Bool
    ) -> [Item] {
        var keys = origins.origins(of: key, type: type, property: property)
        if !countsLinks { keys = Set(keys).sorted() }
        return keys.map { Item(.link($0), .declared(.object), target: type) }
    }

    /// Q19.
    private func typeName(_ item: Item) -> WorldValue {
        let type: PropertyType
        switch item.value {
        case .link(let key): return item.origin == .mixed ? .string("object") : .string(key.type)
        case .null: return .null
        case .list: return .string("list")
        case .dictionary: return .string("dictionary")
        case .bool: type = .bool
        case .int: type = .int
        case .float: type = .float
        case .double: type = .double
        case .decimal: type = .decimal128
        case .string: type = .string
        case .data: type = .data
        case .date: type = .date
        case .objectId: type = .objectId
        case .uuid: type = .UUID
        }
        return .string(type.description)
    }

    /// What a path has through a nil link: nil, or nothing where a collection is on the way.
    private func atNil(
        _ steps: ArraySlice<PropertyPath.Step>, _ type: WorldType
    ) throws -> [Item] {
        var type: WorldType? = type
        var end = Item(.null, .declared(.object))
        var isInCollection = false
        for step in steps {
            let wasInCollection = isInCollection
            isInCollection = false
            switch step {
            case .property(let name):
                if wasInCollection { return [] }
                guard let property = type?.property(name) else {
                    throw Unclear("no property \(name)")
                }
                end = element(.null, property)
                type = property.target.flatMap { data.types[$0] }
                if case .links = property.kind { return [] }
                isInCollection = property.kind.isCollection
            case .position, .first, .last, .key: break
            case .type: if wasInCollection { return [] }
            case .each, .keys, .values, .links: return []
            }
        }
        return isInCollection ? [] : [end]
    }
}
