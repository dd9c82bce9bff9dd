import TravertineStore

/// Links are set whose targets have come.
extension LinkResolver {
    /// Sets a link, unless its object is gone or links to something else by now.
    ///
    /// - Parameter waitingCount: how many links of the same list come before it and still wait.
    func resolve(
        _ link: UnresolvedLink, _ target: UInt64,
        _ waitingCount: (UnresolvedLink) throws -> Int
    ) throws -> Bool {
        try session.remove(link)
        guard let type = type(link.source),
            let slot = type.fields.firstIndex(where: { $0.name == link.property }),
            type.fields[slot].type == .any || type.fields[slot].target == link.target,
            try type.withRow(ofKey: link.sourceKey, { _ in true }) == true
        else { return false }
        let field = type.fields[slot]
        if field.type == .any {
            guard let source = self.type(link.target) else { return false }
            if !field.isVarying { return try setMixed(type, slot, link, source, target) }
            guard type.admits(source, at: slot) else { return false }
            if field.collection == .none {
                return try setVarying(type, slot, link, source, target)
            }
            return try Self.withName(of: source, target) {
                try insert($0, type, slot, link, waitingCount)
            }
        }
        let word = _RawValue.word(Int64(bitPattern: target))
        if field.collection == .none { return try setSingle(word, type, slot, link.sourceKey) }
        return try insert(word, type, slot, link, waitingCount)
    }

    /// Calls `body` with the value that links to an object where values name the types of their
    /// objects.
    private static func withName<Result>(
        of type: RowType, _ key: UInt64, _ body: (_RawValue) throws -> Result
    ) rethrows -> Result {
        try MixedCode.encode(objectOfType: type.table.stored.number, key: key)
            .withUnsafeBytes { try body(.bytes($0)) }
    }

    /// Puts a link into the collection that it is missing in.
    private func insert(
        _ value: _RawValue, _ type: RowType, _ slot: Int, _ link: UnresolvedLink,
        _ waitingCount: (UnresolvedLink) throws -> Int
    ) throws -> Bool {
        let place = CollectionStorage(session, type.table, link.sourceKey, slot)
        switch type.fields[slot].collection {
        case .none: return false
        case .list:
            let position = min(
                max(0, Int(link.position) - (try waitingCount(link))), try place.count())
            var batch = ElementBatch(count: 1)
            type.runs[slot].append(value, to: &batch.bytes)
            try place.replace(position..<position, with: batch)
        case .set: _ = try place.put(RunElement(value: value))
        case .map:
            try link.mapKey.withUnsafeBytes {
                _ = try place.put(RunElement(key: $0, value: value))
            }
        }
        return true
    }

    private func setSingle(
        _ word: _RawValue, _ type: RowType, _ slot: Int, _ key: UInt64
    ) throws -> Bool {
        guard let object = session.dynamicObject(key, in: type.table) else { return false }
        let row = try session.row(of: object)
        let current = type.table.value(at: slot, in: row, try type.table.binding(of: row))
        guard case .null = current else { return false }
        session.set(object, slot: slot, to: word)
        if let failure = session.failure { throw failure }
        return true
    }

    /// Sets a link that names the type of its object.
    private func setVarying(
        _ type: RowType, _ slot: Int, _ link: UnresolvedLink, _ target: RowType, _ key: UInt64
    ) throws -> Bool {
        guard let object = session.dynamicObject(link.sourceKey, in: type.table),
            let found = target.object(ofKey: key)
        else { return false }
        let row = try session.row(of: object)
        let current = type.table.value(at: slot, in: row, try type.table.binding(of: row))
        guard case .bytes(let bytes) = current, bytes.isEmpty else { return false }
        try session.setThrowing(object, slot: slot, toAny: found)
        if let failure = session.failure { throw failure }
        return true
    }

    // MARK: Values of any type

