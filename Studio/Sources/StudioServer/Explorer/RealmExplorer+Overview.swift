import Travertine

extension RealmExplorer {
    /// The realm, its types, their properties, and how many objects they have.
    func overview() -> JSON {
        .object([
            ("path", .string(directory.path)), ("name", .string(directory.lastPathComponent)),
            ("isWritable", .bool(isWritable)), ("version", .number(version)),
            ("undo", undoHistory.json), ("types", .array(types.map(description))),
        ])
    }

    private func description(_ type: ObjectSchema) -> JSON {
        let count = type.isAsymmetric ? nil : realm.dynamicObjects(type.objectTypeName).count
        return .object([
            ("name", .string(type.objectTypeName)), ("isEmbedded", .bool(type.isEmbedded)),
            ("isAsymmetric", .bool(type.isAsymmetric)), ("count", .optional(count)),
            ("properties", .array(type.properties.map(description))),
        ])
    }

    private func description(_ property: Property) -> JSON {
        .object([
            ("name", .string(property.columnName)), ("type", .string(PropertyText.type(property))),
            ("base", .string(property.type.description)),
            ("collection", .optional(PropertyText.collection(property))),
            ("target", .optional(property.type == .object ? property.objectClassName : nil)),
            ("isKey", .bool(property.isPrimaryKey)), ("isIndexed", .bool(property.isIndexed)),
            ("isOptional", .bool(property.isOptional)),
            ("canBeTyped", .bool(ValueParser.isReadable(property))),
            ("isSortable", .bool(PropertyText.isSortable(property))),
        ])
    }
}
