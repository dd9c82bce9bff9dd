import TravertineStore

/// Objects by many primary keys.
extension Realm {
    /// Calls `body` with each primary key and its object, nil where there is none, in the order of
    /// the keys.
    ///
    /// ```swift
    /// try realm.write {
    ///     try realm.forEachObject(ofType: City.self, forPrimaryKeys: ids) { id, city in
    ///         city?.population += 1
    ///     }
    /// }
    /// ```
    /// A look-up of one object mostly waits for memory. Here 16 are under way at once, so that
    /// their waits overlap. Handles that `body` does not keep are used again. `body` may write, also
    /// delete objects and add those whose keys come later: each object is the one that the realm
    /// shows at its turn.
    ///
    /// - Parameters:
    ///   - keys: of the type of the primary key, in any order; a key may come more than once.
    ///   - body: called once for each key.
    /// - Throws: what `body` throws, and damage.
    public func forEachObject<Model: Object, Keys: Sequence>(
        ofType type: Model.Type, forPrimaryKeys keys: Keys,
        _ body: (_ key: Keys.Element, _ object: Model?) throws -> Void
    ) throws {
        let session = session.here
        session.checkThread()
        let reuses = !session.isFrozen
        if reuses { session.beginReuse() }
        defer { if reuses { session.endReuse() } }
        let lookUp = PrimaryKeyLookUp(realm: self, session: session, type: type)
        func lend(_ key: Keys.Element, _ object: Model?) throws {
            try session.throwDamage()
            try body(key, object)
        }
        var next: [Keys.Element] = []
        next.reserveCapacity(RowBatch.capacity)
        for key in keys {
            next.append(key)
            if next.count < RowBatch.capacity { continue }
            try lookUp.forEach(next, lend)
            next.removeAll(keepingCapacity: true)
        }
        if !next.isEmpty { try lookUp.forEach(next, lend) }
        // Damage of the last object's properties.
        try session.throwDamage()
    }

    /// The objects with primary keys, in the order of the keys; nil where there is none.
    ///
    /// Damage leaves objects out, and is thrown by the realm's next call that can.
    /// Keys are looked up together, as by ``forEachObject(ofType:forPrimaryKeys:_:)``.
    public func objects<Model: Object>(
        ofType type: Model.Type, forPrimaryKeys keys: some Sequence
    ) -> [Model?] {
        let keys = Array(keys)
        let session = session.here
        session.checkThread()
        let lookUp = PrimaryKeyLookUp(realm: self, session: session, type: type)
        var found: [Model?] = []
        found.reserveCapacity(keys.count)
        do {
            for start in stride(from: 0, to: keys.count, by: RowBatch.capacity) {
                let next = keys[start..<min(keys.count, start + RowBatch.capacity)]
                try lookUp.forEach(Array(next)) { _, object in found.append(object) }
            }
        } catch {
            session.damage = error
        }
        found += repeatElement(nil, count: keys.count - found.count)
        return found
    }
}

/// Looks objects up by a few primary keys at a time.
private struct PrimaryKeyLookUp<Model: Object> {
    let realm: Realm
    let session: RealmSession
    let type: Model.Type

    /// Calls `body` with each of at most `RowBatch.capacity` keys and its object.
    func forEach<Key>(_ keys: [Key], _ body: (Key, Model?) throws -> Void) throws {
        let table = session.table(of: type)
        session.checkIsReadable(table)
        let access = try session.access
        let objectKeys = try self.objectKeys(keys, table, access)
        var batch = RowBatch(access, keyspace: table.stored.rows)
        for case let key? in objectKeys { batch.append(key) }
        var isAhead = true
        do throws(StoreError) {
            if batch.count > 0 { try batch.lookUp() }
        } catch {
            // Found again where it is, after the objects before it.
            isAhead = false
        }
        // What a transaction changes has another place then: its objects are looked up one by one,
        // in memory that is on its way.
        isAhead = isAhead && !session.isWriting
        let generation = session.generation.pointee.number
        var number = 0
        for (key, objectKey) in zip(keys, objectKeys) {
            defer { if objectKey != nil { number += 1 } }
            guard isAhead, session.generation.pointee.number == generation else {
                try body(key, realm.object(ofType: type, forPrimaryKey: key))
                continue
            }
            guard let objectKey, let row = try batch.row(number) else {
                try body(key, nil)
                continue
            }
            try body(key, session.handle(type, key: objectKey, in: table, row))
        }
    }

    /// The keys of the rows: nil for a primary key that is not in its index.
    private func objectKeys<Key>(
        _ keys: [Key], _ table: TableState, _ access: ReadAccess
    ) throws -> [UInt64?] {
        if Key.self == Int.self, table.hasIntegerKeys {
            return keys.map {
                StoredObjectType.objectKey(ofPrimaryKey: Int64(unsafeBitCast($0, to: Int.self)))
            }
        }
        let constants = keys.map { session.constant(ofPrimaryKey: $0, in: table) }
        if table.stored.keyKind != .integerPrimaryKey { askForEntries(constants, table, access) }
        return try constants.map { constant in
            if table.stored.keyKind == .integerPrimaryKey, case .word(let word) = constant {
                return StoredObjectType.objectKey(ofPrimaryKey: word)
            }
            return try session.key(forPrimaryKey: constant, in: table)
        }
    }

    /// Asks for the leaves of the entries of primary keys.
    private func askForEntries(
        _ constants: [RawConstant], _ table: TableState, _ access: ReadAccess
    ) {
        guard let property = table.properties.first(where: \.isPrimaryKey) else { return }
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var entry = IndexKey()
        for constant in constants {
            constant.withRaw { entry.set($0, type: property.type) }
            bytes += entry.bytes
            ends.append(bytes.count)
        }
        bytes.withUnsafeBytes { bytes in
            var start = 0
            let entries = ends.map { end in
                defer { start = end }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            }
            access.ask(forKeys: entries, in: table.stored.keyIndex)
        }
    }
}

extension RealmSession {
    /// A primary key of a table in its stored form; stops where it can't be one.
    func constant<Key>(ofPrimaryKey key: Key, in table: TableState) -> RawConstant {
        guard let slot = table.info.primaryKeySlot else {
            misuse(
                "\(table.className) has no primary key: declare one with "
                    + "@Persisted(primaryKey: true), or look with `where`.")
        }
        let property = table.info.properties[slot]
        guard let constant = RawConstant(key: key, of: property) else {
            misuse(
                "Invalid value '\(key)' of type \(Key.self) for primary key "
                    + "'\(table.className).\(property.name)' of type \(property.valueType).")
        }
        return constant
    }
}
