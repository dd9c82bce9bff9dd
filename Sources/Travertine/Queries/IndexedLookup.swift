import TravertineStore

/// Finds the few objects that equalities with indexed properties, words, or narrow ranges allow.
enum IndexedLookup {
    /// Keys, in order, among which all matches are; nil if no index helps.
    static func candidates(_ condition: Condition?, _ table: TableState) throws -> [UInt64]? {
        guard let condition else { return nil }
        var conditions = Conditions()
        conditions.collect(condition, table)
        if let found = try byValues(conditions.equalities, table) { return found }
        for (slot, text) in conditions.texts {
            if let found = try objects(withWordsOf: text, slot, table) { return found }
        }
        return try IndexedRange.candidates(conditions.ranges, table)
    }

    /// The conditions that every match fulfils.
    private struct Conditions {
        /// What properties are equal to, by slot.
        var equalities: [Int: QueryConstant] = [:]
        var texts: [(slot: Int, text: String)] = []
        var ranges: [Int: IndexedRange] = [:]

        mutating func collect(_ condition: Condition, _ table: TableState) {
            switch condition {
            case .and(let parts): for part in parts { collect(part, table) }
            case .comparison(let reader, .equal, let constant):
                guard let slot = reader.directSlot else { return }
                if equalities[slot] == nil { equalities[slot] = constant }
            case .comparison(let reader, let operation, let constant):
                guard let slot = reader.directSlot else { return }
                ranges[slot, default: IndexedRange()].narrow(operation, constant)
            case .words(let reader, let text):
                guard let slot = reader.directSlot else { return }
                texts.append((slot, text))
            default: break
            }
        }
    }

    /// The objects of the index that covers most of the equalities.
    private static func byValues(
        _ equalities: [Int: QueryConstant], _ table: TableState
    ) throws -> [UInt64]? {
        if let slot = equalities.keys.first(where: { table.properties[$0].isPrimaryKey }) {
            return try equalities[slot]?.withRaw { raw in
                Result { try table.session.key(forPrimaryKey: raw, in: table).map { [$0] } ?? [] }
            }.get()
        }
        var best: (index: TableIndex, count: Int)?
        for index in table.rules.indexes where index.kind != .words {
            let count = index.slots.prefix { equalities[$0] != nil }.count
            if count > best?.count ?? 0 { best = (index, count) }
        }
        let single = equalities.keys.sorted().first { table.properties[$0].index != 0 }
        if let single, best?.count ?? 0 < 2, best?.index.kind != .uniqueValues {
            return try byIndex(of: single, equalities[single] ?? .null, table)
        }
        guard let (index, count) = best else { return nil }
        let constants = index.slots.prefix(count).map {
            equalities[$0].map { StoredDefault($0) } ?? .null
        }
        var prefix = IndexKey()
        constants[...].withRaws { raws in
            index.append(first: count, to: &prefix) { slot in
                index.slots.firstIndex(of: slot).map { raws[$0] } ?? .null
            }
        }
        return try keys(in: index.keyspace, prefix, table).sorted()
    }

    private static func byIndex(
        of slot: Int, _ constant: QueryConstant, _ table: TableState
    ) throws -> [UInt64] {
        let property = table.properties[slot]
        var prefix = IndexKey()
        constant.withRaw { prefix.set($0, type: property.type) }
        let keys = try keys(in: property.index, prefix, table)
        return prefix.isCut ? keys.sorted() : keys
    }

    /// The numbers of the entries that begin with a prefix.
    private static func keys(
        in keyspace: UInt32, _ prefix: IndexKey, _ table: TableState
    ) throws -> [UInt64] {
        var keys: [UInt64] = []
        try visit(keyspace, prefix, table) { _, value in keys.append(value) }
        return keys
    }

    private static func visit(
        _ keyspace: UInt32, _ prefix: IndexKey, _ table: TableState,
        _ body: (UnsafeRawBufferPointer, UInt64) -> Void
    ) throws {
        var cursor = try table.session.access.cursor(in: keyspace)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid {
            let value = cursor.indexValue
            let isInside = cursor.withKey { key in
                prefix.withBytes { prefix in
                    guard key.begins(with: prefix) else { return false }
                    body(key, value)
                    return true
                }
            }
            if !isInside { break }
            isValid = try cursor.next()
        }
    }

    /// The objects whose property has every word of a text; nil if its words are not indexed.
    static func objects(
        withWordsOf text: String, _ slot: Int, _ table: TableState
    ) throws -> [UInt64]? {
        guard
            let index = table.rules.indexes.first(where: { $0.kind == .words && $0.slots == [slot] }
            )
        else { return nil }
        var found: Set<UInt64>?
        for word in WordSplitter.words(of: text).keys.sorted() {
            var prefix = IndexKey()
            prefix.set(word: word)
            var keys: Set<UInt64> = []
            try visit(index.keyspace, prefix, table) { key, _ in
                keys.insert(objectKey(in: key, at: key.count - 8))
            }
            found = found?.intersection(keys) ?? keys
            if found?.isEmpty == true { break }
        }
        return found?.sorted() ?? []
    }
}

extension StoredDefault {
    fileprivate init(_ constant: QueryConstant) {
        switch constant {
        case .null: self = .null
        case .word(let word): self = .word(word)
        case .bytes(let bytes): self = .bytes(bytes)
        }
    }
}
