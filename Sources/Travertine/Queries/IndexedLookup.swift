import TravertineStore

/// Finds the few objects that an equality with the primary key or with an indexed property allows.
enum IndexedLookup {
    /// Keys, in order, among which all matches are; nil if no index helps.
    static func candidates(_ predicate: Predicate?, _ table: ObjectTable) throws -> [UInt64]? {
        switch predicate {
        case .and(let left, let right):
            return try candidates(left, table) ?? candidates(right, table)
        case .compare(let names, .equal, let constant):
            guard names.count == 1, let slot = table.slot(named: names[0]) else { return nil }
            return try candidates(constant, slot, table)
        default: return nil
        }
    }

    private static func candidates(
        _ constant: QueryConstant, _ slot: Int, _ table: ObjectTable
    ) throws -> [UInt64]? {
        let property = table.properties[slot]
        guard property.collection == .none, constant != .unmanaged else { return nil }
        if property.isPrimaryKey {
            return try constant.withRaw { raw in
                Result { try table.core.key(forPrimaryKey: raw, in: table).map { [$0] } ?? [] }
            }.get()
        }
        if property.index == 0 { return nil }
        var prefix = IndexKey()
        constant.withRaw { prefix.set($0, type: property.type) }
        var keys: [UInt64] = []
        var cursor = try table.core.access.cursor(in: property.index)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid {
            let isInside = cursor.withKey { key in
                prefix.withBytes { key.count == $0.count + 8 && key.begins(with: $0) }
            }
            if !isInside { break }
            keys.append(cursor.indexValue)
            isValid = try cursor.next()
        }
        if prefix.isCut { keys.sort() }
        return keys
    }
}
