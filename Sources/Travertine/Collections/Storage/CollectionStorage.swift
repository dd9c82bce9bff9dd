import TravertineStore

/// The stored elements of one collection property of one object.
///
/// Public because `RealmCollectionValue` has it in its requirements; its members are not.
///
/// Up to `CollectionPiece.inlineByteCountMax` bytes of elements are stored in the row; more go into
/// a `CollectionTree`, and stay there until the collection is emptied.
///
/// A list or dictionary inside a value of any type has its piece in a separate record, node 0.
public struct _CollectionStorage {
    let session: RealmSession
    let table: TableState
    let key: UInt64
    let slot: Int
    /// The collection inside a value of any type; nil for the property itself.
    var nesting: Nesting?
    /// How often the realm had been invalidated when the collection was taken from it.
    private let invalidationCount: UInt32

    init(_ session: RealmSession, _ table: TableState, _ key: UInt64, _ slot: Int) {
        self.session = session
        self.table = table
        self.key = key
        self.slot = slot
        invalidationCount = session.counts.invalidationCount
    }

    /// The collection of a managed object, which is invalidated with it.
    init(_ session: RealmSession, of object: ObjectBase, _ slot: Int) {
        self.session = session
        table = object.table
        key = object.key
        self.slot = slot
        invalidationCount = object.invalidationCount
    }

    /// The same for the calling thread: of a frozen object that belongs to another thread it is
    /// that of the thread's own session. Checks the thread of a live one.
    @inline(__always)
    var here: CollectionStorage { session.isHere ? self : elsewhere }

    @inline(never)
    private var elsewhere: CollectionStorage { shown(in: session.here) ?? self }

    /// The same in another session of the store; nil for a type that it does not have.
    func shown(in session: RealmSession) -> CollectionStorage? {
        if session === self.session { return self }
        guard let table = session.table(matching: table), !table.isGone,
            let slot = table.slot(ofProperty: property.number)
        else { return nil }
        var shown = CollectionStorage(session, table, key, slot)
        shown.nesting = nesting
        return shown
    }

    var property: StoredProperty { table.properties[slot] }
    var run: ElementRun {
        ElementRun(nesting.map { _StoredType(.any, collection: $0.kind) } ?? property.storedType)
    }
    var owner: CollectionOwner {
        CollectionOwner(
            keyspace: table.stored.pieces, object: key, property: property.number,
            nested: nesting?.number ?? 0)
    }

    /// Whether the object, or the collection inside a value, is there.
    func isPresent() throws -> Bool {
        if session.counts.invalidationCount != invalidationCount { return false }
        try session.flushAppends()
        if nesting != nil { return try session.unstored.nodes.contains(0, of: owner, session) }
        return try session.access.value(forKey: key, in: table.stored.rows) != nil
    }

    // MARK: Reading

