import TravertineStore

/// An object that has its key, and waits for the objects that it links to before it gets its row.
struct WaitingObject {
    fileprivate let object: ObjectBase
    fileprivate let tableReference: Unmanaged<TableState>
    fileprivate let key: UInt64
    fileprivate var exists: Bool
    /// How many rows adding had stored when the object got its key.
    fileprivate let insertionCount: UInt64
    /// Unmanaged objects that it links to, the next one last.
    fileprivate var targets: [ObjectBase]
    /// The embedded objects among them that were made of its values, by slot.
    fileprivate let embeddedForms: [Int: EmbeddedForms]?
    /// The primary key under which other instances find the object's key.
    fileprivate var announced: PendingKey?

    /// The object's table, which lives as long as the realm's session.
    fileprivate var table: TableState { tableReference.takeUnretainedValue() }
}

/// Adding an object with everything that it links to: targets first, so that links have keys to
/// store. The objects wait in an array and not on the call stack, so that a chain of links may be
/// of any length.
extension RealmSession {
    /// Adds an unmanaged object and the unmanaged ones that it leads to.
    func insert(
        _ object: ObjectBase, _ update: Realm.UpdatePolicy, _ transaction: WriteTransaction
    ) throws {
        var embedded = AddedEmbedded()
        let first = try begin(object, update, &embedded)
        if first.targets.isEmpty {
            do {
                try finish(first, update, transaction)
            } catch {
                giveUp(first)
                throw error
            }
            return keepOrLetGo(first)
        }
        var waiting = [first]
        // Their values stay with them until all are in: who could not be added can be added again.
        var finished: [WaitingObject] = []
        do {
            while var current = waiting.popLast() {
                guard let target = current.targets.popLast() else {
                    waiting.append(current)
                    try finish(current, update, transaction)
                    finished.append(current)
                    waiting.removeLast()
                    continue
                }
                if target.session == nil, current.announced == nil { announce(&current) }
                waiting.append(current)
                if try isToBeAdded(target) { waiting.append(try begin(target, update, &embedded)) }
            }
        } catch {
            for object in waiting.reversed() { giveUp(object) }
            for object in finished.reversed() { object.object.unbind() }
            throw error
        }
        for object in finished { keepOrLetGo(object) }
    }

    /// Whether a linked object is unmanaged; stops for one that can't be linked to.
    private func isToBeAdded(_ target: ObjectBase) throws -> Bool {
        if target.session === self {
            checkIsFree(target)
            checkIsHere(target)
            return false
        }
        checkCanBeAdded(target)
        return true
    }

    /// Gives an object its key.
    private func begin(
        _ object: ObjectBase, _ update: Realm.UpdatePolicy, _ embedded: inout AddedEmbedded
    ) throws -> WaitingObject {
        let table = tableReference(of: type(of: object))
        if let failure { throw failure }
        return try table._withUnsafeGuaranteedRef {
            try begin(object, $0, $0.info, update, &embedded)
        }
    }

    private func begin(
        _ object: ObjectBase, _ table: TableState, _ info: ClassInfo,
        _ update: Realm.UpdatePolicy, _ embedded: inout AddedEmbedded
    ) throws -> WaitingObject {
        let memory = object._memory
        var key: UInt64 = 0
        var exists = false
        if let slot = info.primaryKeySlot, table.hasIntegerKeys,
            info.wrappers[slot].encoding == .int
        {
            let wrapper = (memory + info.wrappers[slot].offset)
                .assumingMemoryBound(to: Persisted<Int>.self)
            key = StoredObjectType.objectKey(
                ofPrimaryKey: Int64(wrapper.pointee.storage ?? 0))
            exists = try hasRow(key, in: table)
            if exists, update == .error { throw duplicateKey(object, info.properties[slot]) }
        } else if let slot = info.primaryKeySlot {
            let property = info.wrappers[slot]
            var result: Result<UInt64?, any Error> = .success(nil)
            var integer: UInt64?
            var pending: UInt64?
            property.valueType._withDefault(memory + property.offset) { raw in
                if case .word(let word) = raw {
                    integer = StoredObjectType.objectKey(ofPrimaryKey: word)
                }
                result = Result { try self.key(forPrimaryKey: raw, in: table) }
                if !insertion.pendingKeys.isEmpty {
                    pending = insertion.pendingKeys[PendingKey(table.stored.number, raw)]
                }
            }
            let stored = try result.get()
            if let found = stored ?? pending {
                guard update != .error else { throw duplicateKey(object, info.properties[slot]) }
                key = found
                exists = stored != nil
            } else if table.stored.keyKind == .integerPrimaryKey {
                key = integer ?? 0
            } else {
                key = try nextKey(table)
            }
        } else if let replaced = embedded.takeReplaced(by: object, in: table) {
            key = replaced
            exists = true
        } else {
            key = try nextKey(table)
        }
        if exists {
            try copyStoredCollections(in: object, info)
            if update == .modified { try embedded.noteReplaced(by: object, key, table, self) }
        }
        object.bind(to: self, table, key: key)
        object.rowGeneration = ObjectBase.beingAdded
        var targets = unmanagedTargets(of: object, info)
        var embeddedForms: [Int: EmbeddedForms]?
        if !info.embeddedFormSlots.isEmpty {
            embeddedForms = makeEmbeddedForms(of: object, info, &targets, &embedded.claimed)
            // Making them may have found a value that they can't have.
            if let failure {
                object.unbind()
                throw failure
            }
        }
        return WaitingObject(
            object: object, tableReference: Unmanaged.passUnretained(table), key: key,
            exists: exists, insertionCount: insertion.rowCount, targets: targets,
            embeddedForms: embeddedForms)
    }

