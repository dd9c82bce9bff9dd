import TravertineStore

/// Classes that were first used in a write transaction, and the schema that it stored for them.
///
/// A class that was not in the process, or not discovered, when the realm was opened is installed
/// where it is first used. Inside of a write transaction that is a part of the transaction: others
/// see it when the commit is certain (`SharedStore.enter`), and nobody does after a rollback.
struct FirstUsedClasses {
    /// Every stored type, as the transaction sees them.
    var schema: StoredSchema
    /// The classes, in the order of their first use.
    var classes: [ClassInfo]
}

extension RealmSession {
    /// Installs a class that was not in the process, or not discovered, when the realm was opened,
    /// with those that it leads to: as a part of the transaction, or in a separate one.
    func install(_ info: ClassInfo) throws {
        let opened = openedClasses
        let new = ClassDiscovery.newClasses(from: info, besides: opened)
        if failure != nil { return }
        guard let transaction else {
            try shared.prepare(opened + new, configuration)
            _ = try refresh()
            return
        }
        try flushAppends()
        try flushUnstored()
        let schema = try shared.install(opened + new, configuration, in: transaction)
        scope.firstUsed = FirstUsedClasses(
            schema: schema, classes: (scope.firstUsed?.classes ?? []) + new)
        counts.tableChangeCount &+= 1
        advance()
        try renewTables()
        let pending = LinkVariation.pending(schema, opened + new)
        if !pending.isEmpty { try LinkVariation.apply(pending, self) }
    }

    /// Goes back to the classes that were first used before a part of the transaction that is
    /// undone. Handles of objects of later ones are invalid from now on; when used again, the
    /// classes get new tables.
    func undoFirstUses(since before: FirstUsedClasses?) {
        let undone = scope.firstUsed?.classes.dropFirst(before?.classes.count ?? 0) ?? []
        scope.firstUsed = before
        counts.tableChangeCount &+= 1
        if undone.isEmpty { return }
        counts.goneCount += 1
        registry.forget(undone) { [self] table in
            storedType(named: table.stored.name)?.number == table.stored.number
        }
    }

    /// Puts a stored type that the transaction changed into the schema that it stored.
    func replaceFirstUsed(_ stored: StoredObjectType) { scope.firstUsed?.schema.replace(stored) }
}

/// The schema as the realm sees it: with what its transaction installed.
extension RealmSession {
    private var firstUsed: FirstUsedClasses? { scope.firstUsed }

    var schema: StoredSchema {
        if let schema = frozen?.schema ?? firstUsed?.schema { return schema }
        return (shared.isReadOnly ? shownSchema : nil) ?? shared.schema
    }

    func storedType(named name: String) -> StoredObjectType? {
        if let firstUsed { return firstUsed.schema.type(named: name) }
        guard let frozen else {
            return shared.isReadOnly
                ? shownSchema?.type(named: name) : shared.storedType(named: name)
        }
        // The newest version may have the type under another number, or not at all.
        return shared.storedType(named: name).flatMap { storedType(number: $0.number) }
            ?? frozen.schema.type(named: name)
    }

    func storedType(number: UInt32) -> StoredObjectType? {
        if let firstUsed { return firstUsed.schema.types.first { $0.number == number } }
        guard let frozen else {
            if !shared.isReadOnly { return shared.storedType(number: number) }
            return shownSchema?.types.first { $0.number == number }
        }
        do {
            return try frozen.storedType(number: number)
        } catch {
            damage = error
            return nil
        }
    }

    func isOpened(_ info: ClassInfo) -> Bool {
        firstUsed?.classes.contains { $0 === info } == true
            || (!isOfMigration && shared.isOpened(info, by: configuration))
    }

    func classInfo(storedName: String) -> ClassInfo? {
        if frozen?.isWithoutClasses ?? false { return nil }
        return firstUsed?.classes.first { $0.storedName == storedName }
            ?? (isOfMigration
                ? nil : shared.classInfo(storedName: storedName, of: configuration))
    }

    /// The classes of the realm's objects.
    var openedClasses: [ClassInfo] {
        if isOfMigration { return firstUsed?.classes ?? [] }
        if frozen?.isWithoutClasses ?? false { return [] }
        let opened = shared.openedClasses(of: configuration)
        guard let firstUsed else { return opened }
        return opened.filter { info in
            !firstUsed.classes.contains { $0.storedName == info.storedName }
        }
            + firstUsed.classes
    }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        if let frozen { return frozen.schema.linkingProperties(to: name) }
        if shared.isReadOnly { return shownTypes?.linkingProperties(to: name) ?? [] }
        return firstUsed?.schema.linkingProperties(to: name) ?? shared.linkingProperties(to: name)
    }
}

extension StoredSchema {
    /// Puts a type in the place of its earlier state.
    mutating func replace(_ type: StoredObjectType) {
        guard let index = types.firstIndex(where: { $0.number == type.number }) else { return }
        types[index] = type
    }
}
