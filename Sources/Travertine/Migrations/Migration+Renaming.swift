import TravertineStore

/// Renaming properties in a migration (O20).
extension Migration {
    /// Lets a removed property become another one, which has its values from now on; no row is
    /// rewritten. Values that the new property got before are lost.
    ///
    /// The type is named by its class, or by its stored name, which counts if several classes have
    /// the name. The property may become optional, and change its type where the values fit the new
    /// one. What can't be renamed fails the opening with `.schemaMismatch`, all of it in one
    /// message.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        check()
        if new.failure != nil { return }
        do {
            if let problem = try rename(onType: typeName, from: oldName, to: newName) {
                problems.append("Cannot rename property " + problem)
            }
        } catch {
            new.fail(error)
        }
    }

    /// Renames a property; returns what is wrong, if it can't be.
    private func rename(
        onType typeName: String, from oldName: String, to newName: String
    ) throws -> String? {
        if isAmbiguous(typeName) {
            return "'\(typeName).\(oldName)' because several classes have that name: use a stored "
                + "name."
        }
        let info = declaration(of: typeName)
        let path = "'\(info?.storedName ?? typeName).\(oldName)'"
        guard let info, let before = old.storedType(named: info.storedName),
            before.properties.contains(where: { $0.name == oldName })
        else { return "\(path) because it does not exist." + advice(info, typeName, oldName) }
        let declared =
            info.properties.first { $0.name == newName }
            ?? info.properties.first { $0.storedName == newName }
        let target = declared?.storedName ?? newName
        if info.properties.contains(where: { $0.storedName == oldName }) {
            return "\(path) to '\(target)' because the source property still exists."
        }
        let isTaken =
            before.properties.contains { $0.name == target }
            || renamings[before.number]?.contains(target) == true
        if isTaken {
            return "\(path) to '\(target)' because a stored property has that name already."
        }
        guard let declared else {
            return "\(path) to '\(newName)' because it does not exist."
                + NearNames.advice(on: newName, among: info.properties.map(\.name))
        }
        // What a subset leaves out is not removed, and has its name.
        guard let stored = new.storedType(number: before.number),
            let index = stored.properties.firstIndex(where: {
                $0.isHidden && $0.number == removed[before.number]?[oldName] || $0.name == oldName
            })
        else { return "\(path) to '\(target)' because it was renamed before." }
        let property = stored.properties[index]
        let number = property.number
        if !SchemaComparison.needsNewProperty(property, declared) {
            if property.isOptional, !declared.type.isOptional {
                return "\(path) to '\(target)' because it would change from optional to required."
            }
            try give(target, to: number, of: stored, declared)
        } else {
            let varies = LinkVariation.varies(declared, declarations)
            guard PropertyConversion(property, declared, varies: varies) != nil else {
                return "\(path) to '\(target)' because it has another type."
            }
            try give(target, to: number, of: stored, nil)
            try convert(number, of: before, declared, varies: varies)
        }
        renamings[before.number, default: []].insert(target)
        return nil
    }

    /// What a message says of a name that no stored property has.
    private func advice(_ info: ClassInfo?, _ typeName: String, _ name: String) -> String {
        guard let info, let before = old.storedType(named: info.storedName) else {
            let near = NearNames.near(typeName, among: newNames).map { "'\($0)'" }
            return near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
        }
        return NearNames.advice(on: name, among: before.properties.map(\.name))
    }

    /// Gives a removed property the name of an added one, which is removed in its place.
    private func give(
        _ name: String, to number: UInt32, of type: StoredObjectType,
        _ declared: ClassInfo.Property?
    ) throws {
        let transaction = new.requireTransaction()
        if let added = type.properties.first(where: { $0.name == name }) {
            try new.clearKeepingChecks([RemovedProperty(property: added, pieces: type.pieces)])
        }
        guard var stored = new.storedType(number: type.number) else { return }
        if let added = stored.properties.first(where: { $0.name == name }) {
            if let backlinks = transaction.knownKeyspace(id: added.backlinks) {
                try transaction.dropKeyspace(backlinks)
            }
            stored.properties.removeAll { $0.number == added.number }
        }
        guard let index = stored.properties.firstIndex(where: { $0.number == number }) else {
            return
        }
        stored.properties[index].name = name
        if let declared {
            stored.properties[index].deleteRule = declared.deleteRule
            if !stored.properties[index].isVarying {
                stored.properties[index].isOptional = declared.type.isOptional
            }
        }
        try new.store(stored, layoutAfter: type.currentLayout)
    }

    private func convert(
        _ number: UInt32, of before: StoredObjectType, _ declared: ClassInfo.Property, varies: Bool
    ) throws {
        guard let table = try new.tableWithoutClass(number: before.number),
            let property = table.stored.properties.first(where: { $0.number == number })
        else { return }
        let changed = ChangedProperty(
            typeName: before.name, typeNumber: before.number, pieces: table.stored.pieces,
            property: property, declared: declared, varies: varies)
        converted.append(changed)
        try new.convert([changed])
    }
}

extension RealmSession {
    /// Stores a type that a migration changed, with a layout of its present properties.
    func store(_ type: StoredObjectType, layoutAfter number: UInt16) throws {
        var stored = type
        let before = try StoredSchema.loadLayout(
            access, keyspace: shared.schemaKeyspace, type: type.number, number: number)
        guard let layout = stored.layOut(after: before) else {
            throw Realm.Error(
                .schemaMismatch, "'\(type.name)' has too many properties for a row.",
                fileURL: shared.fileURL)
        }
        let transaction = requireTransaction()
        try StoredSchema.put(layout, of: stored.number, transaction, shared.schemaKeyspace)
        try StoredSchema.put(stored, transaction, shared.schemaKeyspace)
        change(stored)
        advance()
    }

    /// Clears properties, and still looks at what the commit was to look at.
    func clearKeepingChecks(_ removed: [RemovedProperty]) throws {
        let checks = scope.requiredChecks
        try clear(removed)
        scope.requiredChecks.formUnion(checks)
    }
}
