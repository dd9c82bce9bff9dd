import TravertineStore

/// An object's row as it is stored; valid during the call that it is given to.
package struct StoredRow {
    /// The object's key.
    package let key: UInt64
    let bytes: UnsafeRawBufferPointer
    let binding: LayoutBinding
}

/// A collection of an object, or one inside a value of any type.
package struct StoredElements {
    let storage: CollectionStorage

    /// Whether the elements have keys.
    package var isMap: Bool { storage.run.collection == .map }

    /// Calls `body` with the elements in order, and their keys if it is a map.
    package func visit(_ body: (UnsafeRawBufferPointer, _RawValue) throws -> Void) throws {
        try storage.visitElements { element in
            try body(element.key, element.value)
            return true
        }
    }

    /// What an element that is a value of any type holds.
    package func mixed(_ bytes: UnsafeRawBufferPointer) -> StoredMixed {
        StoredMixed(bytes, at: storage)
    }
}

/// What a value of any type holds.
package enum StoredMixed {
    /// No value.
    case none
    /// A value of a type.
    case value(PropertyType, _RawValue)
    /// A link.
    case object(RowType, key: UInt64)
    /// A list or a dictionary.
    case elements(StoredElements)

    init(_ bytes: UnsafeRawBufferPointer, at place: CollectionStorage) {
        self = .none
        switch MixedCode.reference(in: bytes) {
        case .object(let type, let key):
            if let table = place.session.table(number: type) {
                self = .object(RowType(place.session, table), key: key)
            }
        case .collection(let kind, let number):
            let nested = place.nested(kind, number)
            guard let depth = nested.nesting?.depth, depth <= MixedCode.depthMax else { return }
            self = .elements(StoredElements(storage: nested))
        case nil:
            guard let tag = bytes.first, tag > 0, let type = PropertyType(rawValue: Int(tag) - 1)
            else { return }
            let payload = UnsafeRawBufferPointer(rebasing: bytes[1...])
            switch type.shape {
            case .word:
                guard payload.count == 8 else { return }
                let word = Int64(littleEndian: payload.loadUnaligned(as: Int64.self))
                self = .value(type, .word(word))
            case .fixed(let count):
                if payload.count == Int(count) { self = .value(type, .bytes(payload)) }
            case .variable: self = .value(type, .bytes(payload))
            }
        }
    }
}

extension RowType {
    /// Calls `body` with every object in key order; in a write transaction `body` must not change
    /// anything.
    package func forEachRow(_ body: (StoredRow) throws -> Void) throws {
        try session.scan(table) { key, row in
            try body(StoredRow(key: key, bytes: row, binding: try table.binding(of: row)))
            return true
        }
    }

    /// Calls `body` with each object of results of this type, in their order; with nil as
    /// `forEachRow(_:)` does.
    package func forEachRow(
        in results: Results<DynamicObject>?, _ body: (StoredRow) throws -> Void
    ) throws {
        guard let results else { return try forEachRow(body) }
        checkType(of: results)
        try results.forEachRow { key, row in
            try body(StoredRow(key: key, bytes: row, binding: try table.binding(of: row)))
        }
    }

    /// How many objects results of this type have.
    package func count(of results: Results<DynamicObject>) throws -> Int {
        checkType(of: results)
        return try results.state.count()
    }

    /// Stops for results of another type.
    private func checkType(of results: Results<DynamicObject>) {
        session.checkThread()
        results.state.takeTable()
        require(
            results.state.table.stored.number == table.stored.number,
            "The results are of '\(results.state.table.stored.name)', not '\(name)'.")
    }

    /// The object with a key, or nil if there is none.
    package func withRow<Result>(
        ofKey key: UInt64, _ body: (StoredRow) throws -> Result
    ) throws -> Result? {
        guard let row = try session.access.value(forKey: key, in: table.rows) else {
            return nil
        }
        return try body(StoredRow(key: key, bytes: row, binding: try table.binding(of: row)))
    }

    /// The value of a property that is no collection.
    package func value(_ slot: Int, of row: StoredRow) -> _RawValue {
        table.value(at: slot, in: row.bytes, row.binding)
    }

    /// What a property of any type holds.
    package func mixed(_ slot: Int, of row: StoredRow) -> StoredMixed {
        guard case .bytes(let bytes) = value(slot, of: row) else { return .none }
        return StoredMixed(bytes, at: CollectionStorage(session, table, row.key, slot))
    }

    /// A property that is a collection.
    package func elements(_ slot: Int, of row: StoredRow) -> StoredElements {
        StoredElements(storage: CollectionStorage(session, table, row.key, slot))
    }

    /// Calls `body` with the elements of a property, and their keys if it is a map.
    package func forEachElement(
        _ slot: Int, of row: StoredRow,
        _ body: (UnsafeRawBufferPointer, _RawValue) throws -> Void
    ) throws {
        guard case .bytes(let bytes) = value(slot, of: row), bytes.count > 0 else { return }
        guard bytes[0] == 0, bytes.count >= CollectionPiece.inlineHeaderByteCount else {
            return try elements(slot, of: row).visit(body)
        }
        let elements = UnsafeRawBufferPointer(
            rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
        let run = runs[slot]
        var offset = 0
        var count = 0
        while let element = run.element(at: offset, in: elements) {
            try body(element.key, element.value)
            offset = element.next
            count += 1
        }
        guard offset == elements.count, count == CollectionPiece(bytes).count else {
            throw CollectionTree.damage
        }
    }
}
