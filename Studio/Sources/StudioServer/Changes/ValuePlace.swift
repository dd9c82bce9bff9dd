import Travertine

/// Where a value is: in a property, or in a collection at a position or under a key.
struct ValuePlace {
    /// What has the value.
    enum Holder {
        case object(DynamicObject)
        case elements(any RealmCollection)
        case entries(any RealmKeyedCollection)
    }

    /// The object, or the embedded one, whose property the value is in, and the way to it.
    let owner: DynamicObject
    let ownerPath: [String]
    /// The property that the value is in, or the collection that has it.
    let property: Property
    let holder: Holder
    /// The name of the property, the position, or the key.
    private(set) var step: String
    /// Whether the value is inside a value of any type.
    private let isInsideMixed: Bool
    /// Whether the way leads through a list or set, by a position.
    private(set) var isInsideElements = false

    /// - Throws: `RequestFailure` if there is no such place.
    init(_ path: [String]?, of object: DynamicObject) throws(RequestFailure) {
        guard let path, let last = path.last, path.count <= ElementsRequest.pathLength else {
            throw RequestFailure(422, "The change does not name a property.")
        }
        var owner = object
        var ownerPath: [String] = []
        var property: Property?
        var holder = Holder.object(object)
        var isInsideMixed = false
        for (index, step) in path.dropLast().enumerated() {
            let value: StoredValue
            switch holder {
            case .object(let object):
                property = try Self.property(step, of: object)
                value = StoredValue(object[step])
            default: value = try Self.element(step, of: holder)
            }
            switch value {
            case .object(let next) where next.objectSchema.isEmbedded:
                owner = next
                ownerPath = Array(path[...index])
                property = nil
                isInsideMixed = false
                holder = .object(next)
            case .elements(let elements):
                isInsideMixed = property?.type == .any
                isInsideElements = true
                holder = .elements(elements)
            case .entries(let entries):
                isInsideMixed = property?.type == .any
                holder = .entries(entries)
            default: throw RequestFailure(410, "“\(step)” is not there any more.")
            }
        }
        if case .object(let object) = holder { property = try Self.property(last, of: object) }
        guard let property else {
            throw RequestFailure(422, "The change does not name a property.")
        }
        self.owner = owner
        self.ownerPath = ownerPath
        self.property = property
        self.holder = holder
        self.isInsideMixed = isInsideMixed
        step = last
    }

    private static func property(
        _ name: String, of object: DynamicObject
    ) throws(RequestFailure) -> Property {
        guard let property = object.objectSchema[name] else {
            throw RequestFailure(422, "There is no property “\(name)”.")
        }
        return property
    }

    private static func element(
        _ step: String, of holder: Holder
    ) throws(RequestFailure) -> StoredValue {
        switch holder {
        case .object(let object): return StoredValue(object[try property(step, of: object).name])
        case .elements(let elements):
            guard let position = Int(step), 0..<elements.count ~= position else {
                throw RequestFailure(410, "There is no element \(step) any more.")
            }
            return StoredValue(elements.values(from: position, count: 1)[0])
        case .entries(let entries):
            guard let value = entries.entry(under: step) else {
                throw RequestFailure(410, "There is no entry “\(step)” any more.")
            }
            return StoredValue(value)
        }
    }

    /// What values the place takes.
    /// - Parameter target: the type that the property links to or embeds.
    func kind(target: ObjectSchema?) -> ValueKind {
        if case .object = holder { return ValueKind(property, target: target) }
        return isInsideMixed ? .mixed : ValueKind(elementOf: property, target: target)
    }

    /// Whether the values at the place are of any type.
    var isMixed: Bool { property.type == .any }

    /// Looks a value of a set up: positions there change with each change.
    ///
    /// - Parameter isWanted: whether a value is the one that was shown.
    mutating func find(_ isWanted: (StoredValue) -> Bool) {
        guard property.isSet, case .elements(let elements) = holder else { return }
        if let value = try? value(), isWanted(value) { return }
        let found = (0..<elements.count).first {
            isWanted(StoredValue(elements.values(from: $0, count: 1)[0]))
        }
        if let found { step = String(found) }
    }

    /// The value at the place.
    func value() throws(RequestFailure) -> StoredValue { try Self.element(step, of: holder) }
}
