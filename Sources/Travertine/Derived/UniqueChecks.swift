import TravertineStore

/// What a transaction must look at in unique indexes before it is committed.
///
/// Objects may be alike in between, so that two can swap their values. Of an entry without object
/// key, which only one object can have, the others that want it have entries with their keys after
/// it (`taken`); entries that were cut are there for each object anyway (`alike`).
struct UniqueChecks {
    /// An entry, or the beginning that entries with cut values share.
    struct Place: Hashable {
        let keyspace: KeyspaceID
        let key: [UInt8]

        /// The key that an object's entry has beside that of another object with the same values.
        func key(of object: UInt64) -> [UInt8] {
            key + withUnsafeBytes(of: object.bigEndian, Array.init)
        }

        /// The objects of the entries that begin so.
        func objects(_ access: ReadAccess) throws -> [UInt64] {
            var keys: [UInt64] = []
            var cursor = access.cursor(in: keyspace)
            var isValid = try key.withBytes { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
            while isValid, cursor.withKey({ $0.starts(with: key) }) {
                keys.append(cursor.indexValue)
                isValid = try cursor.next()
            }
            return keys
        }
    }

    /// An object that had another's values when its entry was made.
    struct Object: Hashable {
        let type: UInt32
        let key: UInt64
        let keyspace: KeyspaceID
    }

    /// What must be looked at.
    struct Notes {
        /// Entries that several objects wanted, with the types of the objects.
        var taken: [Place: UInt32] = [:]
        var alike: Set<Object> = []

        var isEmpty: Bool { taken.isEmpty && alike.isEmpty }

        mutating func merge(_ other: Notes) {
            taken.merge(other.taken) { $1 }
            alike.formUnion(other.alike)
        }
    }

    /// What was noted in the transaction.
    private(set) var all = Notes()
    /// What was noted in the part of it whose own conflicts are asked for; nil outside of one.
    private(set) var recent: Notes?

    var isEmpty: Bool { all.isEmpty }
    var taken: [Place: UInt32] { all.taken }

    mutating func note(taken place: Place, _ type: UInt32) {
        all.taken[place] = type
        recent?.taken[place] = type
    }

    mutating func note(alike object: Object) {
        all.alike.insert(object)
        recent?.alike.insert(object)
    }

    /// Begins a part of the transaction whose own conflicts are asked for; gives what was noted in
    /// the one around it.
    mutating func beginPart() -> Notes? {
        defer { recent = Notes() }
        return recent
    }

    /// Ends a part; what was noted in it was in the one around it as well.
    mutating func endPart(_ outer: Notes?) {
        var outer = outer
        if let recent { outer?.merge(recent) }
        recent = outer
    }
}

/// Objects by a hash of their whole values, for entries with cut values that begin alike.
///
/// Of those that are here some may have other values by now, but none that is alike is missing.
struct CutValues {
    /// Of a place with fewer objects each is compared, every time.
    private static let comparedMax = 16
    /// The most objects that are remembered.
    private static let objectCountMax = 1 << 20

    private var objects: [UniqueChecks.Place: [Int: [UInt64]]] = [:]
    private var count = 0

    /// Whether one of the objects of a place has values.
    ///
    /// - Parameters:
    ///   - hash: that of the values.
    ///   - entries: the objects that have entries at the place.
    ///   - hashOf: the hash of an object's values; nil for one that is gone.
    ///   - hasSame: whether an object has the values.
    mutating func contain(
        at place: UniqueChecks.Place, hash: Int, entries: () throws -> [UInt64],
        hashOf: (UInt64) throws -> Int?, hasSame: (UInt64) throws -> Bool
    ) throws -> Bool {
        if let known = objects[place] { return try (known[hash] ?? []).contains(where: hasSame) }
        let keys = try entries()
        if keys.count <= Self.comparedMax { return try keys.contains(where: hasSame) }
        if count + keys.count > Self.objectCountMax { self = CutValues() }
        var found: [Int: [UInt64]] = [:]
        for key in keys {
            if let hash = try hashOf(key) { found[hash, default: []].append(key) }
        }
        objects[place] = found
        count += keys.count
        return try (found[hash] ?? []).contains(where: hasSame)
    }

    /// Remembers one more object of a place whose objects are remembered.
    mutating func insert(_ key: UInt64, hash: Int, at place: UniqueChecks.Place) {
        guard let known = objects[place], known[hash]?.contains(key) != true else { return }
        objects[place]?[hash, default: []].append(key)
        count += 1
    }
}

extension RealmSession {
    /// Stores an entry of a unique index, and notes it if another object has the same values. The
    /// row of the object is stored already.
    func enterUnique(
        _ entry: DerivedEntries.Entry, _ entryKey: [UInt8], of key: UInt64, _ index: TableIndex,
        in table: TableState
    ) throws {
        let transaction = requireTransaction()
        if entry.sharedByteCount > 0 {
            guard let values = try values(of: key, index, in: table) else { return }
            let place = UniqueChecks.Place(
                keyspace: entry.keyspace, key: Array(entryKey.prefix(Int(entry.sharedByteCount))))
            let isAlike = try isAlike(place, values, to: key, index, in: table)
            _ = try transaction.put(entryKey, entry.value, in: entry.keyspace)
            caches.cutValues.insert(key, hash: index.hash(values), at: place)
            if isAlike {
                scope.uniqueChecks.note(
                    alike: UniqueChecks.Object(
                        type: table.stored.number, key: key, keyspace: entry.keyspace))
            }
            return
        }
        let place = UniqueChecks.Place(keyspace: entry.keyspace, key: entryKey)
        let old = try transaction.put(entryKey, key, in: entry.keyspace)
        if let old, old != key {
            _ = try transaction.put(entryKey, old, in: entry.keyspace)
            _ = try transaction.put(place.key(of: key), key, in: entry.keyspace)
            scope.uniqueChecks.note(taken: place, table.stored.number)
        } else if !scope.uniqueChecks.taken.isEmpty, scope.uniqueChecks.taken[place] != nil {
            _ = try transaction.delete(place.key(of: key), in: entry.keyspace)
            // The object that had this entry may be deleted, with others still after it.
            scope.uniqueChecks.note(taken: place, table.stored.number)
        }
    }

