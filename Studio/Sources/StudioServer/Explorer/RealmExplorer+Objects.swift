import Foundation
import Travertine

/// An object, by its address.
struct ObjectRequest: Decodable, Sendable {
    var type: String
    var id: String
}

/// Further elements of a collection of an object.
struct ElementsRequest: Decodable, Sendable {
    var type: String
    var id: String
    /// Names of properties, keys of maps and positions in lists, from the object on.
    var path: [String]
    var from: Int

    static let pathLength = 16
}

extension RealmExplorer {
    /// An object with all its values, and what links to it.
    func object(_ request: ObjectRequest) throws -> JSON {
        try reporting(request.type) { try details(request) }
    }

    private func details(_ request: ObjectRequest) throws -> JSON {
        let object = try object(request.type, request.id)
        let schema = object.objectSchema
        return .object([
            ("version", .number(version)), ("type", .string(schema.objectTypeName)),
            ("id", .string(references.address(of: object))),
            ("label", .string(ObjectLabel.text(object))),
            ("isEmbedded", .bool(schema.isEmbedded)),
            ("fields", DetailEncoder(cells: cells).fields(object)),
            ("linkedFrom", .array(try linkedFrom(object))),
        ])
    }

    /// The properties that link to an object, with the number of objects that do, and the first of
    /// them.
    private func linkedFrom(_ object: DynamicObject) throws -> [JSON] {
        let name = object.objectSchema.objectTypeName
        let encoder = cells
        return try types.filter { !$0.isAsymmetric }.flatMap { origin in
            try origin.properties.filter { $0.type == .object && $0.objectClassName == name }
                .compactMap { property -> JSON? in
                    let sources = try objects(of: origin, linkingBy: property, to: object)
                    let count = sources.count
                    guard count > 0 else { return nil }
                    return .object([
                        ("type", .string(origin.objectTypeName)),
                        ("property", .string(property.columnName)), ("count", .number(count)),
                        ("first", .array(sources.prefix(20).map { encoder.link($0) })),
                    ])
                }
        }
    }

    /// The objects of a type that link to an object by a property.
    func objects(
        of origin: ObjectSchema, linkingBy property: Property, to object: DynamicObject
    ) throws -> Results<DynamicObject> {
        try realm.dynamicObjects(origin.objectTypeName).filter(
            validating: (PropertyText.collection(property) == nil ? "" : "ANY ")
                + "\(PropertyText.quoted(property.columnName)) == %@",
            arguments: [object])
    }

    /// Some elements of a collection.
    func elements(_ request: ElementsRequest) throws -> JSON {
        try reporting(request.type) { try furtherElements(request) }
    }

    private func furtherElements(_ request: ElementsRequest) throws -> JSON {
        guard request.from >= 0, request.path.count <= ElementsRequest.pathLength else {
            throw RequestFailure(422, "The path to the collection is too long.")
        }
        let encoder = DetailEncoder(cells: cells)
        let depth = DetailEncoder.depth - 1
        switch try value(at: request.path, of: object(request.type, request.id)) {
        case .elements(let elements):
            return .object([
                ("n", .number(elements.count)),
                ("items", encoder.items(elements, from: request.from, depth: depth)),
            ])
        case .entries(let entries):
            return .object([
                ("n", .number(entries.count)),
                ("items", encoder.items(entries, from: request.from, depth: depth)),
            ])
        default: throw RequestFailure(410, "There is no collection any more at this place.")
        }
    }

    /// The bytes of a property, or of what is below it.
    func data(at path: [String], of request: ObjectRequest) throws -> Data {
        guard path.count <= ElementsRequest.pathLength else {
            throw RequestFailure(422, "The path to the data is too long.")
        }
        let found = try reporting(request.type) {
            try value(at: path, of: object(request.type, request.id))
        }
        guard case .data(let data) = found
        else { throw RequestFailure(410, "There are no data any more at this place.") }
        return data
    }

    /// Reads, and throws for damage that was found in reading.
    private func reporting<Value>(_ type: String, _ body: () throws -> Value) throws -> Value {
        let result = Result { try body() }
        try throwDamage(self.type(type))
        return try result.get()
    }

    func value(
        at path: [String], of object: DynamicObject
    ) throws(RequestFailure) -> StoredValue {
        var value = StoredValue.object(object)
        for step in path {
            switch value {
            case .object(let object):
                guard let property = object.objectSchema[step] else {
                    throw RequestFailure(404, "There is no property “\(step)”.")
                }
                value = StoredValue(object[property.name])
            case .elements(let elements):
                guard let position = Int(step), 0..<elements.count ~= position else {
                    throw RequestFailure(410, "The list has no element \(step) any more.")
                }
                value = StoredValue(elements.values(from: position, count: 1)[0])
            case .entries(let entries): value = StoredValue(entries.entry(under: step) ?? nil)
            default: throw RequestFailure(410, "Nothing is below “\(step)” any more.")
            }
        }
        return value
    }
}
