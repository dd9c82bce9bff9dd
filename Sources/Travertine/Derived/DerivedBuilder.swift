import TravertineStore

/// Fills derived keyspaces of a type from its rows: new indexes, and those that were lost (O7, O8).
///
/// Where the entries go is a transaction, or what compares them with those that are there.
struct DerivedBuilder<Target: DerivedTarget> {
    let transaction: Target
    let type: StoredObjectType
    let schemaKeyspace: UInt32
    private var bindings: [UInt16: LayoutBinding] = [:]
    private let defaults: StoredDefaults
    /// The changes of derived keyspaces that one row asks for.
    private let entries = DerivedEntries()
    /// The nodes of the property's value that were gone through, after the number of the nested
    /// collection that they belong to: in a sound store each of them comes once.
    private var visited: Set<UInt64> = []
    /// Objects whose values an entry of a unique index has in part.
    private var cutValues = CutValues()
    /// Finds the points that links lead to; made when it is first needed.
    private var points: PointFinder<Target>?
    /// Called with how far the building is.
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
        let rules = DerivedRules(type, type.properties, keyspaces: keyspaces)
        let linkSlots = type.properties.indices.filter { rules.linkRule(ofSlot: $0) != nil }
        let totalCount = transaction.access.count(in: type.rows)
        var completedCount = 0
        let slots = type.properties.map { TableSlot($0) }
        var last: [UInt8]?
        while let (key, row) = try nextRow(after: last) {
            last = key
            let number = key.withUnsafeBytes { objectKey(in: $0) }
            try row.withUnsafeBytes { row in
                let values = try values(of: row, slots)
                rules.collect(of: number, from: NoValues(), to: values, into: entries)
                try put(of: number, rules, slots)
                for slot in linkSlots {
                    try enterLinks(values.value(at: slot), slot, of: number, rules)
                }
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

    // MARK: Entries

    /// Puts the entries of an object where they belong.
    private mutating func put(
        of key: UInt64, _ rules: DerivedRules, _ slots: [TableSlot]
    ) throws {
        defer { entries.removeAll() }
        for position in 0..<entries.count {
            let entry = entries[position]
            let bytes = entries.key(of: entry)
            if entry.change == .enterPlace, case .index(let position) = entry.origin {
                try putPlace(
                    PlaceLink(entryKey: bytes), of: key, rules.indexes[position],
                    in: entry.keyspace)
                continue
            }
            if entry.isUnique, case .index(let position) = entry.origin {
                try putUnique(entry, bytes, of: key, rules.indexes[position], slots)
                continue
            }
            if entry.change == .addBits {
                try transaction.indexAddBits(entry.value, toNumberOf: bytes, in: entry.keyspace)
                continue
            }
            let old = try transaction.indexPut(bytes, value: entry.value, in: entry.keyspace)
            guard let old, case .slot(let slot) = entry.origin else { continue }
            if entry.keyspace == type.keyIndex {
                throw try duplicate(of: type.properties[slot], slot, [key, old])
            } else if entry.keyspace == type.properties[slot].backlinks {
                // One more link from the object to the same target.
                _ = try transaction.indexPut(bytes, value: old + 1, in: entry.keyspace)
            }
        }
    }

    private mutating func putPlace(
        _ link: PlaceLink, of key: UInt64, _ index: TableIndex, in keyspace: UInt32
    ) throws {
        if points == nil {
            points = try PointFinder(transaction: transaction, schemaKeyspace: schemaKeyspace)
        }
        let property = type.properties[index.slots[0]]
        guard let point = try points?.point(of: link, property) else { return }
        let place = PlaceEntry(point, of: key)
        _ = try place.withKey { (key) throws(StoreError) in
            try transaction.indexPut(key, value: place.value, in: keyspace)
        }
    }

    private mutating func putUnique(
        _ entry: DerivedEntries.Entry, _ bytes: UnsafeRawBufferPointer, of key: UInt64,
        _ index: TableIndex, _ slots: [TableSlot]
    ) throws {
        var isTaken = false
        if entry.sharedByteCount > 0,
            let values = try withValues(of: key, slots, { index.values(of: $0) })
        {
            let place = UniqueChecks.Place(
                keyspace: entry.keyspace, key: Array(bytes.prefix(Int(entry.sharedByteCount))))
            isTaken = try isAlike(place, values, to: key, index, slots)
            cutValues.insert(key, hash: index.hash(values), at: place)
        }
        let old = try transaction.indexPut(bytes, value: entry.value, in: entry.keyspace)
        if entry.sharedByteCount == 0, let old, old != key { isTaken = true }
        if isTaken {
            let values = try withValues(of: key, slots) { index.values(of: $0) }
            throw index.violation(type.name, type.properties, values)
        }
    }

    /// Whether an object other than the one with a key has the same values, of which an entry has
    /// a part.
    private mutating func isAlike(
        _ place: UniqueChecks.Place, _ values: [RawConstant], to key: UInt64,
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
                try withValues(of: other, slots) { index.hash(index.values(of: $0)) }
            },
            hasSame: { other in
                guard other != key else { return false }
                return try withValues(of: other, slots) { index.hasSame(values, as: $0) } ?? false
            })
    }

    // MARK: Rows

