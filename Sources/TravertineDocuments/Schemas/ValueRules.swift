import Travertine

/// A value's schema prepared for checking.
struct ValueRules {
    indirect enum Kind {
        case scalar(SchemaScalar)
        case array(of: ValueRules, isUnique: Bool)
        case dictionary(of: ValueRules)
        case object(ObjectRules)
    }

    private(set) var kind: Kind
    /// Whether a DBRef may take the place of a key.
    private(set) var admitsReferences = false
    let rules: [ConstraintRule]

    init(_ schema: ValueSchema, path: [String], _ unchecked: inout [String]) {
        kind =
            switch schema.type {
            case .scalar(let scalar): .scalar(scalar)
            case .array(let items, let isUnique):
                .array(
                    of: ValueRules(items, path: path + ["[]"], &unchecked), isUnique: isUnique)
            case .dictionary(let values):
                .dictionary(of: ValueRules(values, path: path + ["{}"], &unchecked))
            case .object(let object): .object(ObjectRules(object, path: path, &unchecked))
            }
        rules = ConstraintRule.rules(schema.constraints, path: path, &unchecked)
    }
}

extension ValueRules {
    /// Allows DBRefs in place of the values, or of their elements.
    mutating func allowReferences() {
        switch kind {
        case .scalar: admitsReferences = true
        case .array(var items, let isUnique):
            items.allowReferences()
            kind = .array(of: items, isUnique: isUnique)
        case .dictionary(var values):
            values.allowReferences()
            kind = .dictionary(of: values)
        case .object: break
        }
    }

    /// Calls `body` with the rules of the embedded objects that the values are or hold.
    mutating func visitObject(_ body: (inout ObjectRules) -> Void) {
        switch kind {
        case .scalar: break
        case .array(var items, let isUnique):
            items.visitObject(body)
            kind = .array(of: items, isUnique: isUnique)
        case .dictionary(var values):
            values.visitObject(body)
            kind = .dictionary(of: values)
        case .object(var object):
            body(&object)
            kind = .object(object)
        }
    }

    var hasConstraints: Bool {
        if !rules.isEmpty { return true }
        return switch kind {
        case .scalar: false
        case .array(let items, _): items.hasConstraints
        case .dictionary(let values): values.hasConstraints
        case .object(let object): object.hasConstraints
        }
    }
}
