/// How a stored type and a class differ.
enum SchemaComparison {
    /// A sentence if a type's objects would begin or cease to belong to others or to be
    /// asymmetric, which no version allows.
    static func changedKind(_ stored: StoredSchema, _ info: ClassInfo) -> String? {
        guard let type = stored.type(named: info.storedName) else { return nil }
        let before = kind(isEmbedded: type.isEmbedded, isAsymmetric: type.isAsymmetric)
        let now = kind(isEmbedded: info.isEmbedded, isAsymmetric: info.isAsymmetric)
        if before == now { return nil }
        // Nothing but the consumer's side reads asymmetric objects.
        let advice =
            type.isAsymmetric
            ? "another stored name; objects that wait for their consumer are read with "
                + "`realm.outbox.read(after:limit:)`."
            : "another stored name and copy its objects."
        return
            "Class '\(type.name)' has been changed from \(before) to \(now). Give the class "
            + advice
    }

    private static func kind(isEmbedded: Bool, isAsymmetric: Bool) -> String {
        isEmbedded ? "embedded" : isAsymmetric ? "asymmetric" : "top-level"
    }

    /// A sentence if a class of a subset leaves the stored primary key out, which no version
    /// allows: its objects could not be distinguished.
    static func leftOutKey(_ stored: StoredSchema, _ info: ClassInfo) -> String? {
        guard let type = stored.type(named: info.storedName), let key = type.primaryKey,
            !info.properties.contains(where: { $0.storedName == key.name })
        else { return nil }
        return
            "Class '\(type.name)' leaves the primary key '\(key.name)' out, which a subset can't."
    }

    /// Every difference that needs a higher schema version, in the words of RealmSwift.
    ///
    /// Properties that a subset leaves out are no difference, nor added ones if these are fine.
    static func differences(
        _ type: StoredObjectType, _ info: ClassInfo, isSubset: Bool = false,
        areAddedFine: Bool = false
    ) -> [String] {
        var found: [String] = []
        for property in type.properties {
            let path = "\(type.name).\(property.name)"
            guard let declared = info.properties.first(where: { $0.storedName == property.name })
            else {
                if !isSubset { found.append("Property '\(path)' has been removed.") }
                continue
            }
            if needsNewProperty(property, declared) {
                found.append(change(of: property, to: declared, typeName: type.name) + ".")
            } else if !property.isVarying, property.isOptional != declared.type.isOptional {
                found.append(
                    "Property '\(path)' has been made "
                        + (declared.type.isOptional ? "optional." : "required."))
            }
        }
        for declared in info.properties
        where !areAddedFine
            && !type.properties.contains(where: { $0.name == declared.storedName })
        {
            found.append("Property '\(type.name).\(declared.storedName)' has been added.")
        }
        let old = type.primaryKey?.name
        let new = info.properties.first(where: \.isPrimaryKey)?.storedName
        switch (old, new) {
        case (nil, let new?):
            found.append("Primary Key for class '\(type.name)' has been added: '\(new)'.")
        case (let old?, nil):
            found.append("Primary Key for class '\(type.name)' has been removed: '\(old)'.")
        case (let old?, let new?) where old != new:
            found.append(
                "Primary Key for class '\(type.name)' has changed from '\(old)' to '\(new)'.")
        default: break
        }
        return found
    }

    /// That a property has another type, both types in words, without a full stop.
    static func change(
        of property: StoredProperty, to declared: ClassInfo.Property, typeName: String
    ) -> String {
        "Property '\(typeName).\(property.name)' has been changed from '\(name(of: property))' to "
            + "'\(name(of: StoredProperty(declared)))'"
    }

    /// A sentence for each removed property that may be an added one under its former name: one
    /// that has the same type. The values of the removed one are lost unless a migration renames
    /// it.
    ///
    /// - Parameters:
    ///   - type: the type before.
    ///   - new: the type as it is stored now; the same if no migration has begun.
    static func possibleRenamings(
        _ type: StoredObjectType, _ new: StoredObjectType, _ info: ClassInfo
    ) -> [String] {
        undeclared(of: type, new, info).compactMap { removed in
            let alike = possibleTargets(of: removed, type, info)
            guard let first = alike.first else { return nil }
            let names = alike.map { "'\($0.storedName)'" }.joined(separator: ", ")
            return
                "'\(type.name).\(removed.name)' has been removed, and its values would be lost. If it "
                + "has become \(names), keep them by a `migrationBlock` with "
                + "`migration.renameProperty(onType: \"\(info.className)\", "
                + "from: \"\(removed.name)\", to: \"\(first.name)\")`."
        }
    }

