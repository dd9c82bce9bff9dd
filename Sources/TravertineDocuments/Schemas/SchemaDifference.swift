/// One thing in which a schema differs from another.
public struct SchemaDifference: Sendable, Hashable {
    /// What differs; `old` is the schema that was compared with, `new` the one that was given.
    public enum Change: Sendable, Hashable {
        /// The titles differ.
        case title(old: String?, new: String?)
        /// The property is new; required ones are missing in documents that exist.
        case added(isRequired: Bool)
        /// The property is gone.
        case removed
        /// The property's types differ, as text.
        case type(old: String, new: String)
        /// The integers have another width, which classes do not distinguish.
        case integerWidth(old: SchemaScalar, new: SchemaScalar)
        /// What is in a collection is a collection in one and of any type in the other, which
        /// classes do not distinguish; the types as text.
        case nestedCollection(old: String, new: String)
        /// The property became required.
        case becameRequired
        /// The property is no longer required.
        case becameOptional
        /// A rule differs that classes cannot express; nil where there is none. Of collections,
        /// embedded objects and `mixed`, being required is such a rule: "required" is true or nil.
        case constraint(keyword: String, old: JSONConstant?, new: JSONConstant?)
        /// The property links to other documents, or in another way; nil where it is no link.
        case link(old: String?, new: String?)
    }

    /// The names that lead to what differs; empty for the type itself.
    public let path: [String]
    /// What differs.
    public let change: Change

    /// Whether every document of the old schema is one of the new schema too. Every document has an
    /// `_id`, whether or not a schema requires it.
    public var isAdditive: Bool {
        switch change {
        case .becameRequired where path == ["_id"], .added where path == ["_id"]: true
        case .added(let isRequired): !isRequired
        case .becameOptional: true
        case .integerWidth(_, let new): new == .long
        case .nestedCollection(_, let new): new == SchemaScalar.mixed.rawValue
        case .constraint(_, _, let new): new == nil
        case .title(let old, _), .link(let old, _): old == nil
        case .removed, .type, .becameRequired: false
        }
    }

    /// The field as relationships name it: with points on the way through embedded types.
    var field: String {
        path.filter { $0 != "[]" && $0 != "{}" }.joined(separator: ".")
    }

    /// Whether it is of a link, which relationships say and schemas do not.
    public var isOfLink: Bool {
        if case .link = change { true } else { false }
    }

    /// Whether a class of the new schema can hold the documents of the old one.
    ///
    /// A class has one type for integers and one for collections in collections, fills what is
    /// missing with its defaults, and knows no constraints.
    public var isReadable: Bool {
        switch change {
        case .added, .becameRequired, .integerWidth, .nestedCollection, .constraint: true
        case .title(let old, _): old == nil
        case .link(let old, let new): old == nil || new == nil
        case .removed, .type, .becameOptional: false
        }
    }
}

extension SchemaDifference: CustomStringConvertible {
    /// What differs, in words: "address.zip: int has become string".
    public var description: String {
        let place = path.isEmpty ? "the type" : path.joined(separator: ".")
        return place + ": " + words
    }

    private var words: String {
        switch change {
        case .title(let old, let new):
            "the title \(old.map { "\"\($0)\"" } ?? "that was missing") has become "
                + (new.map { "\"\($0)\"" } ?? "none")
        case .added(let isRequired): isRequired ? "added, and required" : "added"
        case .removed: "removed"
        case .type(let old, let new): "\(old) has become \(new)"
        case .integerWidth(let old, let new): "\(old.rawValue) has become \(new.rawValue)"
        case .nestedCollection(let old, let new): "\(old) has become \(new)"
        case .becameRequired: "has become required"
        case .becameOptional: "is no longer required"
        case .link(nil, let new): "has become a link to \(new ?? "nothing")"
        case .link(let old?, nil): "is no longer a link to \(old)"
        case .link(let old?, let new?): "a link to \(old) has become one to \(new)"
        case .constraint("required", nil, _): "has become required"
        case .constraint("required", _, nil): "is no longer required"
        case .constraint(let keyword, let old, let new):
            switch (old, new) {
            case (nil, _): "\"\(keyword)\" is new"
            case (_, nil): "\"\(keyword)\" is gone"
            default: "\"\(keyword)\" differs"
            }
        }
    }
}

extension DocumentSchema {
    /// Everything in which this schema differs from an older one, embedded types included.
    ///
    /// The order of properties and of required names does not count.
    public func differences(from older: DocumentSchema) -> [SchemaDifference] {
        var comparison = DocumentSchemaComparison()
        comparison.compare(older, self, at: [])
        return comparison.differences
    }
}

private struct DocumentSchemaComparison {
    var differences: [SchemaDifference] = []