    /// Calls `body` with the piece in the row.
    func withPiece<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        session.noteVisit(.row)
        try session.flushAppends()
        if nesting != nil {
            guard try isPresent() else { stopForDeleted() }
            return try session.unstored.nodes.withNode(0, of: owner, session, body)
        }
        guard session.counts.invalidationCount == invalidationCount,
            let row = try session.access.value(forKey: key, in: table.stored.rows)
        else { stopForDeleted() }
        let value = table.value(at: slot, in: row, try table.binding(of: row))
        guard case .bytes(let bytes) = value else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try body(bytes)
    }

    private func stopForDeleted() -> Never {
        misuse(
            "Object has been deleted or invalidated: its collection \(table.className)."
                + "\(property.name) was used after it was deleted, or after the realm was invalidated."
                + (nesting == nil
                    ? ""
                    : " A list or dictionary in a value goes when the value is set: change places in "
                        + "a list with `move` or `swapAt`.")
        )
    }

    func count() throws -> Int {
        if let buffer = session.unstored.appends, buffer.owner == owner {
            return buffer.endCount
        }
        return try withPiece { try checkedPiece($0).count }
    }

    /// The piece, of which the count of inline elements fits their bytes.
    func checkedPiece(_ bytes: UnsafeRawBufferPointer) throws -> CollectionPiece {
        let piece = CollectionPiece(bytes)
        if case .inline(let count) = piece, count > 0 {
            let elements = UnsafeRawBufferPointer(
                rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
            guard run.holds(count, in: elements) else { throw CollectionTree.damage }
        }
        return piece
    }

    /// Calls `body` with the values from a position on until it returns false.
    func visit(from start: Int = 0, _ body: (_RawValue) throws -> Bool) throws {
        try visitElements(from: start) { try body($0.value) }
    }

    /// Calls `body` with the elements from a position on until it returns false.
    ///
    /// - Parameter mayChange: whether `body` changes something: a row may lie in a buffer that is
    ///   written and used again.
    func visitElements(
        from start: Int = 0, mayChange: Bool = false, _ body: (RunElement) throws -> Bool
    ) throws {
        let piece = try withPiece { bytes in
            let piece = CollectionPiece(bytes)
            if case .inline(let count) = piece, start < count {
                if mayChange {
                    try Array(bytes).withUnsafeBytes { try visitInline($0, from: start, body) }
                } else {
                    try visitInline(bytes, from: start, body)
                }
            }
            return piece
        }
        try CollectionTree(session, owner, run, piece)?.forEach(from: start, body)
    }

    /// The element at a position in its stored form.
    func batch(at position: Int) throws -> ElementBatch {
        var batch = ElementBatch()
        try element(at: position) { element in
            if run.collection == .map {
                run.append(key: element.key, element.value, to: &batch.bytes)
            } else {
                run.append(element.value, to: &batch.bytes)
            }
            batch.count = 1
        }
        return batch
    }

    func visitInline(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ body: (RunElement) throws -> Bool
    ) throws {
        let elements = UnsafeRawBufferPointer(
            rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
        var offset = run.offset(of: start, in: elements)
        while let element = run.element(at: offset, in: elements) {
            if try !body(element) { return }
            offset = element.next
        }
    }

    // MARK: Changing

    /// Replaces the elements of a range by others; those of a move are counted and owned already.
    func replace(_ range: Range<Int>, with batch: ElementBatch, isMove: Bool = false) throws {
        let (piece, elements) = try withPiece { bytes in
            let piece = try checkedPiece(bytes)
            guard case .inline(let count) = piece, count > 0 else { return (piece, [UInt8]()) }
            return (piece, Array(bytes[CollectionPiece.inlineHeaderByteCount...]))
        }
        if !isMove { try removeBacklinks(range) }
        let point = try indexedPoint(piece)
        if range.count == 1, var tree = CollectionTree(session, owner, run, piece),
            try tree.replace(at: range.lowerBound, with: batch)
        {
            // The row and the nodes above know counts only, which stay.
            if !isMove { try addBacklinks(batch) }
            if let point { try session.move(point) }
            session.advance()
            return
        }
        let changed: [UInt8]
        if var tree = CollectionTree(session, owner, run, piece) {
            try tree.remove(range)
            try tree.insert(batch, at: range.lowerBound)
            changed = tree.piece.encoded(elements: [])
        } else {
            changed = try replaceInline(elements, count: piece.count, range, batch)
        }
        if nesting != nil {
            try session.unstored.nodes.put(changed, 0, of: owner, session)
        } else {
            try changed.withUnsafeBytes {
                try session.rowWriter(table, session.requireTransaction()).patch(
                    .bytes($0), at: slot, ofKey: key)
            }
        }
        if !isMove { try addBacklinks(batch) }
        if let point { try session.move(point) }
        session.advance()
    }

    /// The object's point, if indexes have it and its coordinates are in nodes, whose changes no
    /// change of the row shows.
    private func indexedPoint(_ piece: CollectionPiece) throws -> IndexedPoint? {
        guard case .tree = piece, table.rules.isPoint else { return nil }
        return try session.indexedPoint(key, in: table)
    }

    private func replaceInline(
        _ elements: [UInt8], count: Int, _ range: Range<Int>, _ batch: ElementBatch
    ) throws -> [UInt8] {
        var elements = elements
        let bounds = elements.withUnsafeBytes { buffer in
            run.offset(
                of: range.lowerBound, in: buffer)..<run.offset(
                    of: range.upperBound, in: buffer)
        }
        elements.replaceSubrange(bounds, with: batch.bytes)
        return try piece(ElementBatch(bytes: elements, count: count - range.count + batch.count))
    }

    /// The piece for a new collection: inline, or a tree that is made now.
    func piece(_ batch: ElementBatch) throws -> [UInt8] {
        if batch.bytes.count <= CollectionPiece.inlineByteCountMax {
            return CollectionPiece.inline(count: batch.count).encoded(elements: batch.bytes)
        }
        var tree = CollectionTree(session, owner, run)
        try tree.insert(batch, at: 0)
        return tree.piece.encoded(elements: [])
    }

    /// Removes every element; the row is left alone if it is about to be replaced.
    func removeAll(updatingRow: Bool) throws {
        let count = try count()
        if updatingRow {
            try replace(0..<count, with: ElementBatch())
            return
        }
        try removeBacklinks(0..<count)
        let piece = try withPiece { CollectionPiece($0) }
        if var tree = CollectionTree(session, owner, run, piece) { try tree.remove(0..<count) }
    }
}

typealias CollectionStorage = _CollectionStorage
