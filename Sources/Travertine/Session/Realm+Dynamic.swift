import TravertineStore

/// Types by name, whether or not the process has their classes.
extension Realm {
    /// All objects of a type by the name of its class or its stored name.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        let session = session.here
        let table = session.requiredTable(typeName)
        session.checkIsReadable(table)
        return Results(session, table)
    }

    /// The object with a primary key, or nil.
    public func dynamicObject(
        ofType typeName: String, forPrimaryKey key: Any
    ) -> DynamicObject? {
        let session = session.here
        let table = session.requiredTable(typeName)
        session.checkIsReadable(table)
        guard let property = table.stored.primaryKey else {
            misuse("\(table.className) has no primary key.")
        }
        guard let constant = QueryConstant(key, property.type) else {
            misuse(
                "Invalid value '\(key)' for primary key '\(table.className).\(property.name)'.")
        }
        do {
            return try session.key(forPrimaryKey: constant, in: table).flatMap {
                session.dynamicObject($0, in: table)
            }
        } catch {
            session.damage = error
            return nil
        }
    }

    /// Makes an object of a type from a dictionary by name, or an array for the first properties in
    /// their order, and adds it.
    ///
    /// Linked and embedded objects are dictionaries. Updating changes only what is named. A
    /// value that does not fit fails the transaction; what is returned then, and in a transaction
    /// that failed before, is an object without properties that takes any value and keeps none.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        do {
            return try session.dynamicObject(named: typeName, of: value, update)
        } catch {
            session.fail(error)
            return DynamicObject.void()
        }
    }

    /// As `dynamicCreate`, throwing at once for a value that does not fit; the transaction stays as
    /// it was before.
    @discardableResult
    public func dynamicInsert(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) throws -> DynamicObject {
        try checkedSavepoint { try session.dynamicObject(named: typeName, of: value, update) }
    }

    /// Whether the realm has a type of this name; one that is stored and not among those that its
    /// configuration lists is none of its.
    public func hasType(_ typeName: String) -> Bool {
        let session = session.here
        return session.openedClasses(named: typeName).count > 1 || session.table(typeName) != nil
    }
}

extension RealmSession {
    /// Makes an object of a type from values, or changes the one with their primary key.
    fileprivate func dynamicObject(
        named typeName: String, of value: Any, _ update: Realm.UpdatePolicy
    ) throws -> DynamicObject {
        requireWriting()
        if let failure { throw failure }
        let table = requiredTable(typeName)
        guard !table.stored.isAsymmetric else {
            throw Realm.Error(
                .invalidInput,
                "'\(table.className)' is asymmetric: make its objects with "
                    + "`realm.insert(asymmetric:value:)`.")
        }
        guard !table.stored.isEmbedded else {
            throw Realm.Error(
                .invalidInput,
                "'\(table.className)' is embedded: it is made as a value of its owner.")
        }
        guard let values = table.valuesByName(value) else {
            throw Realm.Error(
                .invalidInput,
                "A \(table.className) is made from a dictionary, or an array of values for its "
                    + "\(table.publicNames.count) properties, in order.")
        }
        let key = try create(values, in: table, update: update)
        guard let object = dynamicObject(key, in: table) else { throw table.damagedRow() }
        return object
    }

    /// The table of a type by the name of its class or its stored name. Of several classes of that
    /// name it is the one that is stored under it; stops if there is none.
    func table(_ typeName: String) -> TableState? {
        let infos = openedClasses(named: typeName)
        guard infos.count > 1 else {
            let name = infos.first?.storedName ?? typeName
            return isReachable(name) ? table(named: name) : nil
        }
        guard let table = table(named: typeName) else {
            let names = infos.map { "'\($0.storedName)'" }.sorted().joined(separator: ", ")
            misuse(
                "'\(typeName)' is the name of several classes: use one of the stored names "
                    + "\(names).")
        }
        return table
    }

    /// Whether a stored type belongs to this realm: those that its configuration does not list,
    /// where it lists any, can't be reached by name either.
    private func isReachable(_ name: String) -> Bool {
        guard let listed = configuration.objectTypes, !listed.isEmpty else { return true }
        return listed.contains { ClassInfo.of($0).storedName == name }
            || openedClasses.contains { $0.storedName == name }
            || configuration.objectSchemas.contains { $0.objectTypeName == name }
    }

    fileprivate func openedClasses(named name: String) -> [ClassInfo] {
        openedClasses.filter { $0.className == name }
    }

    func requiredTable(_ typeName: String) -> TableState {
        guard let table = table(typeName) else {
            misuse("Object type '\(typeName)' is not in the realm's schema.")
        }
        return table
    }
}
