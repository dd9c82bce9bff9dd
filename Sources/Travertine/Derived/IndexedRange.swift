import TravertineStore

/// What values of an indexed property order comparisons allow; its ends belong to it.
struct IndexedRange {
    private var lower: QueryConstant?
    private var upper: QueryConstant?

    /// Below this many objects a range is always looked up.
    private static let countMin = 256
    /// Above this part of all objects reading them in their order is faster.
    private static let partMax = 16

    /// Takes a comparison in; of several from one side, the first one.
    mutating func narrow(_ comparison: Comparison.Operation, _ constant: QueryConstant) {
        switch constant {
        case .null: return
        case .word, .bytes: break
        }
        switch comparison {
        case .less, .lessOrEqual: if upper == nil { upper = constant }
        case .greater, .greaterOrEqual: if lower == nil { lower = constant }
        default: break
        }
    }

    /// Keys, in order, among which all matches are; nil if no range is narrow and indexed.
    static func candidates(
        _ ranges: [Int: IndexedRange], _ table: TableState
    ) throws -> [UInt64]? {
        for (slot, range) in ranges.sorted(by: { $0.key < $1.key }) {
            let property = table.properties[slot]
            guard property.index != 0, property.collection == .none, property.type != .any,
                range.lower != nil || range.upper != nil
            else { continue }
            let limit = max(
                countMin, try table.session.access.count(in: table.stored.rows) / partMax)
            if let keys = try range.keys(of: property, table, limit: limit) { return keys.sorted() }
        }
        return nil
    }

    /// The objects in the range; nil if there are more than `limit`.
    private func keys(
        of property: StoredProperty, _ table: TableState, limit: Int
    ) throws -> [UInt64]? {
        // Tag 1: nil is in no range.
        let first = lower.map { Self.bound($0, property.type) } ?? [1]
        let last = upper.map { Self.bound($0, property.type) } ?? [1]
        var keys: [UInt64] = []
        var cursor = try table.session.access.cursor(in: property.index)
        var isValid = try first.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid {
            let isInside = cursor.withKey { key in
                last.withUnsafeBytes { last in
                    UnsafeRawBufferPointer(rebasing: key.prefix(last.count)).order(to: last) <= 0
                }
            }
            if !isInside { break }
            if keys.count == limit { return nil }
            keys.append(cursor.indexValue)
            isValid = try cursor.next()
        }
        return keys
    }

    /// What the entries of a value begin with; those of longer texts that begin alike as well,
    /// because entries are cut.
    private static func bound(_ constant: QueryConstant, _ type: PropertyType) -> [UInt8] {
        var key = IndexKey()
        constant.withRaw { key.set($0, type: type) }
        let isText = type == .string || type == .data
        return isText ? Array(key.bytes.dropLast(2)) : key.bytes
    }
}
