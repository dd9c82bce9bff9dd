import TravertineStore

/// Loops that lend one handle to every object, and others over keys and rows.
extension Results {
    /// Calls `body` with each object, lending one handle: it must not be used after the call.
    ///
    /// Saves making an object for each row. The property reads are as fast as can be. The objects
    /// are those of the start; what is written in the meantime is seen, and an object that was
    /// deleted in the meantime is invalidated.
    public func forEachLending(_ body: (Element) throws -> Void) throws {
        state.takeTable()
        let (session, table) = (state.session, state.table)
        session.checkThread()
        if session.isWriting || !state.derived.isEmpty || state.source != nil
            || table.hasUnwrappedProperties
        {
            for element in self { try body(element) }
            return
        }
        _ = try session.access
        let object = state.handleType(Element._objectType).newInstance()
        let element = Element._make(object)
        let handle = ReusableHandle(object, session, table)
        try forEachRow { key, row in
            try handle.point(to: key, row)
            try body(element)
        }
    }

    /// Calls `body` with the key and the row of each object, all in place while it runs.
    @inline(__always)
    func forEachRow(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws {
        if state.isEverything {
            return try state.session.scanInParts(state.table) { rows in
                for row in rows {
                    try body(
                        row.key, UnsafeRawBufferPointer(start: row.base, count: row.byteCount))
                }
            }
        }
        let selection = state.derived.isEmpty ? try state.selectedRows() : nil
        let held = state.session.snapshot
        if let selection, let held { return try selection.forEachRow(held, body) }
        let rows = try state.all()
        for row in rows { try body(row.key, row.bytes) }
        withExtendedLifetime(held) {}
    }
}

extension Results where Element: ObjectBase {
    /// Calls `body` with each object and the one that it links to, lending both handles: they must
    /// not be used after the call.
    ///
    /// ```swift
    /// try realm.objects(Person.self).forEachLending(following: \.friend) { person, friend in
    ///     ages += friend?.age ?? 0
    /// }
    /// ```
    /// Linked objects are looked up 16 at a time, so that their waits for memory overlap, and not
    /// again if they were found before: that takes up to 16 bytes for each, of at most 1,048,576.
    /// After a write in `body` they are followed one by one, as the realm shows them; an object
    /// that was deleted links to none.
    ///
    /// - Parameters:
    ///   - keyPath: a to-one link of the object itself.
    ///   - body: called with an object and what it links to, nil if nothing.
    /// - Throws: what `body` throws, and damage.
    public func forEachLending<Target: ObjectBase>(
        following keyPath: KeyPath<Element, Target?>, _ body: (Element, Target?) throws -> Void
    ) throws {
        state.takeTable()
        let (session, table) = (state.session, state.table)
        session.checkThread()
        let name = KeyPathTracer.requiredName(of: keyPath as PartialKeyPath)
        guard let slot = table.slot(named: name) else {
            misuse(
                "\(table.className) has no link '\(name)' to follow: name a to-one link of the "
                    + "object itself.")
        }
        func lendFollowed(_ element: Element) throws {
            let isThere =
                element.rowGeneration == session.generation.pointee.number
                || session.resolve(element)
            try body(element, isThere ? element[keyPath: keyPath] : nil)
        }
        let link = table.properties[slot]
        let isPlain =
            link.type == .object && link.target == ClassInfo.of(Target.self).storedName
            && !session.isWriting && state.derived.isEmpty && state.source == nil
            && !table.hasUnwrappedProperties
        let targetTable = isPlain ? session.table(of: Target.self) : nil
        guard let targetTable, !targetTable.hasUnwrappedProperties else {
            for element in self { try lendFollowed(element) }
            return
        }
        _ = try session.access
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        let element = Element.newInstance()
        let target = Target.newInstance()
        let join = try LinkJoin(session, (element, table), slot, (target, targetTable))
        func lend() throws {
            try join.lend { link in
                switch link {
                case .object: try body(element, target)
                case .none: try body(element, nil)
                case .changed: try lendFollowed(element)
                }
            }
        }
        do {
            try forEachRow { key, row in if try join.take(key, row) { try lend() } }
        } catch  where !join.isLending {
            // Damage among the rows: what is before it is lent.
            try lend()
            try lend()
            throw error
        }
        try lend()
        try lend()
    }
}