    /// Puts a link in place of the dictionary that stands for it, or into the set that it is
    /// missing in.
    private func setMixed(
        _ type: RowType, _ slot: Int, _ link: UnresolvedLink, _ target: RowType, _ key: UInt64
    ) throws -> Bool {
        let place = CollectionStorage(session, type.table, link.sourceKey, slot)
        let field = type.fields[slot]
        if field.collection == .set {
            return try Self.withName(of: target, key) { try place.put(RunElement(value: $0)) }
        }
        guard let last = link.path.last else {
            return try field.collection == .none && setRoot(type, slot, link, target, key)
        }
        guard let nested = try collection(at: link.path.dropLast(), in: place),
            let found = try nested.element(at: last),
            try nested.holdsReference(found.value, of: link)
        else { return false }
        var batch = ElementBatch(count: 1)
        Self.withName(of: target, key) { value in
            if case .key(let key) = last {
                key.withUnsafeBytes { nested.run.append(key: $0, value, to: &batch.bytes) }
            } else {
                nested.run.append(value, to: &batch.bytes)
            }
        }
        try nested.replace(found.position..<found.position + 1, with: batch)
        return true
    }

    /// Puts a link in place of the dictionary that a property holds.
    private func setRoot(
        _ type: RowType, _ slot: Int, _ link: UnresolvedLink, _ target: RowType, _ key: UInt64
    ) throws -> Bool {
        guard let object = session.dynamicObject(link.sourceKey, in: type.table),
            let found = session.dynamicObject(key, in: target.table)
        else { return false }
        let place = CollectionStorage(session, type.table, link.sourceKey, slot)
        let row = try session.row(of: object)
        let current = type.table.value(at: slot, in: row, try type.table.binding(of: row))
        guard case .bytes(let bytes) = current,
            try place.holdsReference(Array(bytes), of: link)
        else { return false }
        try session.setThrowing(object, slot: slot, toAny: AnyRealmValue.object(found))
        if let failure = session.failure { throw failure }
        return true
    }

    /// The collection that a path leads to; nil if something else stands there by now.
    private func collection(
        at path: ArraySlice<MixedStep>, in root: CollectionStorage
    ) throws -> CollectionStorage? {
        var place = root
        if root.property.collection == .none {
            guard let inner = try root.withPiece({ try root.collection(in: Array($0)) })
            else { return nil }
            place = inner
        }
        for step in path {
            guard let found = try place.element(at: step),
                let inner = try place.collection(in: found.value)
            else { return nil }
            place = inner
        }
        return place
    }
}

extension CollectionStorage {
    /// An element of a collection of values of any type, with its position; nil if there is none.
    fileprivate func element(at step: MixedStep) throws -> (position: Int, value: [UInt8])? {
        var value: [UInt8]?
        switch step {
        case .position(let position):
            guard run.collection == .list, position < (try count()) else { return nil }
            try visitElements(from: position) { element in
                if case .bytes(let bytes) = element.value { value = Array(bytes) }
                return false
            }
            return value.map { (position, $0) }
        case .key(let key):
            guard run.collection == .map else { return nil }
            let found = try key.withUnsafeBytes { key in
                try position(of: RunElement(key: key, value: .null)) { element in
                    if case .bytes(let bytes) = element.value { value = Array(bytes) }
                }
            }
            return found.isFound ? value.map { (found.index, $0) } : nil
        }
    }

    /// The list or dictionary that a value at this place is.
    fileprivate func collection(in value: [UInt8]) throws -> CollectionStorage? {
        let reference = value.withUnsafeBytes { MixedCode.reference(in: $0) }
        guard case .collection(let kind, let number)? = reference else { return nil }
        let inner = nested(kind, number)
        guard let depth = inner.nesting?.depth, depth <= MixedCode.depthMax,
            try inner.isPresent()
        else { return nil }
        return inner
    }

    /// Whether a value at this place is the dictionary that stands for a link.
    fileprivate func holdsReference(_ value: [UInt8], of link: UnresolvedLink) throws -> Bool {
        guard let dictionary = try collection(in: value), dictionary.run.collection == .map,
            let type = try dictionary.element(at: .key(Array("$ref".utf8)))?.value,
            let key = try dictionary.element(at: .key(Array("$id".utf8)))?.value
        else { return false }
        return type == [MixedCode.tag(.string)] + link.target.utf8 && link.hasTargetKey(key)
    }
}

extension UnresolvedLink {
    /// Whether a stored value of any type is the target's primary key.
    fileprivate func hasTargetKey(_ value: [UInt8]) -> Bool {
        let isWord = value.first == MixedCode.tag(.int)
        let stored = value.dropFirst()
        return withTargetKey { raw in
            switch raw {
            case .null: false
            case .word(let word):
                isWord && withUnsafeBytes(of: word.littleEndian) { stored.elementsEqual($0) }
            case .bytes(let bytes): !isWord && !value.isEmpty && stored.elementsEqual(bytes)
            }
        }
    }
}
