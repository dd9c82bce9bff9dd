import TravertineStore

/// Fills derived keyspaces of a type from its rows: new indexes, and those that were lost (O7, O8).
///
/// Where the entries go is a transaction, or what compares them with those that are there.
struct DerivedBuilder<Target: DerivedTarget> {
    let transaction: Target
    let type: StoredObjectType
    let schemaKeyspace: KeyspaceID
    private var bindings: [UInt16: LayoutBinding] = [:]
    private let defaults: StoredDefaults
    /// The changes of derived keyspaces that one row asks for.
    let entries = DerivedEntries()
    /// Postings that were not given to the target yet.
    private let postings = PostingsBatch()
    /// The nodes of the property's value that were gone through, after the number of the nested
    /// collection that they belong to: in a sound store each of them comes once.
    var visited: Set<UInt64> = []
    /// Objects whose values an entry of a unique index has in part.
    private var cutValues = CutValues()
    /// Finds the points that links lead to; made when it is first needed.
    private var points: PointFinder<Target>?
    /// Called with how far the building is.
    var progress: (@Sendable (IndexBuildProgress) -> Void)?

    init(transaction: Target, type: StoredObjectType, schemaKeyspace: KeyspaceID) {
        self.transaction = transaction
        self.type = type
        defaults = StoredDefaults(type.properties)
        self.schemaKeyspace = schemaKeyspace
    }

    /// Empties the keyspaces and fills them again.
    ///
    /// - Throws: `Realm.Error` with `.duplicatePrimaryKey` when two rows have one primary key.
    mutating func build(_ keyspaces: Set<KeyspaceID>) throws {
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
        try storePostings()
        report(completedCount, of: totalCount)
    }

    private func storePostings() throws {
        if postings.isEmpty { return }
        try transaction.store(postings)
        postings.removeAll()
    }

    private static var rowsBetweenReports: Int { 1024 }

    private func report(_ completedCount: Int, of totalCount: Int) {
        progress?(
            IndexBuildProgress(
                typeName: type.name, completedCount: completedCount, totalCount: totalCount))
    }

    // MARK: Entries

    /// Puts the entries of an object where they belong.
    mutating func put(
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
            if entry.change == .setPosting {
                postings.add(bytes, count: entry.value, in: entry.keyspace)
                if postings.isFull { try storePostings() }
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
        _ link: PlaceLink, of key: UInt64, _ index: TableIndex, in keyspace: KeyspaceID
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
}
