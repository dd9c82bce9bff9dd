import Travertine

/// Checks documents against a schema: types, required fields, and constraints.
///
/// Null is the same as missing, but for required fields and `mixed`. An integer is accepted where a
/// floating-point number or a decimal is meant, and for `int` if it has 32 bits. Of the
/// constraints, `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`,
/// `exclusiveMinimum`, `exclusiveMaximum`, `minProperties`, `maxProperties`, `enum`, `pattern` and
/// `additionalProperties: false` are checked; `unchecked` names the others.
public struct DocumentValidator {
    private var root: ObjectRules
    /// The constraints that are not checked, each with its place: "name: \"format\"".
    public let unchecked: [String]

    /// A validator for documents of a type.
    public init(_ schema: DocumentSchema) {
        var unchecked: [String] = []
        root = ObjectRules(schema, path: [], &unchecked)
        self.unchecked = unchecked
    }

    /// A validator for documents of an object type: where an embedded object may be of a derived
    /// class, a closed schema lets it name its class.
    init(_ schema: DocumentSchema, of type: RowType, in realm: Realm) {
        self.init(schema)
        root.allowClassNames(in: type, realm)
    }

    /// Whether there is anything to check beside types and required fields.
    var hasConstraints: Bool { root.hasConstraints }

    /// Everything that is wrong with a document, in its order.
    public func problems(in document: Document) -> [DocumentProblem] {
        var check = DocumentCheck()
        check.check(document, root)
        return check.problems
    }
}

/// One pass over a document.
private struct DocumentCheck {
    var problems: [DocumentProblem] = []
    private var path: [String] = []

    private mutating func note(_ reason: String, at step: String? = nil) {
        let steps = step.map { path + [$0] } ?? path
        problems.append(DocumentProblem(path: steps.joined(separator: "."), reason: reason))
    }

    mutating func check(_ document: Document, _ rules: ObjectRules) {
        for name in rules.required {
            switch document[name] {
            case nil: note("required, and missing", at: name)
            case .null?: note("required, and null", at: name)
            default: break
            }
        }
        for element in document {
            if let property = rules.properties[NameBytes(element.key)] {
                descend(element.key) { $0.check(element.value, property) }
            } else if rules.isClosed, !rules.namesClass || element.key != RowType.classField {
                note("no property of this name", at: element.key)
            }
        }
        check(.document(document), rules.rules)
    }

    private mutating func descend(_ step: String, _ body: (inout DocumentCheck) -> Void) {
        path.append(step)
        body(&self)
        path.removeLast()
    }

    private mutating func check(_ value: AnyBSON, _ rules: ValueRules) {
        if case .null = value { return }
        if rules.admitsReferences, value.linkReference != nil { return }
        switch (rules.kind, value) {
        case (.scalar(let scalar), _):
            guard scalar.accepts(value) else {
                return note("\(scalar.rawValue) expected, \(value.typeName) found")
            }
        case (.array(let items, let isUnique), .array(let elements)):
            var seen: Set<AnyBSON> = []
            // Texts that differ in bytes are two, as in a set of the store.
            var seenTexts: Set<NameBytes> = []
            for (index, element) in elements.enumerated() {
                descend(String(index)) { check in
                    check.check(element, items)
                    guard isUnique else { return }
                    let isNew =
                        if case .string(let text) = element {
                            seenTexts.insert(NameBytes(text)).inserted
                        } else {
                            seen.insert(element).inserted
                        }
                    if !isNew { check.note("an element for the second time") }
                }
            }
        case (.dictionary(let values), .document(let document)):
            for element in document { descend(element.key) { $0.check(element.value, values) } }
        case (.object(let object), .document(let document)): check(document, object)
        case (.array, _): return note("array expected, \(value.typeName) found")
        case (.dictionary, _), (.object, _):
            return note("object expected, \(value.typeName) found")
        }
        check(value, rules.rules)
    }

    private mutating func check(_ value: AnyBSON, _ rules: [ConstraintRule]) {
        for rule in rules {
            if let reason = rule.problem(value) { note(reason) }
        }
    }
}

extension SchemaScalar {
    /// Whether a value, which is not null, is of the type.
    func accepts(_ value: AnyBSON) -> Bool {
        switch (self, value) {
        case (.mixed, _), (.long, .int32), (.long, .int64), (.int, .int32),
            (.double, .double), (.double, .int32), (.double, .int64),
            (.decimal, .decimal128), (.decimal, .int32), (.decimal, .int64),
            (.binData, .binary), (.bool, .bool), (.date, .datetime), (.objectId, .objectId),
            (.uuid, .uuid), (.string, .string), (.string, .symbol):
            true
        case (.int, .int64(let number)): Int32(exactly: number) != nil
        default: false
        }
    }
}

extension AnyBSON {
    /// The name of the type, as `bsonType` has it.
    var typeName: String {
        switch self {
        case .null: "null"
        case .int32: "int"
        case .int64: "long"
        case .double: "double"
        case .decimal128: "decimal"
        case .bool: "bool"
        case .string: "string"
        case .binary: "binData"
        case .uuid: "uuid"
        case .objectId: "objectId"
        case .datetime: "date"
        case .timestamp: "timestamp"
        case .document: "object"
        case .array: "array"
        case .regex: "regex"
        case .javascript: "javascript"
        case .javascriptWithScope: "javascriptWithScope"
        case .symbol: "symbol"
        case .pointer: "dbPointer"
        case .undefined: "undefined"
        case .minKey: "minKey"
        case .maxKey: "maxKey"
        }
    }
}
