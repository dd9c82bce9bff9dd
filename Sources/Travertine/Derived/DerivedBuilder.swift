import TravertineStore

/// Fills derived keyspaces of a type from its rows: new indexes, and those that were lost (P16).
///
/// Where the entries go is a transaction, or what compares them with those that are there.
struct DerivedBuilder<Target: DerivedTarget> {
    let transaction: Target
    let type: StoredObjectType
    let schemaKeyspace: UInt32
    private var bindings: [UInt16: LayoutBinding] = [:]
    private let defaults: StoredDefaults
    private var entry = IndexKey()
    /// The nodes of the property's value that were gone through, after the number of the nested
    /// collection that they belong to: in a sound store each of them comes once.
    private var visited: Set<UInt64> = []
    /// Objects whose values an entry of a unique index has in part.
    private var cutValues = CutValues()
    /// Told how far the building is.
    var progress: (@Sendable (IndexBuildProgress) -> Void)?

    init(transaction: Target, type: StoredObjectType, schemaKeyspace: UInt32) {
        self.transaction = transaction
        self.type = type
        defaults = StoredDefaults(type.properties)
        self.schemaKeyspace = schemaKeyspace
    }

    /// Empties the keyspaces and fills them again.
    ///
    /// - Throws: `Realm.Error` with `.duplicatePrimaryKey` when two rows have one primary key.
    mutating func build(_ keyspaces: Set<UInt32>) throws {
        for keyspace in keyspaces { try transaction.indexReset(keyspace) }
        let indexes = type.indexes.filter { keyspaces.contains($0.keyspace) }.compactMap {
            TableIndex($0, type.properties)
        }
        let totalCount = transaction.access.count(in: type.rows)
        var completedCount = 0
        let slots = type.properties.map { TableSlot($0) }
        var last: [UInt8]?
        while let (key, row) = try nextRow(after: last) {
            last = key
            let number = key.withUnsafeBytes { objectKey(in: $0) }
            try row.withUnsafeBytes { row in
                guard row.count >= 2 else { throw Realm.Error.damagedSchema }
                let layout = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
                let binding = try binding(layout, slots)
                guard row.count >= Int(binding.layout.fixedByteCount) else {
                    throw Realm.Error.damagedSchema
                }
                for (slot, property) in type.properties.enumerated() {
                    try enter(property, number, row, binding, slot, keyspaces)
                }
                try enter(number, row, binding, indexes, slots)
            }
            completedCount += 1
            if completedCount % Self.rowsBetweenReports == 0 {
                report(completedCount, of: totalCount)
            }
        }
        report(completedCount, of: totalCount)
    }

    private static var rowsBetweenReports: Int { 1024 }

    private func report(_ completedCount: Int, of totalCount: Int) {
        progress?(
            IndexBuildProgress(
                typeName: type.name, completedCount: completedCount, totalCount: totalCount))
    }

    // MARK: Indexes over several properties, unique ones, and those of words

    private mutating func enter(
        _ key: UInt64, _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding,
        _ indexes: [TableIndex], _ slots: [TableSlot]
    ) throws {
        for index in indexes {
            var entries: [IndexEntry] = []
            index.addEntries(of: key, to: &entries) { value(at: $0, in: row, binding) }
            for entry in entries {
                var isTaken = false
                if case .compared(let count, let values) = entry.uniqueness {
                    let place = UniqueChecks.Place(
                        keyspace: entry.keyspace, key: Array(entry.key.prefix(count)))
                    isTaken = try isAlike(place, values, to: key, index, slots)
                    cutValues.insert(key, hash: index.hash(values), at: place)
                }
                let old = try entry.key.withBytes { (bytes) throws(StoreError) in
                    try transaction.indexPut(bytes, value: entry.value, in: entry.keyspace)
                }
                if entry.uniqueness == .byKey, let old, old != key { isTaken = true }
                if isTaken { throw index.violation(type.name, type.properties) }
            }
        }
    }

    /// Whether an object other than the one with a key has the same values, of which an entry has
    /// a part.
    private mutating func isAlike(
        _ place: UniqueChecks.Place, _ values: [StoredDefault], to key: UInt64,
        _ index: TableIndex, _ slots: [TableSlot]
    ) throws -> Bool {
        // Apart from this value, which reading rows changes as well.
        var known = cutValues
        cutValues = CutValues()
        defer { cutValues = known }
        return try known.contain(
            at: place, hash: index.hash(values),
            entries: { try place.objects(transaction.access) },
            hashOf: { other in
                try withValues(of: other, slots) { value in
                    index.hash(index.slots.map { StoredDefault(value($0)) })
                }
            },
            hasSame: { other in
                guard other != key else { return false }
                return try withValues(of: other, slots) { index.hasSame(values, $0) } ?? false
            })
    }

