import Travertine

/// A schema prepared for checking.
struct ObjectRules {
    let required: [String]
    private(set) var properties: [NameBytes: ValueRules]
    /// Whether a document may say of which class its object is.
    var namesClass = false
    let isClosed: Bool
    let rules: [ConstraintRule]

    init(_ schema: DocumentSchema, path: [String], _ unchecked: inout [String]) {
        required = schema.required
        var properties: [NameBytes: ValueRules] = [:]
        for property in schema.properties {
            properties[NameBytes(property.name)] = ValueRules(
                property.value, path: path + [property.name], &unchecked)
        }
        self.properties = properties
        let closing = DocumentSchema.Constraint("additionalProperties", .bool(false))
        isClosed = schema.constraints.contains(closing)
        rules = ConstraintRule.rules(
            schema.constraints.filter { $0 != closing }, path: path, &unchecked)
    }
}

extension ObjectRules {
    /// Allows what names a class where a property admits several: a field of embedded objects, and
    /// DBRefs in place of keys.
    mutating func allowClassNames(in type: RowType, _ realm: Realm) {
        for field in type.fields where field.type == .object || field.isVarying {
            guard let target = realm.rowType(field.target) else { continue }
            guard target.isEmbedded else {
                if field.isVarying { properties[NameBytes(field.name)]?.allowReferences() }
                continue
            }
            properties[NameBytes(field.name)]?.visitObject { object in
                object.namesClass = field.isVarying
                object.allowClassNames(in: target, realm)
            }
        }
    }

    var hasConstraints: Bool {
        isClosed || !rules.isEmpty || properties.values.contains { $0.hasConstraints }
    }
}