    private mutating func note(_ path: [String], _ change: SchemaDifference.Change) {
        differences.append(SchemaDifference(path: path, change: change))
    }

    mutating func compare(_ old: DocumentSchema, _ new: DocumentSchema, at path: [String]) {
        if old.title != new.title { note(path, .title(old: old.title, new: new.title)) }
        let (oldValues, newValues) = (old.valuesByName, new.valuesByName)
        let oldRequired = Set(old.required.map { NameBytes($0) })
        let newRequired = Set(new.required.map { NameBytes($0) })
        for property in old.properties {
            let (name, path) = (NameBytes(property.name), path + [property.name])
            guard let value = newValues[name] else {
                note(path, .removed)
                continue
            }
            compare(property.value, value, at: path)
            let isRequired = newRequired.contains(name)
            if oldRequired.contains(name) != isRequired {
                noteRequirement(of: value, isRequired: isRequired, at: path)
            }
        }
        for property in new.properties where oldValues[NameBytes(property.name)] == nil {
            let isRequired = newRequired.contains(NameBytes(property.name))
            note(path + [property.name], .added(isRequired: isRequired))
        }
        compare(old.constraints, new.constraints, at: path)
    }

    private mutating func noteRequirement(
        of value: ValueSchema, isRequired: Bool, at path: [String]
    ) {
        if value.isSingleValue {
            note(path, isRequired ? .becameRequired : .becameOptional)
        } else {
            let (no, yes) = (JSONConstant?.none, JSONConstant?.some(.bool(true)))
            note(
                path,
                .constraint(
                    keyword: "required", old: isRequired ? no : yes, new: isRequired ? yes : no))
        }
    }

    /// Compares what is in a collection.
    private mutating func compareElements(
        _ old: ValueSchema, _ new: ValueSchema, at path: [String]
    ) {
        if old.isNested(likeAnyOf: new) || new.isNested(likeAnyOf: old) {
            note(path, .nestedCollection(old: old.text, new: new.text))
            compare(old.constraints, new.constraints, at: path)
        } else {
            compare(old, new, at: path)
        }
    }

    private mutating func compare(_ old: ValueSchema, _ new: ValueSchema, at path: [String]) {
        switch (old.type, new.type) {
        case (.scalar(let oldScalar), .scalar(let newScalar)):
            if oldScalar == newScalar { break }
            note(
                path,
                oldScalar.isInteger && newScalar.isInteger
                    ? .integerWidth(old: oldScalar, new: newScalar)
                    : .type(old: old.text, new: new.text))
        case (.array(let oldItems, let wasUnique), .array(let newItems, let isUnique)):
            if wasUnique != isUnique { note(path, .type(old: old.text, new: new.text)) }
            compareElements(oldItems, newItems, at: path + ["[]"])
        case (.dictionary(let oldValues), .dictionary(let newValues)):
            compareElements(oldValues, newValues, at: path + ["{}"])
        case (.object(let oldSchema), .object(let newSchema)):
            compare(oldSchema, newSchema, at: path)
        default: note(path, .type(old: old.text, new: new.text))
        }
        compare(old.constraints, new.constraints, at: path)
    }

    private mutating func compare(
        _ old: [DocumentSchema.Constraint], _ new: [DocumentSchema.Constraint], at path: [String]
    ) {
        for rule in old {
            let value = new.first { $0.keyword == rule.keyword }?.value
            if value != rule.value {
                note(path, .constraint(keyword: rule.keyword, old: rule.value, new: value))
            }
        }
        for rule in new where !old.contains(where: { $0.keyword == rule.keyword }) {
            note(path, .constraint(keyword: rule.keyword, old: nil, new: rule.value))
        }
    }
}

extension DocumentSchema {
    /// The properties' values by name; the first of a name that is there twice.
    var valuesByName: [NameBytes: ValueSchema] {
        Dictionary(
            properties.map { (NameBytes($0.name), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ValueSchema {
    /// Whether it is one value of one type: only of such a class can say that it is required.
    var isSingleValue: Bool {
        if case .scalar(let scalar) = type { scalar != .mixed } else { false }
    }

    /// Whether this is a collection where another schema has any value: in a collection, classes
    /// have no other type for it.
    func isNested(likeAnyOf other: ValueSchema) -> Bool {
        switch type {
        case .array, .dictionary: other.type == .scalar(.mixed)
        case .scalar, .object: false
        }
    }

    /// The type in words: "array of string", "set of long", "object Address".
    var text: String {
        switch type {
        case .scalar(let scalar): scalar.rawValue
        case .array(let items, let isUnique): (isUnique ? "set of " : "array of ") + items.text
        case .dictionary(let values): "dictionary of " + values.text
        case .object(let schema): schema.title.map { "object " + $0 } ?? "object"
        }
    }
}