    /// A sentence for each property that was removed with its values, and may have become an added
    /// one.
    ///
    /// - Parameters:
    ///   - old: the type before.
    ///   - new: the type as it is stored now.
    ///   - isSet: whether a migration has given an added property its values.
    static func forgottenRenamings(
        _ old: StoredObjectType, _ new: StoredObjectType, _ info: ClassInfo,
        _ isSet: (StoredProperty) -> Bool
    ) -> [String] {
        removed(from: old, in: new).compactMap { removed in
            let names = possibleTargets(of: removed, old, info).filter { target in
                guard let added = new.properties.first(where: { $0.name == target.storedName })
                else { return false }
                return !old.properties.contains { $0.number == added.number } && !isSet(added)
            }.map(\.storedName)
            guard let first = names.first else { return nil }
            return
                "'\(old.name).\(removed.name)' was removed with its values. If it has become "
                + "\(names.map { "'\($0)'" }.joined(separator: ", ")), migrate a copy from before with "
                + "a `migrationBlock` that has `migration.renameProperty(onType: "
                + "\"\(info.className)\", from: \"\(removed.name)\", to: \"\(first)\")`."
        }
    }

    /// A sentence for each property that was removed with its values, and that no added one can
    /// have become.
    static func removals(
        _ old: StoredObjectType, _ new: StoredObjectType, _ info: ClassInfo
    ) -> [String] {
        removed(from: old, in: new).filter { possibleTargets(of: $0, old, info).isEmpty }
            .map { "'\(old.name).\($0.name)' was removed with its values." }
    }

    /// The properties of a type that are neither stored any more nor replaced under their names.
    private static func removed(
        from old: StoredObjectType, in new: StoredObjectType
    ) -> [StoredProperty] {
        old.properties.filter { property in
            !new.properties.contains { $0.number == property.number || $0.name == property.name }
        }
    }

    /// A sentence for each property that a class has no more, and that no added one can have
    /// become: its values would be removed.
    static func pendingRemovals(
        _ type: StoredObjectType, _ new: StoredObjectType, _ info: ClassInfo
    ) -> [String] {
        undeclared(of: type, new, info)
            .filter { possibleTargets(of: $0, type, info).isEmpty }
            .map { "'\(type.name).\($0.name)' has been removed, and its values would be, too." }
    }

    /// The properties of a type that a class has no more, under whatever name they are stored now.
    private static func undeclared(
        of type: StoredObjectType, _ new: StoredObjectType, _ info: ClassInfo
    ) -> [StoredProperty] {
        func isDeclared(_ name: String) -> Bool {
            info.properties.contains { $0.storedName == name }
        }
        return type.properties.filter { property in
            !isDeclared(property.name)
                && !new.properties.contains { $0.number == property.number && isDeclared($0.name) }
        }
    }

    /// The added properties that a removed one may have become.
    static func possibleTargets(
        of removed: StoredProperty, _ type: StoredObjectType, _ info: ClassInfo
    ) -> [ClassInfo.Property] {
        info.properties.filter { declared in
            !type.properties.contains { $0.name == declared.storedName }
                && !needsNewProperty(removed, declared)
                && (!removed.isOptional || declared.type.isOptional)
        }
    }

    /// What keeps a class that realms have open from reading what another class of the same type is
    /// about to store.
    static func conflicts(
        of open: ClassInfo, with new: ClassInfo, isSubset: Bool
    ) -> [String] {
        var type = StoredObjectType(number: 0, name: open.storedName)
        type.properties = open.properties.map { StoredProperty($0) }
        return differences(type, new, isSubset: isSubset, areAddedFine: true)
    }

    /// Whether a declaration can't be a change of a stored property, but is another property.
    static func needsNewProperty(
        _ property: StoredProperty, _ declared: ClassInfo.Property?
    ) -> Bool {
        guard let declared else { return false }
        let target = declared.target
        if property.isVarying {
            return declared.type.type != .object
                || property.collection != declared.type.collection || property.target != target
        }
        return property.type != declared.type.type
            || property.collection != declared.type.collection || property.target != target
            || (property.collection != .none && property.isOptional != declared.type.isOptional)
    }

    private static func name(of property: StoredProperty) -> String {
        let target = property.target.isEmpty ? "" : "<\(property.target)>"
        let type = property.isVarying ? PropertyType.object : property.type
        let base = type.description + target
        let element = base + (property.isOptional && type != .object ? "?" : "")
        return switch property.collection {
        case .none: element
        case .list: "array<\(element)>"
        case .set: "set<\(element)>"
        case .map: "dictionary<\(element)>"
        }
    }
}

extension StoredProperty {
    init(_ declared: ClassInfo.Property) {
        self.init(
            number: 0, name: declared.storedName, type: declared.type.type,
            isOptional: declared.type.isOptional, collection: declared.type.collection,
            target: declared.target, isPrimaryKey: declared.isPrimaryKey,
            isIndexed: declared.isIndexed)
    }
}
