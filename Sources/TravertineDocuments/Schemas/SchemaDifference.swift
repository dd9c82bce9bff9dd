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
        /// The integers have another width, which classes do not tell apart.
        case integerWidth(old: SchemaScalar, new: SchemaScalar)
        /// The property became required.
        case becameRequired
        /// The property is no longer required.
        case becameOptional
        /// A rule differs that classes cannot express; nil where there is none.
        case constraint(keyword: String, old: JSONConstant?, new: JSONConstant?)
        /// The property links to other documents, or in another way; nil where it is no link.
        case link(old: String?, new: String?)
    }

    /// The names that lead to what differs; empty for the type itself.
    public let path: [String]
    /// What differs.
    public let change: Change

    /// Whether every document of the old schema is one of the new schema too.
    public var isAdditive: Bool {
        switch change {
        case .added(let isRequired): !isRequired
        case .becameOptional: true
        case .integerWidth(_, let new): new == .long
        case .constraint(_, _, let new): new == nil
        case .title(let old, _), .link(let old, _): old == nil
        case .removed, .type, .becameRequired: false
        }
    }

    /// Whether it is of a link, which relationships say and schemas do not.
    public var isOfLink: Bool {
        if case .link = change { true } else { false }
    }

    /// Whether a class of the new schema can hold the documents of the old one.
    ///
    /// A class has one type for integers, fills what is missing with its defaults, and knows no
    /// constraints.
    public var isReadable: Bool {
        switch change {
        case .added, .becameRequired, .integerWidth, .constraint: true
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
        case .becameRequired: "has become required"
        case .becameOptional: "is no longer required"
        case .link(nil, let new): "has become a link to \(new ?? "nothing")"
        case .link(let old?, nil): "is no longer a link to \(old)"
        case .link(let old?, let new?): "a link to \(old) has become one to \(new)"
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
        var comparison = SchemaComparison()
        comparison.compare(older, self, at: [])
        return comparison.differences
    }
}

private struct SchemaComparison {
    var differences: [SchemaDifference] = []

    private mutating func note(_ path: [String], _ change: SchemaDifference.Change) {
        differences.append(SchemaDifference(path: path, change: change))
    }

    mutating func compare(_ old: DocumentSchema, _ new: DocumentSchema, at path: [String]) {
        if old.title != new.title { note(path, .title(old: old.title, new: new.title)) }
        for property in old.properties {
            guard let value = new[property.name] else {
                note(path + [property.name], .removed)
                continue
            }
            compare(property.value, value, at: path + [property.name])
            let wasRequired = old.required.containsName(property.name)
            let isRequired = new.required.containsName(property.name)
            if wasRequired != isRequired {
                note(path + [property.name], isRequired ? .becameRequired : .becameOptional)
            }
        }
        for property in new.properties where old[property.name] == nil {
            let isRequired = new.required.containsName(property.name)
            note(path + [property.name], .added(isRequired: isRequired))
        }
        compare(old.constraints, new.constraints, at: path)
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
            compare(oldItems, newItems, at: path + ["[]"])
        case (.dictionary(let oldValues), .dictionary(let newValues)):
            compare(oldValues, newValues, at: path + ["{}"])
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

extension ValueSchema {
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
