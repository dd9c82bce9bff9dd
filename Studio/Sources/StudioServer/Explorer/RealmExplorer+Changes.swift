import Travertine

/// One change that the page has collected.
struct Change: Decodable, Sendable {
    /// What is done.
    enum Kind: String, Decodable {
        case set
        case add
        case delete
    }

    var kind: Kind
    var type: String
    /// The address of the object; none where one is added.
    var id: String?
    /// Names of properties from the object on: through embedded objects.
    var path: [String]?
    /// The value that was shown, and the new one, as texts; nil stands for null.
    var before: String?
    var value: String?
    /// The values of an object that is added, by the names of its properties.
    var values: [String: String]?
}

/// Changes that are committed together.
struct ChangesRequest: Decodable, Sendable {
    var changes: [Change]

    static let changeCount = 500
}

extension RealmExplorer {
    /// Makes changes in one transaction: all of them, or none.
    ///
    /// - Returns: the addresses of added objects, and the changes that undo these, or null if an
    ///   object was deleted: what linked to it is not known any more.
    /// - Throws: `RequestFailure` for a value that does not fit, and for one that has changed since
    ///   it was shown.
    func commit(_ request: ChangesRequest) throws -> JSON {
        guard isWritable else {
            throw RequestFailure(
                403, "The realm was opened read-only. Start the studio with --write to change it.")
        }
        guard request.changes.count <= ChangesRequest.changeCount else {
            throw RequestFailure(
                413, "At most \(ChangesRequest.changeCount) changes are made at once.")
        }
        var added: [JSON] = []
        var undo: [JSON?] = []
        do {
            try realm.write {
                for change in request.changes {
                    switch change.kind {
                    case .set: undo.append(try set(change))
                    case .delete:
                        realm.delete(try object(change.type, change.id ?? ""))
                        undo.append(nil)
                    case .add:
                        let address = references.address(of: try add(change))
                        added.append(.string(address))
                        undo.append(
                            .object([
                                ("kind", "delete"), ("type", .string(change.type)),
                                ("id", .string(address)),
                            ]))
                    }
                }
            }
        } catch let error as Realm.Error where Self.isMistake(error) {
            throw RequestFailure(422, error.message)
        }
        let inverse = undo.compactMap(\.self)
        return .object([
            ("added", .array(added)),
            ("undo", inverse.count == undo.count ? .array(inverse.reversed()) : .null),
        ])
    }

    private static func isMistake(_ error: Realm.Error) -> Bool {
        [.invalidInput, .duplicatePrimaryKey, .uniqueViolation].contains(error.code)
    }

    /// Sets a property; gives the change that sets it back.
    private func set(_ change: Change) throws -> JSON {
        var owner = try object(change.type, change.id ?? "")
        guard let path = change.path, let name = path.last,
            path.count <= ElementsRequest.pathLength
        else { throw RequestFailure(422, "The change does not name a property.") }
        for step in path.dropLast() {
            guard
                case .object(let next) = StoredValue(
                    owner.objectSchema[step].map { owner[$0.name] })
            else { throw RequestFailure(410, "“\(step)” is not there any more.") }
            owner = next
        }
        guard let property = owner.objectSchema[name], ValueParser.isEditable(property) else {
            throw RequestFailure(422, "“\(name)” can't be changed here.")
        }
        let current = ValueParser.text(StoredValue(owner[property.name]))
        guard current == change.before else {
            throw RequestFailure(
                409, "“\(name)” is \(current.map { "“\($0)”" } ?? "nil") by now. Look at it again.")
        }
        owner[property.name] = try ValueParser.value(change.value, for: property)
        return .object([
            ("kind", "set"), ("type", .string(change.type)), ("id", .optional(change.id)),
            ("path", .array(path.map { .string($0) })),
            ("before", .optional(ValueParser.text(StoredValue(owner[property.name])))),
            ("value", .optional(current)),
        ])
    }

    /// Adds an object with the values that were typed; others have their defaults.
    private func add(_ change: Change) throws -> DynamicObject {
        let type = try type(change.type)
        guard !type.isEmbedded else {
            throw RequestFailure(422, "A \(change.type) is a part of another object.")
        }
        var values: [String: Any] = [:]
        for (name, text) in change.values ?? [:] {
            guard let property = type[name] else {
                throw RequestFailure(422, "There is no property “\(name)”.")
            }
            values[property.name] = try ValueParser.value(text, for: property)
        }
        return try realm.dynamicInsert(type.objectTypeName, value: values)
    }
}