    /// Calls `body` with the values of an object by slot; nil if there is no such object.
    private mutating func withValues<Result>(
        of key: UInt64, _ slots: [TableSlot], _ body: ((Int) -> _RawValue) -> Result
    ) throws -> Result? {
        guard let row = try transaction.access.value(forKey: key, in: type.rows), row.count >= 2
        else { return nil }
        let number = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
        let binding = try binding(number, slots)
        guard row.count >= Int(binding.layout.fixedByteCount) else {
            throw Realm.Error.damagedSchema
        }
        return body { value(at: $0, in: row, binding) }
    }

    /// A property's value in a row, as a table of the type reads it.
    func value(
        at slot: Int, in row: UnsafeRawBufferPointer, _ binding: LayoutBinding
    ) -> _RawValue {
        guard let raw = binding.value(at: slot, in: row) else { return defaults[slot] }
        if case .null = raw, !type.properties[slot].isOptional { return defaults[slot] }
        return raw
    }

    func nextRow(after last: [UInt8]?) throws -> ([UInt8], [UInt8])? {
        var cursor = transaction.access.cursor(in: type.rows)
        let isValid: Bool
        if let last {
            isValid = try (last + [0]).withBytes { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
        } else {
            isValid = try cursor.seekToFirst()
        }
        guard isValid else { return nil }
        return (cursor.withKey { Array($0) }, Array(try cursor.value(verified: true)))
    }

    mutating func binding(_ number: UInt16, _ slots: [TableSlot]) throws -> LayoutBinding {
        if let binding = bindings[number] { return binding }
        guard
            let layout = try StoredSchema.loadLayout(
                transaction.access, keyspace: schemaKeyspace, type: type.number, number: number)
        else { throw Realm.Error.damagedSchema }
        let binding = LayoutBinding(layout, slots: slots)
        bindings[number] = binding
        return binding
    }

    private mutating func enter(
        _ property: StoredProperty, _ key: UInt64, _ row: UnsafeRawBufferPointer,
        _ binding: LayoutBinding, _ slot: Int, _ keyspaces: Set<UInt32>
    ) throws {
        let isKey = property.isPrimaryKey && keyspaces.contains(type.keyIndex)
        let isIndexed = keyspaces.contains(property.index)
        let isLink = keyspaces.contains(property.backlinks)
        guard isKey || isIndexed || isLink else { return }
        let raw = value(at: slot, in: row, binding)
        if isIndexed {
            entry.set(raw, type: property.type)
            entry.append(key)
            _ = try put(key, type: property.index)
        }
        if isKey {
            entry.set(raw, type: property.type)
            if entry.isCut { entry.append(key) }
            if let other = try put(key, type: type.keyIndex) {
                throw try duplicate(of: property, slot, [key, other])
            }
        }
        if isLink { try enterLinks(raw, property, key) }
    }

    /// What is wrong where two objects have one primary key: it may be theirs, or be what objects get
    /// that have no value of the property.
    private mutating func duplicate(
        of property: StoredProperty, _ slot: Int, _ keys: [UInt64]
    ) throws -> Realm.Error {
        let slots = type.properties.map { TableSlot($0) }
        var missingCount = 0
        var isMissing = false
        var last: [UInt8]?
        while let (key, row) = try nextRow(after: last) {
            last = key
            let hasValue = try row.withUnsafeBytes { row in
                guard row.count >= 2 else { throw Realm.Error.damagedSchema }
                let layout = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
                let raw = try binding(layout, slots).value(at: slot, in: row)
                guard case .null? = raw else { return raw != nil }
                return property.isOptional
            }
            if hasValue { continue }
            missingCount += 1
            isMissing = isMissing || keys.contains(key.withUnsafeBytes { objectKey(in: $0) })
        }
        let path = "'\(type.name).\(property.name)'"
        if !isMissing {
            return Realm.Error(
                .duplicatePrimaryKey,
                "Primary key property \(path) has duplicate values. "
                    + "Delete or change all but one of them first.")
        }
        return Realm.Error(
            .schemaMismatch,
            "The classes don't fit the stored schema:\n- Objects that have no value of the primary "
                + "key \(path) (\(missingCount) of them) would get one that another object has. Add "
                + "the property without the primary key, give each object a value, and make it the "
                + "primary key under a later version.")
    }

    private mutating func enterLinks(
        _ raw: _RawValue, _ property: StoredProperty, _ key: UInt64
    ) throws {
        if case .word(let target) = raw {
            try count(UInt64(bitPattern: target), key, property.backlinks)
        }
        guard case .bytes(let bytes) = raw else { return }
        if !visited.isEmpty { visited.removeAll() }
        let owner = CollectionOwner(
            keyspace: type.pieces, object: key, property: property.number)
        if property.collection != .none {
            try enterPiece(bytes, ElementRun(property.storedType), owner, property, key)
        } else if property.type == .any {
            try enterMixed(bytes, owner, property, key, depth: 0)
        }
    }

    /// Counts the links of a value of any type, those of the collections in it included.
    private mutating func enterMixed(
        _ bytes: UnsafeRawBufferPointer, _ owner: CollectionOwner, _ property: StoredProperty,
        _ key: UInt64, depth: Int
    ) throws {
        switch MixedCode.reference(in: bytes) {
        case .object(let type, let target):
            try count(target, key, property.backlinks, targetType: type)
        case .collection(let kind, let number):
            guard depth < MixedCode.depthMax else { throw Realm.Error.damagedSchema }
            var nested = owner
            nested.nested = number
            let piece = try node(0, nested)
            let run = ElementRun(_StoredType(.any, collection: kind))
            try piece.withUnsafeBytes {
                try enterPiece($0, run, nested, property, key, depth: depth + 1)
            }
        case nil: break
        }
    }

    private mutating func enterPiece(
        _ bytes: UnsafeRawBufferPointer, _ run: ElementRun, _ owner: CollectionOwner,
        _ property: StoredProperty, _ key: UInt64, depth: Int = 1
    ) throws {
        switch CollectionPiece(bytes) {
        case .inline(let count):
            guard count > 0 else { return }
            let elements = UnsafeRawBufferPointer(
                rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
            try enterElements(elements, run, owner, property, key, depth)
        case .tree(let height, let root, let next, _):
            guard CollectionTree.soundHeights.contains(height) else {
                throw Realm.Error.damagedSchema
            }
            try enterNode(root, height, before: next, owner, run, property, key, depth)
        }
    }

    private mutating func enterNode(
        _ node: UInt32, _ level: Int, before next: UInt32, _ owner: CollectionOwner,
        _ run: ElementRun, _ property: StoredProperty, _ key: UInt64, _ depth: Int
    ) throws {
        guard node < next else { throw Realm.Error.damagedSchema }
        let bytes = try self.node(node, owner)
        if level <= 1 {
            try bytes.withUnsafeBytes {
                try enterElements($0, run, owner, property, key, depth)
            }
            return
        }
        for offset in stride(from: 0, to: bytes.count - 11, by: 12) {
            let child = bytes.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            try enterNode(child, level - 1, before: next, owner, run, property, key, depth)
        }
    }

    private mutating func enterElements(
        _ elements: UnsafeRawBufferPointer, _ run: ElementRun, _ owner: CollectionOwner,
        _ property: StoredProperty, _ key: UInt64, _ depth: Int
    ) throws {
        var offset = 0
        while let element = run.element(at: offset, in: elements) {
            offset = element.next
            switch element.value {
            case .word(let target):
                try count(UInt64(bitPattern: target), key, property.backlinks)
            case .bytes(let bytes):
                try enterMixed(bytes, owner, property, key, depth: depth)
            case .null: break
            }
        }
    }

    private mutating func node(_ node: UInt32, _ owner: CollectionOwner) throws -> [UInt8] {
        guard visited.insert(UInt64(owner.nested) << 32 | UInt64(node)).inserted else {
            throw Realm.Error.damagedSchema
        }
        let found = try owner.key(node).withBytes { (key) throws(StoreError) in
            try transaction.access.value(forKey: key, in: owner.keyspace).map { Array($0) }
        }
        guard let found else { throw Realm.Error.damagedSchema }
        return found
    }

    private mutating func count(
        _ target: UInt64, _ source: UInt64, _ keyspace: UInt32, targetType: UInt32? = nil
    ) throws {
        entry.set(backlinkTo: target, ofType: targetType)
        entry.append(source)
        let old = try put(1, type: keyspace)
        if let old { _ = try put(old + 1, type: keyspace) }
    }

    private func put(_ value: UInt64, type keyspace: UInt32) throws -> UInt64? {
        try entry.withBytes { (key) throws(StoreError) in
            try transaction.indexPut(key, value: value, in: keyspace)
        }
    }
}
