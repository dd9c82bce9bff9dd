import TravertineStore

/// The session's tables: which class and which stored type each shows, and how it is made.
extension RealmSession {
    /// The table of a class, which lives as long as the session: nothing is counted.
    @inline(__always)
    func tableReference(of type: ObjectBase.Type) -> Unmanaged<TableState> {
        if let table = registry.lastTable(of: type) { return table }
        return Unmanaged.passUnretained(otherTable(of: type))
    }

    /// The table of a class.
    @inline(__always)
    func table(of type: ObjectBase.Type) -> TableState {
        tableReference(of: type).takeUnretainedValue()
    }

    @inline(never)
    private func otherTable(of type: ObjectBase.Type) -> TableState {
        if isOfMigration, type != DynamicObject.self { stopForClassInMigration(type) }
        if let table = registry.table(of: type) { return table }
        let info = ClassInfo.of(type)
        if shared.isReadOnly { return followedTable(info) }
        if let stored = storedType(named: info.storedName), isOpened(info) {
            return add(makeTable(stored, info))
        }
        if isFrozen { return missingTable(info) }
        requireManaged(info, configuration.objectTypes == nil)
        do {
            try install(info)
            if let stored = storedType(named: info.storedName), isOpened(info) {
                return add(TableState(self, stored, classInfo: info))
            }
        } catch {
            if transaction == nil { damage = error } else { fail(error) }
        }
        return missingTable(info)
    }

    func requireManaged(_ info: ClassInfo, _ isManaged: Bool) {
        require(
            isManaged,
            "Object type '\(info.className)' is not managed by the Realm. Add it to "
                + "`objectTypes` of the configuration.")
    }

    /// How many classes are open, those included that the transaction used first.
    var openedClassCount: Int {
        shared.openedClassCount + (scope.firstUsed?.classes.count ?? 0)
    }

    /// The table of a class, then those of the classes derived from it in the order of their names.
    func tables(ofClassesFrom base: ObjectBase.Type) -> [TableState] {
        let own = table(of: base)
        let classCount = openedClassCount
        if let known = registry.family(of: base, classCount: classCount) { return known }
        let derived =
            openedClasses
            .filter { $0.type != base && base.isBase(of: $0.type) }
            .sorted { $0.storedName < $1.storedName }.map { table(of: $0.type) }
        let family = [own] + derived
        // A version that is shown later may have the types.
        if shared.isReadOnly, family.contains(where: \.isGone) { return family }
        registry.setFamily(family, of: base, classCount: classCount)
        return family
    }

    /// A table without objects, of a class that can't be installed, or is not stored in a realm
    /// that is only read.
    func missingTable(_ info: ClassInfo) -> TableState {
        if let known = registry.missingTable(of: info.type) { return known }
        let table = TableState(self, StoredObjectType(missing: info), classInfo: info)
        table.isGone = true
        registry.addMissing(table, of: info.type)
        return table
    }

    /// A table of a stored type. Of a frozen session it has the type as the version has it from
    /// the start, for handles point into the layouts of the type.
    func makeTable(_ stored: StoredObjectType, _ info: ClassInfo?) -> TableState {
        guard let frozen else { return TableState(self, stored, classInfo: info) }
        do {
            return TableState(self, try frozen.description(of: stored, info))
        } catch {
            damage = error
            return TableState(self, stored, classInfo: info)
        }
    }

    func add(_ table: TableState) -> TableState {
        registry.add(table)
        if isFrozen { return table }
        do {
            try table.renew(access)
        } catch {
            damage = error
        }
        return table
    }

    /// The table of a stored type, with its class if the realm has one.
    func table(number: UInt32) -> TableState? {
        if let table = registry.table(number: number) { return table }
        guard let stored = storedType(number: number) else { return nil }
        let info = classInfo(storedName: stored.name)
        if shared.isReadOnly, let info, !fits(stored, info) { return missingTable(info) }
        return add(makeTable(stored, info))
    }

    func table(named name: String) -> TableState? {
        storedType(named: name).flatMap { table(number: $0.number) }
    }

    /// A table of a stored type that knows nothing of its class, for changing the type itself.
    func tableWithoutClass(number: UInt32) throws -> TableState? {
        guard let stored = storedType(number: number) else { return nil }
        let table = TableState(self, stored, classInfo: nil)
        registry.addView(table)
        try table.renew(access)
        return table
    }

    /// The objects of a type without a class seen as ones of a base class; nil if the type lacks
    /// properties of it, or has one that is of another type.
    func view(of table: TableState, as type: ObjectBase.Type) -> TableState? {
        if let viewed = registry.view(number: table.stored.number, as: type) { return viewed }
        let info = ClassInfo.of(type)
        guard misfit(table.stored, info) == nil else { return nil }
        let view = makeTable(table.stored, info)
        registry.addView(view)
        return view
    }

    /// Gives a stored type that the transaction changed to every table that has it.
    func change(_ stored: StoredObjectType) {
        for table in registry.all where table.stored.number == stored.number {
            table.change(to: stored)
        }
        scope.changedTypes.insert(stored.number)
        replaceFirstUsed(stored)
    }

    /// Reads the stored types again whose records are others than the tables know: what this
    /// version of the store says is the truth, no matter which process or thread changed it and
    /// whether or not it was kept.
    func renewTables() throws { try renewTables(access) }

    ///
    /// - Throws: what is wrong with the first type that does not fit its class any more; the others
    ///   are renewed all the same, or their rows could not be read.
    func renewTables(_ access: ReadAccess) throws {
        var first: (any Error)?
        for table in registry.all {
            do {
                try table.renew(access)
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}