    /// Calls `body` with the values of an object by slot; nil if there is no such object.
    private mutating func withValues<Result>(
        of key: UInt64, _ slots: [TableSlot], _ body: (StoredRowValues) -> Result
    ) throws -> Result? {
        guard let row = try transaction.access.value(forKey: key, in: type.rows) else {
            return nil
        }
        return body(try values(of: row, slots))
    }

    /// The values of a row, as a table of the type reads them.
    mutating func values(
        of row: UnsafeRawBufferPointer, _ slots: [TableSlot]
    ) throws -> StoredRowValues {
        guard row.count >= 2 else { throw Realm.Error.damagedSchema }
        let number = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
        let binding = try binding(number, slots)
        guard row.count >= Int(binding.layout.fixedByteCount) else {
            throw Realm.Error.damagedSchema
        }
        return StoredRowValues(row: row, binding: binding, defaults: defaults, type: type)
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

    /// What is wrong where two objects have one primary key: it may be theirs, or be what objects
    /// get that have no value of the property.
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
                "Primary key property \(path) has duplicate values: \(keys.count) objects or more "
                    + "have \(try text(of: property, slot, keys)). Delete or change all but one of "
                    + "them first.")
        }
        return Realm.Error(
            .schemaMismatch,
            "The classes don't fit the stored schema:\n- Objects that have no value of the primary "
                + "key \(path) (\(missingCount) of them) would get one that another object has. Add "
                + "the property without the primary key, give each object a value, and make it the "
                + "primary key under a later version.")
    }

    /// The value of a property that an object has, for a message.
    private mutating func text(
        of property: StoredProperty, _ slot: Int, _ keys: [UInt64]
    ) throws -> String {
        let slots = type.properties.map { TableSlot($0) }
        let value = try keys.first.flatMap { key in
            try withValues(of: key, slots) { RawConstant($0.value(at: slot)) }
        }
        return property.text(of: value ?? .null)
    }

    // MARK: Links of elements

    /// Enters the links of the elements of a collection, or of those in a value of any type.
    private mutating func enterLinks(
        _ raw: _RawValue, _ slot: Int, of key: UInt64, _ rules: DerivedRules
    ) throws {
        guard case .bytes(let bytes) = raw, let rule = rules.linkRule(ofSlot: slot) else { return }
        if !visited.isEmpty { visited.removeAll() }
        let property = type.properties[slot]
        let source = LinkingSource(
            owner: CollectionOwner(keyspace: type.pieces, object: key, property: property.number),
            rule: rule, rules: rules)
        if property.collection != .none {
            try enterPiece(bytes, ElementRun(property.storedType), source, depth: 1)
        } else if property.type == .any {
            try enterNested(bytes, source, depth: 0)
        }
    }

    /// Whose links are entered, and by which rule.
    private struct LinkingSource {
        var owner: CollectionOwner
        let rule: DerivedRules.SlotRule
        let rules: DerivedRules
    }

    /// Enters the links of the collection, if it is one, that a value of any type is.
    private mutating func enterNested(
        _ bytes: UnsafeRawBufferPointer, _ source: LinkingSource, depth: Int
    ) throws {
        guard case .collection(let kind, let number) = MixedCode.reference(in: bytes) else {
            return
        }
        guard depth < MixedCode.depthMax else { throw Realm.Error.damagedSchema }
        var nested = source
        nested.owner.nested = number
        let piece = try node(0, nested.owner)
        let run = ElementRun(_StoredType(.any, collection: kind))
        try piece.withUnsafeBytes { try enterPiece($0, run, nested, depth: depth + 1) }
    }

    private mutating func enterPiece(
        _ bytes: UnsafeRawBufferPointer, _ run: ElementRun, _ source: LinkingSource, depth: Int
    ) throws {
        switch CollectionPiece(bytes) {
        case .inline(let count):
            guard count > 0 else { return }
            let elements = UnsafeRawBufferPointer(
                rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
            try enterElements(elements, run, source, depth)
        case .tree(let height, let root, let next, _):
            guard CollectionTree.soundHeights.contains(height) else {
                throw Realm.Error.damagedSchema
            }
            try enterNode(root, height, before: next, run, source, depth)
        }
    }

    private mutating func enterNode(
        _ node: UInt32, _ level: Int, before next: UInt32, _ run: ElementRun,
        _ source: LinkingSource, _ depth: Int
    ) throws {
        guard node < next else { throw Realm.Error.damagedSchema }
        let bytes = try self.node(node, source.owner)
        if level <= 1 {
            try bytes.withUnsafeBytes { try enterElements($0, run, source, depth) }
            return
        }
        for offset in stride(from: 0, to: bytes.count - 11, by: 12) {
            let child = bytes.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            try enterNode(child, level - 1, before: next, run, source, depth)
        }
    }

    private mutating func enterElements(
        _ elements: UnsafeRawBufferPointer, _ run: ElementRun, _ source: LinkingSource,
        _ depth: Int
    ) throws {
        var offset = 0
        let key = source.owner.object
        while let element = run.element(at: offset, in: elements) {
            offset = element.next
            source.rules.collect(
                .countUp, element: element.value, source.rule, of: key, into: entries)
            try put(of: key, source.rules, [])
            if case .bytes(let bytes) = element.value {
                try enterNested(bytes, source, depth: depth)
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
}