    /// Takes an entry of a unique index out.
    func removeUnique(
        _ entry: DerivedEntries.Entry, _ entryKey: [UInt8], of key: UInt64
    ) throws {
        let transaction = requireTransaction()
        let old = try transaction.delete(entryKey, in: entry.keyspace)
        guard entry.sharedByteCount == 0, !scope.uniqueChecks.taken.isEmpty else { return }
        let place = UniqueChecks.Place(keyspace: entry.keyspace, key: entryKey)
        guard scope.uniqueChecks.taken[place] != nil else { return }
        if let old, old != key { _ = try transaction.put(entryKey, old, in: entry.keyspace) }
        _ = try transaction.delete(place.key(of: key), in: entry.keyspace)
    }

    /// Whether an object other than the one with a key has the same values, of which an entry has
    /// a part.
    private func isAlike(
        _ place: UniqueChecks.Place, _ values: [RawConstant], to key: UInt64,
        _ index: TableIndex, in table: TableState
    ) throws -> Bool {
        try caches.cutValues.contain(
            at: place, hash: index.hash(values),
            entries: { try keys(ofEntriesAt: place) },
            hashOf: { try self.values(of: $0, index, in: table).map { index.hash($0) } },
            hasSame: { other in
                guard other != key,
                    let row = try access.value(forKey: other, in: table.stored.rows)
                else { return false }
                return index.hasSame(values, as: try table.values(of: row))
            })
    }

    /// The values of an index that an object has; nil if there is no such object.
    private func values(
        of key: UInt64, _ index: TableIndex, in table: TableState
    ) throws -> [RawConstant]? {
        guard let row = try access.value(forKey: key, in: table.stored.rows) else { return nil }
        return index.values(of: try table.values(of: row))
    }

    private func keys(ofEntriesAt place: UniqueChecks.Place) throws -> [UInt64] {
        try place.objects(access)
    }

    // MARK: Checking

    /// Runs a part of the transaction that must not add conflicts to unique indexes.
    func checkingUniqueValues<Result>(_ body: () throws -> Result) throws -> Result {
        let outer = scope.uniqueChecks.beginPart()
        defer { scope.uniqueChecks.endPart(outer) }
        let result = try body()
        if let recent = scope.uniqueChecks.recent { try check(recent) }
        return result
    }

    /// Looks whether objects that had the same values of a unique index in the transaction still
    /// have.
    ///
    /// - Throws: `Realm.Error` with `.uniqueViolation`, naming the properties.
    func checkUniqueValues() throws { try check(scope.uniqueChecks.all) }

    private func check(_ notes: UniqueChecks.Notes) throws {
        for (place, type) in notes.taken {
            guard let table = table(number: type),
                let index = table.rules.indexes.first(where: { $0.keyspace == place.keyspace })
            else { continue }
            let keys = try keys(ofEntriesAt: place)
            guard let key = keys.first else { continue }
            if keys.contains(where: { $0 != key }) { throw violation(of: index, in: table) }
            // One is left, which may have come when the entry was another's.
            let transaction = requireTransaction()
            _ = try transaction.put(place.key, key, in: place.keyspace)
            _ = try transaction.delete(place.key(of: key), in: place.keyspace)
        }
        for object in notes.alike {
            guard let table = table(number: object.type),
                let position = table.rules.indexes.firstIndex(where: {
                    $0.keyspace == object.keyspace
                }),
                let row = try access.value(forKey: object.key, in: table.stored.rows)
            else { continue }
            let index = table.rules.indexes[position]
            let values = try table.values(of: row)
            try withEntries { entries in
                index.add(.enter, of: object.key, values, .index(position), to: entries)
                guard entries[0].sharedByteCount > 0 else { return }
                let shared = entries.key(of: entries[0]).prefix(Int(entries[0].sharedByteCount))
                let place = UniqueChecks.Place(keyspace: object.keyspace, key: Array(shared))
                let own = index.values(of: values)
                if try isAlike(place, own, to: object.key, index, in: table) {
                    throw violation(of: index, in: table)
                }
            }
        }
    }

    private func violation(of index: TableIndex, in table: TableState) -> Realm.Error {
        var error = index.violation(table.stored.name, table.properties)
        error.fileURL = shared.fileURL
        return error
    }
}

extension Realm {
    /// Runs a part of a write transaction as a savepoint that throws at once what a unique index
    /// forbids.
    package func checkedSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try savepoint { try session.checkingUniqueValues(body) }
    }
}

extension WriteTransaction {
    /// Stores an entry of a derived keyspace; gives the number that it had.
    fileprivate func put(_ key: [UInt8], _ value: UInt64, in keyspace: KeyspaceID) throws -> UInt64?
    {
        try key.withBytes { (key) throws(StoreError) in
            try indexPut(key, value: value, in: keyspace)
        }
    }

    /// Takes an entry of a derived keyspace out; gives the number that it had.
    fileprivate func delete(_ key: [UInt8], in keyspace: KeyspaceID) throws -> UInt64? {
        try key.withBytes { (key) throws(StoreError) in try indexDelete(key, in: keyspace) }
    }
}
