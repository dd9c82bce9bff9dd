extension DocumentSchema {
    /// This schema in the words of an older one: its constraints and its order are kept.
    ///
    /// Properties that the older schema has stay where they were, new ones follow, and those that
    /// are gone go. A constraint stays with its property as long as that stays a value, an array, a
    /// dictionary or an object.
    public func updating(_ older: DocumentSchema) -> DocumentSchema {
        var updated = self
        updated.title = title ?? older.title
        updated.constraints = constraints.adding(older.constraints)
        updated.required = Self.ordered(required, as: older.required)
        let names = Self.ordered(properties.map(\.name), as: older.properties.map(\.name))
        updated.properties = names.compactMap { name in
            guard let value = self[name] else { return nil }
            return Property(name, older[name].map { value.updating($0) } ?? value)
        }
        return updated
    }

    private static func ordered(_ names: [String], as older: [String]) -> [String] {
        let kept = older.filter { names.containsName($0) }
        return kept + names.filter { !kept.containsName($0) }
    }
}

extension ValueSchema {
    fileprivate func updating(_ older: ValueSchema) -> ValueSchema {
        var updated = self
        switch (type, older.type) {
        case (.scalar(let scalar), .scalar(let olderScalar)):
            if scalar.isInteger && olderScalar.isInteger { updated.type = older.type }
        case (.array(let items, let isUnique), .array(let olderItems, _)):
            updated.type = .array(of: items.updating(olderItems), isUnique: isUnique)
        case (.dictionary(let values), .dictionary(let olderValues)):
            updated.type = .dictionary(of: values.updating(olderValues))
        case (.object(let schema), .object(let olderSchema)):
            updated.type = .object(schema.updating(olderSchema))
        default: return self
        }
        updated.constraints = constraints.adding(older.constraints)
        return updated
    }
}

extension SchemaScalar {
    /// Whether this is an integer, of 32 or 64 bits: classes have one type for both.
    var isInteger: Bool { self == .int || self == .long }
}

extension [DocumentSchema.Constraint] {
    fileprivate func adding(_ older: [DocumentSchema.Constraint]) -> [DocumentSchema.Constraint] {
        self + older.filter { rule in !contains { $0.keyword == rule.keyword } }
    }
}
