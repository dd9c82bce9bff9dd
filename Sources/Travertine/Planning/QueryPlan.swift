import OrderedIndex
import TravertineStore

/// How the objects of one table that a condition matches are found.
///
/// Valid until its realm changes or shows another version.
struct QueryPlan {
    let table: TableState
    /// The way to the candidates; nil to read every row.
    let path: AccessPath?
    /// The conditions that a row must be tested for, of those that all must hold.
    let remaining: [Condition]
    /// The rows of the table.
    let rowCount: Int
    /// The index along which all rows are read in the order of the first sorting, in place of a
    /// path, if that is cheaper than to sort.
    var order: OrderedWalk?
    /// How many of the sorted matches are asked for; nil for all.
    var limit: Int?

    /// Whether the candidates are the matches, so that no row need be tested.
    var isExact: Bool { path?.isExact ?? false && remaining.isEmpty || isEverything }

    /// Whether every row matches.
    private var isEverything: Bool { path == nil && remaining.isEmpty }

    /// About how many candidates there are.
    var candidateCount: KeyCount {
        path?.count ?? KeyCount(count: rowCount, isExact: true)
    }

    // MARK: Running

    /// The keys of the candidates in ascending order; nil if these are all rows.
    func keys() throws -> [UInt64]? {
        guard let path else { return nil }
        return try path.keys(table, try table.session.access)
    }
}

extension AccessPath {
    /// The keys that it finds, in ascending order, each once.
    func keys(_ table: TableState, _ access: ReadAccess) throws -> [UInt64] {
        switch kind {
        case .nothing: return []
        case .ranges(let ranges): return try ranges.keys(access)
        case .union(let parts):
            return SortedKeys.union(try parts.map { try $0.keys(table, access) })
        case .intersection(let parts):
            var keys: [UInt64]?
            for part in parts {
                if keys?.isEmpty == true { break }
                let found = try part.keys(table, access)
                keys = keys.map { SortedKeys.intersection($0, found) } ?? found
            }
            return keys ?? []
        case .words(let search):
            try table.session.flushPostings()
            return try search.keys(try table.session.access)
        case .places(let search): return try search.keys(access)
        case .links(let search): return try search.keys(access)
        }
    }
}

extension IndexRanges {
    /// The keys of the objects in ascending order.
    func keys(_ access: ReadAccess) throws -> [UInt64] {
        if let objectKeys { return objectKeys }
        var keys: [UInt64] = []
        var cursor = access.cursor(in: index.keyspace)
        for range in ranges {
            guard try cursor.seekForward(to: range.lower) else { break }
            try cursor.append(range, index.hasKeysInEntries, to: &keys)
        }
        if !isOrdered { SortedKeys.normalise(&keys) }
        return keys
    }
}

extension RawCursor {
    /// Moves to the first key at or after `key`, which is at or after the current one; false if
    /// there is none.
    mutating func seekForward(to key: [UInt8]) throws -> Bool {
        try key.withBytes { (key) throws(StoreError) in try seekForward(to: key) }
    }

    /// Adds the objects of the entries of a range from the current key on: of their numbers, or of
    /// the last bytes of their keys.
    fileprivate mutating func append(
        _ range: KeyRange, _ hasKeysInEntries: Bool, to keys: inout [UInt64]
    ) throws {
        guard let upper = range.upper else {
            _ =
                hasKeysInEntries
                ? try appendSuffixes(before: nil, upTo: .max, to: &keys)
                : try appendNumbers(before: nil, upTo: .max, to: &keys)
            return
        }
        _ = try upper.withBytes { (upper) throws(StoreError) in
            hasKeysInEntries
                ? try appendSuffixes(before: upper, upTo: .max, to: &keys)
                : try appendNumbers(before: upper, upTo: .max, to: &keys)
        }
    }
}

extension LinkSearch {
    /// The keys of the objects whose links lead to one of the targets.
    func keys(_ access: ReadAccess) throws -> [UInt64] {
        var keys: [UInt64]
        switch targets {
        case .keys(let known): keys = known
        case .path(let path): keys = try path.keys(target, access)
        case .rows(let ranges): keys = try ranges.keys(ofRowsOf: target)
        }
        for hop in hops.reversed() {
            if keys.isEmpty { break }
            keys = try hop.sources(of: keys, access)
        }
        return keys
    }
}

extension IndexRanges {
    /// The keys of the rows whose value would have an entry in one of the ranges.
    fileprivate func keys(ofRowsOf table: TableState) throws -> [UInt64] {
        var keys: [UInt64] = []
        var entry = IndexKey()
        let slot = index.slots[0]
        try table.session.scan(table) { key, row in
            entry.removeAll()
            index.append(
                table.value(at: slot, in: row, try table.binding(of: row)), at: 0, to: &entry)
            let isInside = entry.withBytes { entry in ranges.contains { $0.contains(entry) } }
            if isInside { keys.append(key) }
            return true
        }
        return keys
    }
}
