import TravertineStore

extension Results {
    /// Calls `body` with each object, lending one handle: it must not be kept.
    ///
    /// Saves making an object for each row. The property reads are as fast as can be.
    public func forEachLending(_ body: (Element) throws -> Void) throws {
        let (core, table) = (state.core, state.table)
        core.checkThread()
        if core.isWriting || !state.derived.isEmpty || state.source != nil || table.hasBareFields {
            for element in self { try body(element) }
            return
        }
        let object = Element._objectType.init()
        let element = Element._make(object)
        object.bind(to: core, table, key: 0)
        try forEachRow { key, row in
            object.key = key
            object.isStaged = false
            if core.point(object, to: row, table) {
                try body(element)
            } else {
                try core.throwDamage()
            }
        }
    }

    /// Calls `body` with the key and the row of each object, all in place while it runs.
    private func forEachRow(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws {
        if state.isEverything {
            try state.core.scan(state.table) { key, row in
                try body(key, row)
                return true
            }
            return
        }
        let rows = try state.all()
        let held = state.core.snapshot
        for row in rows { try body(row.key, row.bytes) }
        withExtendedLifetime(held) {}
    }
}

extension Results where Element: ObjectBase {
    /// Calls `body` with each object and the one that it links to, lending both handles: they must
    /// not be kept.
    ///
    /// ```swift
    /// try realm.objects(Person.self).forEachLending(following: \.friend) { person, friend in
    ///     ages += friend?.age ?? 0
    /// }
    /// ```
    /// Linked objects are looked up 16 at a time, so that their waits for memory overlap: several
    /// times the rate of following the links one by one.
    ///
    /// - Parameter keyPath: a to-one link of the object itself.
    /// - Throws: what `body` throws, and damage.
    public func forEachLending<Target: ObjectBase>(
        following keyPath: KeyPath<Element, Target?>, _ body: (Element, Target?) throws -> Void
    ) throws {
        let (core, table) = (state.core, state.table)
        core.checkThread()
        let name = KeyPathTracer.requiredName(of: keyPath as PartialKeyPath)
        guard let slot = table.slot(named: name) else {
            preconditionFailure(
                "\(table.className) has no link '\(name)' to follow: name a to-one link of the "
                    + "object itself.")
        }
        let targetTable = core.table(of: Target.self)
        let isPlain =
            table.properties[slot].type == .object && !core.isWriting && state.derived.isEmpty
            && state.source == nil
            && !table.hasBareFields && !targetTable.hasBareFields
        guard isPlain else {
            for element in self { try body(element, element[keyPath: keyPath]) }
            return
        }
        _ = try core.access
        let held = core.snapshot
        defer { withExtendedLifetime(held) {} }
        let element = Element.init()
        let target = Target.init()
        var follower = try LinkFollower(core, (element, table), slot, (target, targetTable))
        func lendAll() throws {
            try follower.lendAll { isLinked in try body(element, isLinked ? target : nil) }
        }
        try forEachRow { key, row in
            if try follower.takes(key, row) { return }
            try lendAll()
            _ = try follower.takes(key, row)
        }
        try lendAll()
    }
}

/// Points two handles to objects and to those that they link to, a batch at a time.
private struct LinkFollower: ~Copyable {
    private let core: RealmCore
    private let table: ObjectTable
    private let slot: Int
    private let targetTable: ObjectTable
    private let element: ObjectBase
    private let target: ObjectBase
    private var rows: [FoundRow] = []
    /// For each row, its place in the batch, or -1 if it links to nothing.
    private var places: [Int] = []
    private var batch: RowBatch

    init(
        _ core: RealmCore, _ source: (handle: ObjectBase, table: ObjectTable), _ slot: Int,
        _ target: (handle: ObjectBase, table: ObjectTable)
    ) throws {
        self.core = core
        self.slot = slot
        (element, table) = source
        (self.target, targetTable) = target
        batch = RowBatch(try core.access, keyspace: targetTable.stored.rows)
        element.bind(to: core, table, key: 0)
        self.target.bind(to: core, targetTable, key: 0)
        rows.reserveCapacity(2 * RowBatch.capacity)
        places.reserveCapacity(2 * RowBatch.capacity)
    }

    /// Takes a row for the next `lendAll`; false if there is no room for it.
    mutating func takes(_ key: UInt64, _ row: UnsafeRawBufferPointer) throws -> Bool {
        if batch.count == RowBatch.capacity || rows.count == 2 * RowBatch.capacity { return false }
        rows.append(FoundRow(key: key, bytes: row))
        if case .word(let link) = table.value(at: slot, in: row, try table.binding(of: row)) {
            places.append(batch.count)
            batch.append(UInt64(bitPattern: link))
        } else {
            places.append(-1)
        }
        return true
    }

    /// Lends what was taken, and forgets it; tells `body` whether the object links to another.
    mutating func lendAll(_ body: (Bool) throws -> Void) throws {
        try batch.lookUp()
        for (row, place) in zip(rows, places) {
            try lend(row.key, row.bytes, element, table)
            guard place >= 0, let found = try batch.row(place) else {
                try body(false)
                continue
            }
            try lend(batch.key(place), found, target, targetTable)
            try body(true)
        }
        rows.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        batch.removeAll()
    }

    private func lend(
        _ key: UInt64, _ row: UnsafeRawBufferPointer, _ object: ObjectBase, _ table: ObjectTable
    ) throws {
        object.key = key
        object.isStaged = false
        if !core.point(object, to: row, table) { try core.throwDamage() }
    }
}
