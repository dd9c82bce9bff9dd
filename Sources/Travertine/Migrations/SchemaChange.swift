/// One thing that opening a realm with another schema would change.
public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
    /// What the change needs.
    public enum Need: String, Sendable, CaseIterable {
        /// Nothing: it is done when a realm opens.
        case nothing
        /// A higher `schemaVersion`.
        case version
        /// A higher `schemaVersion`, and a migration that says what becomes of the values.
        case step
        /// It can't be done: the objects must be copied to a type with another name.
        case refused
    }

    /// The stored name of the type.
    public let typeName: String
    /// The stored name of the property; nil for the type itself, or an index.
    public let propertyName: String?
    /// What it needs.
    public let need: Need
    /// The change in a sentence.
    public let description: String
}

extension Realm {
    /// What opening the realm with other types would change, type by type; nothing is changed.
    ///
    /// Types are compared by their stored names. Reads the schema only, no object: a change that
    /// keeps all values of one realm may lose some of another, and counts as one that needs a step.
    ///
    /// - Parameters:
    ///   - types: what the realm would be opened with.
    ///   - areAll: whether stored types that are not among them are reported, too.
    public func schemaChanges(to types: [ObjectSchema], areAll: Bool = true) -> [SchemaChange] {
        session.checkThread()
        let comparison = ChangeComparison(
            stored: session.schema, classes: types.map { ClassInfo($0) })
        return comparison.changes(areAll: areAll)
    }
}

/// What a stored schema and declared types differ in.
private struct ChangeComparison {
    let stored: StoredSchema
    let classes: [ClassInfo]

    func changes(areAll: Bool) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        for info in classes.sorted(by: { $0.storedName < $1.storedName }) {
            if let type = stored.type(named: info.storedName) {
                changes += self.changes(type, info)
            } else {
                changes.append(
                    SchemaChange(
                        typeName: info.storedName, propertyName: nil, need: .nothing,
                        description: "Type '\(info.storedName)' is added."))
            }
        }
        let declared = Set(classes.map(\.storedName))
        for type in stored.types.sorted(by: { $0.name < $1.name })
        where areAll && !declared.contains(type.name) {
            changes.append(
                SchemaChange(
                    typeName: type.name, propertyName: nil, need: .nothing,
                    description: "Type '\(type.name)' has no class any more. Its objects stay; "
                        + "`deleteData(forType: \"\(type.name)\")` removes them."))
        }
        return changes
    }

    private func changes(_ type: StoredObjectType, _ info: ClassInfo) -> [SchemaChange] {
        if let refusal = SchemaComparison.changedKind(stored, info) {
            return [
                SchemaChange(
                    typeName: type.name, propertyName: nil, need: .refused, description: refusal)
            ]
        }
        let properties = type.properties.compactMap { property in
            change(of: property, type, info.properties.first { $0.storedName == property.name })
        }
        let added = info.properties.filter { declared in
            !type.properties.contains { $0.name == declared.storedName }
        }.map { declared in
            SchemaChange(
                typeName: type.name, propertyName: declared.storedName, need: .version,
                description: "Property '\(type.name).\(declared.storedName)' is added.")
        }
        return properties.map { renamed($0, type, info) } + added + keyChanges(type, info)
            + indexChanges(type, info)
    }

    private func change(
        of property: StoredProperty, _ type: StoredObjectType, _ declared: ClassInfo.Property?
    ) -> SchemaChange? {
        func change(_ need: SchemaChange.Need, _ text: String) -> SchemaChange {
            SchemaChange(
                typeName: type.name, propertyName: property.name, need: need, description: text)
        }
        let path = "'\(type.name).\(property.name)'"
        guard let declared else {
            return change(.version, "Property \(path) is removed, with its values.")
        }
        if SchemaComparison.needsNewProperty(property, declared) {
            let text = SchemaComparison.change(of: property, to: declared, typeName: type.name)
            let varies = LinkVariation.varies(declared, classes)
            guard let conversion = PropertyConversion(property, declared, varies: varies) else {
                return change(.step, text + ". No value has a place in the new type.")
            }
            if conversion.mayLose {
                return change(.step, text + ". Some values may have no place in the new type.")
            }
            return change(.version, text + ". All values are kept.")
        }
        if !property.isVarying, property.isOptional != declared.type.isOptional {
            return change(
                .version,
                declared.type.isOptional
                    ? "Property \(path) is made optional."
                    : "Property \(path) is made required: nil becomes the default.")
        }
        return nil
    }

    /// A removed property that may be an added one under another name.
    private func renamed(
        _ change: SchemaChange, _ type: StoredObjectType, _ info: ClassInfo
    ) -> SchemaChange {
        guard let name = change.propertyName,
            !info.properties.contains(where: { $0.storedName == name }),
            let property = type.properties.first(where: { $0.name == name })
        else { return change }
        let names = SchemaComparison.possibleTargets(of: property, type, info)
        if names.isEmpty { return change }
        return SchemaChange(
            typeName: change.typeName, propertyName: name, need: .step,
            description: change.description + " If it has become "
                + names.map { "'\($0.storedName)'" }.joined(separator: " or ") + ", rename it.")
    }

    private func keyChanges(_ type: StoredObjectType, _ info: ClassInfo) -> [SchemaChange] {
        let old = type.primaryKey?.name
        let new = info.properties.first(where: \.isPrimaryKey)?.storedName
        if old == new { return [] }
        let text =
            switch (old, new) {
            case (let old?, let new?):
                "The primary key of '\(type.name)' becomes '\(new)', and was '\(old)'."
            case (nil, let new?): "'\(type.name)' gets the primary key '\(new)'."
            default: "'\(type.name)' has no primary key any more."
            }
        let isAdded = new.map { new in !type.properties.contains { $0.name == new } } ?? false
        let unique = new == nil ? "" : " Each object must have another value."
        return [
            SchemaChange(
                typeName: type.name, propertyName: new ?? old, need: isAdded ? .step : .version,
                description: text + unique)
        ]
    }

    private func indexChanges(_ type: StoredObjectType, _ info: ClassInfo) -> [SchemaChange] {
        info.properties.compactMap { declared in
            let property = type.properties.first { $0.name == declared.storedName }
            guard let property, property.isIndexed != declared.isIndexed,
                !SchemaComparison.needsNewProperty(property, declared)
            else { return nil }
            return SchemaChange(
                typeName: type.name, propertyName: property.name, need: .nothing,
                description: "Property '\(type.name).\(property.name)' "
                    + (declared.isIndexed ? "gets an index." : "has no index any more."))
        }
    }
}