    /// Makes the embedded objects that an object's values are stored as, once: they are targets
    /// that wait for their rows, and the object's row links to the same ones.
    private func makeEmbeddedForms(
        of object: ObjectBase, _ info: ClassInfo, _ targets: inout [ObjectBase],
        _ claimed: inout ClaimedEmbeddedObjects
    ) -> [Int: EmbeddedForms] {
        var made: [Int: EmbeddedForms] = [:]
        for slot in info.embeddedFormSlots {
            let property = info.wrappers[slot]
            made[slot] = property.valueType._makeEmbeddedForms(object._memory + property.offset)
                .map { EmbeddedForms($0) }
            made[slot]?.separate(from: &claimed)
            targets += made[slot]?.objects.reversed().compactMap(\.self) ?? []
        }
        return made
    }

    /// Lets values of any type have copies of the stored collections in them: these may belong to
    /// the object that is about to be replaced.
    private func copyStoredCollections(in object: ObjectBase, _ info: ClassInfo) throws {
        for slot in info.pieceSlots where info.properties[slot].type.type == .any {
            let property = info.properties[slot]
            guard let value = AnyRealmValue(any: property.valueType._any(object, property.offset)),
                let copy = try value.copyingStoredCollections(isForStoring: true)
            else { continue }
            _ = property.valueType._assign(any: copy, to: object, at: property.offset)
        }
    }

    /// The unmanaged objects that an object links to, the first one last.
    private func unmanagedTargets(of object: ObjectBase, _ info: ClassInfo) -> [ObjectBase] {
        var targets: [ObjectBase] = []
        for place in info.referenceSlots.indices {
            let slot = info.referenceSlots[place]
            let property = info.wrappers[slot]
            // A value of any type refuses embedded objects when it is stored.
            let isMixed = info.properties[slot].type.type == .any
            property.valueType._forEachLinked(object._memory + property.offset) { target in
                if target.session === self {
                    if !isMixed { checkIsFree(target) }
                    checkIsHere(target)
                } else {
                    targets.append(target)
                }
            }
        }
        if targets.count > 1 { targets.reverse() }
        return targets
    }

    /// Stores the row of an object whose targets are all there.
    private func finish(
        _ waiting: WaitingObject, _ update: Realm.UpdatePolicy, _ transaction: WriteTransaction
    ) throws {
        try waiting.tableReference._withUnsafeGuaranteedRef {
            try finish(waiting, $0, $0.info, update, transaction)
        }
    }

    private func finish(
        _ waiting: WaitingObject, _ table: TableState, _ info: ClassInfo,
        _ update: Realm.UpdatePolicy, _ transaction: WriteTransaction
    ) throws {
        let object = waiting.object
        if let announced = waiting.announced { insertion.pendingKeys[announced] = nil }
        var exists = waiting.exists
        if let slot = info.primaryKeySlot, !exists, insertion.rowCount != waiting.insertionCount,
            try access.contains(waiting.key, in: table.rows)
        {
            // Another instance with the same primary key is in the graph: it has its row by now.
            guard update != .error else { throw duplicateKey(object, info.properties[slot]) }
            exists = true
        }
        insertion.rowCount &+= 1
        if let links = waiting.embeddedForms { insertion.embeddedForms = links }
        defer { if insertion.embeddedForms != nil { insertion.embeddedForms = nil } }
        try store(object, table, waiting.key, exists: exists, transaction)
        object.rowGeneration = 0
        advance()
    }

    /// Runs a part of the transaction that adds objects and may refuse them later than adding does:
    /// they keep their values to its end, and are unmanaged again if it throws.
    func keepingAddedValues(_ body: () throws -> Void) rethrows {
        let first = insertion.keptObjects.count
        insertion.keepingDepth += 1
        defer {
            insertion.keepingDepth -= 1
            insertion.keptObjects.removeSubrange(first...)
        }
        do {
            try body()
        } catch {
            for kept in insertion.keptObjects[first...].reversed() { kept.object.unbind() }
            throw error
        }
        for kept in insertion.keptObjects[first...] { becameManaged(kept) }
    }

    private func keepOrLetGo(_ waiting: WaitingObject) {
        if insertion.keepingDepth > 0 {
            insertion.keptObjects.append(waiting)
        } else {
            becameManaged(waiting)
        }
    }

    /// Lets go of the values of an object: from now on they are read from its row.
    private func becameManaged(_ waiting: WaitingObject) {
        waiting.tableReference._withUnsafeGuaranteedRef { table in
            becameManaged(waiting.object, table, table.info)
        }
    }

    private func becameManaged(_ object: ObjectBase, _ table: TableState, _ info: ClassInfo) {
        for place in info.referenceSlots.indices {
            let property = info.wrappers[info.referenceSlots[place]]
            property.valueType._becameManaged(
                object._memory + property.offset, of: object, at: property.offset)
        }
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
    }

    /// Makes an object unmanaged again whose graph could not be added.
    private func giveUp(_ waiting: WaitingObject) {
        if let announced = waiting.announced { insertion.pendingKeys[announced] = nil }
        waiting.object.unbind()
    }

    /// Lets other instances with an object's primary key, which what it links to may lead to, have
    /// its key before it has a row; nothing to do if they find it anyway.
    private func announce(_ waiting: inout WaitingObject) {
        let (info, table) = (waiting.table.info, waiting.table)
        guard let slot = info.primaryKeySlot, table.stored.keyKind != .integerPrimaryKey else {
            return
        }
        var pending: PendingKey?
        let property = info.properties[slot]
        property.valueType._withDefault(waiting.object._memory + property.offset) {
            pending = PendingKey(table.stored.number, $0)
        }
        guard let pending, insertion.pendingKeys[pending] == nil else { return }
        insertion.pendingKeys[pending] = waiting.key
        waiting.announced = pending
    }
}
