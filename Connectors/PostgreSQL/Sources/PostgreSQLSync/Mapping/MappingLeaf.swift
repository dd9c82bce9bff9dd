import PostgreSQLClient
import Travertine

/// A property of a type, or of an embedded object in it, that has a column or a table.
struct MappingLeaf {
    var path: [UInt32]
    /// The stored names, with dots.
    var name: String
    /// The name that the column should have.
    var column: String
    var type: SQLType
    /// Whether its elements are rows of another table.
    var isChild = false
    var isPrimaryKey = false
    let property: FeedProperty

    /// In the order in which `RowPlan` writes them.
    static func leaves(
        of type: FeedType, _ types: [String: FeedType], _ options: MappingOptions
    ) -> [MappingLeaf] {
        var found: [MappingLeaf] = []
        collect(type, types, options, [], [], [type.name], &found)
        return found
    }

    private static func collect(
        _ type: FeedType, _ types: [String: FeedType], _ options: MappingOptions,
        _ path: [UInt32], _ names: [String], _ owners: Set<String>, _ found: inout [MappingLeaf]
    ) {
        for property in type.properties {
            let path = path + [property.number]
            let names = names + [property.name]
            if let target = flattened(property, types, options, owners) {
                collect(
                    target, types, options, path, names, owners.union([target.name]), &found)
                continue
            }
            let (sqlType, isChild) = storage(property, types, options)
            found.append(
                MappingLeaf(
                    path: path, name: names.joined(separator: "."),
                    column: names.joined(separator: "_"), type: sqlType, isChild: isChild,
                    isPrimaryKey: property.isPrimaryKey, property: property))
        }
    }

    /// The type of embedded objects whose values are columns; nil for any other property.
    static func flattened(
        _ property: FeedProperty, _ types: [String: FeedType], _ options: MappingOptions,
        _ owners: Set<String>
    ) -> FeedType? {
        guard options.embedded == .columns, property.isEmbedding, property.shape == .single,
            !property.isVarying, let target = property.target.flatMap({ types[$0] }),
            // One that may be in itself would have no end.
            !owners.contains(target.name)
        else { return nil }
        return target
    }

    private static func storage(
        _ property: FeedProperty, _ types: [String: FeedType], _ options: MappingOptions
    ) -> (type: SQLType, isChild: Bool) {
        let base = value(property, types, options)
        switch property.shape {
        case .single: return (SQLType(base: base), false)
        case .map: return (SQLType(base: .jsonb), false)
        case .list, .set:
            switch options.collections {
            case .tables: return (SQLType(base: base), true)
            // CockroachDB has no arrays of jsonb; an array in jsonb is as good.
            case .arrays: return (SQLType(base: base, isArray: base != .jsonb), false)
            case .jsonb: return (SQLType(base: .jsonb), false)
            }
        }
    }

    /// The type of a value or element.
    private static func value(
        _ property: FeedProperty, _ types: [String: FeedType], _ options: MappingOptions
    ) -> SQLType.Base {
        if let base = SQLType.Base(property.type, options) { return base }
        guard !property.isVarying, !property.isEmbedding,
            let target = property.target.flatMap({ types[$0] })
        else { return .jsonb }
        guard let key = target.primaryKey else { return .bigint }
        return SQLType.Base(key.type, options) ?? .bigint
    }

    /// What rows have that were there before the property; nil for null.
    func defaultLiteral() throws -> String? {
        switch property.shape {
        case .list, .set:
            return isChild ? nil : type.isArray ? "'{}'" : "'[]'"
        case .map: return "'{}'"
        case .single:
            if property.defaultValue == .null { return nil }
            var text = ValuesText()
            var values = ValueWriter(policy: .replaceNUL)
            try values.write(property.defaultValue, type, to: &text)
            return String(decoding: text.bytes, as: UTF8.self).trimmingRow
        }
    }
}

extension String {
    /// A row of one field, without its parentheses.
    fileprivate var trimmingRow: String {
        hasPrefix("(") ? String(dropFirst()) : self
    }
}
