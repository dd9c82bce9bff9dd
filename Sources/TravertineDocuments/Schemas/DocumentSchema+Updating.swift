/// Writing a changed schema so that the older file's order and constraints stay (C-D3).
extension DocumentSchema {
    /// This schema in the words of an older one: what it says beyond classes and its order are
    /// kept.
    ///
    /// Properties that the older schema has stay where they were, new ones follow, and those that
    /// are gone go. A constraint stays with its property as long as that stays a value, an array, a
    /// dictionary or an object. So does being required where no class can say it: of collections,
    /// embedded objects, `mixed` and links. Collections in collections, for which classes have
    /// `mixed`, stay what they were. Costs time in proportion to both schemas.
    ///
    /// - Parameters:
    ///   - older: the schema that is there.
    ///   - links: which properties are links.
    public func updating(
        _ older: DocumentSchema, links: Relationships = Relationships()
    ) -> DocumentSchema {
        updating(older, Set(links.all.map { NameBytes($0.field) }), path: "")
    }

    /// - Parameters:
    ///   - links: the fields that are links, with points on the way through embedded types.
    ///   - path: the way here, with a point after it, or nothing.
    fileprivate func updating(
        _ older: DocumentSchema, _ links: Set<NameBytes>, path: String
    ) -> DocumentSchema {
        let (values, olderValues) = (valuesByName, older.valuesByName)
        var updated = self
        updated.title = title ?? older.title
        updated.constraints = constraints.adding(older.constraints)
        let own = Set(required.map { NameBytes($0) })
        let kept = older.required.filter { name in
            let key = NameBytes(name)
            guard !own.contains(key), let value = values[key], let olderValue = olderValues[key]
            else { return false }
            if links.contains(NameBytes(path + name)) { return value.isOfKind(of: olderValue) }
            return !value.isSingleValue && !olderValue.isSingleValue
                && value.isOfKind(of: olderValue)
        }
        updated.required = Self.ordered(required + kept, as: older.required)
        let names = Self.ordered(properties.map(\.name), as: older.properties.map(\.name))
        updated.properties = names.compactMap { name in
            guard let value = values[NameBytes(name)] else { return nil }
            guard let olderValue = olderValues[NameBytes(name)] else {
                return Property(name, value)
            }
            return Property(name, value.updating(olderValue, links, path: path + name + "."))
        }
        return updated
    }

    private static func ordered(_ names: [String], as older: [String]) -> [String] {
        let all = Set(names.map { NameBytes($0) })
        let before = Set(older.map { NameBytes($0) })
        return older.filter { all.contains(NameBytes($0)) }
            + names.filter { !before.contains(NameBytes($0)) }
    }
}

extension ValueSchema {
    /// Whether both are values, arrays, dictionaries or objects.
    fileprivate func isOfKind(of other: ValueSchema) -> Bool {
        switch (type, other.type) {
        case (.scalar, .scalar), (.array, .array), (.dictionary, .dictionary), (.object, .object):
            true
        default: false
        }
    }

    fileprivate func updating(
        _ older: ValueSchema, _ links: Set<NameBytes>, path: String
    ) -> ValueSchema {
        guard isOfKind(of: older) else { return self }
        var updated = self
        switch (type, older.type) {
        case (.scalar(let scalar), .scalar(let olderScalar)):
            if scalar.isInteger && olderScalar.isInteger { updated.type = older.type }
        case (.array(let items, let isUnique), .array(let olderItems, _)):
            let element = items.updatingElement(olderItems, links, path: path)
            updated.type = .array(of: element, isUnique: isUnique)
        case (.dictionary(let values), .dictionary(let olderValues)):
            updated.type = .dictionary(
                of: values.updatingElement(olderValues, links, path: path))
        case (.object(let schema), .object(let olderSchema)):
            updated.type = .object(schema.updating(olderSchema, links, path: path))
        default: break
        }
        updated.constraints = constraints.adding(older.constraints)
        return updated
    }

    /// What is in a collection, in older words.
    private func updatingElement(
        _ older: ValueSchema, _ links: Set<NameBytes>, path: String
    ) -> ValueSchema {
        guard older.isNested(likeAnyOf: self) else {
            return updating(older, links, path: path)
        }
        var kept = older
        kept.constraints = constraints.adding(older.constraints)
        return kept
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
