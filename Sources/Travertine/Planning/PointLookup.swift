import TravertineStore

/// Plans the simplest conditions without the planner, whose work would cost more than theirs.
///
/// - A property with its own index equals a constant: the entries of the index, unless there are so
///   many that a scan is cheaper.
/// - Several conditions must hold, one of which is such an equality: its entries, if there are at
///   most 128.
/// - A point is within a shape, and the property has an index of places: that index.
///
/// All others are the planner's.
enum PointLookup {
    /// How objects for a condition are found.
    enum Outcome {
        /// The condition is none of these: ask the planner.
        case unplanned
        /// The index has too many entries: test all rows.
        case scan
        /// The keys of rows, and whether all of them match (P-Q2).
        case keys([UInt64], areMatches: Bool)
        /// The condition is a shape in which an index of places finds the objects: that is cheaper
        /// than a scan, which reads the points too, however many they are.
        case places(PlaceSearch)
    }

    static func find(_ condition: Condition, in table: TableState) throws -> Outcome {
        if case .isWithin(let reader, let shape) = condition {
            let access = try table.session.access
            guard let slot = reader.directSlot,
                let search = try PlaceSearch(table, slot: slot, shape, access)
            else { return .unplanned }
            return .places(search)
        }
        if case .and(let parts) = condition { return try find(oneOf: parts, in: table) }
        guard let equality = Equality(condition, table) else { return .unplanned }
        let rowCount = try table.session.access.count(in: table.rows)
        let limit =
            QueryPlanning.prefersIndexes
            ? Int.max : Int(Double(rowCount) / PlanCost.lookup(amongRows: rowCount))
        return try equality.keys(in: table, upTo: max(1, limit)) ?? .scan
    }

    /// Of conditions that all must hold an equality that finds a few objects: whatever a plan said,
    /// it would hardly be cheaper than looking at these.
    private static func find(oneOf parts: [Condition], in table: TableState) throws -> Outcome {
        if QueryPlanning.prefersIndexes { return .unplanned }
        let equalities = parts.compactMap { Equality($0, table) }
        guard let best = equalities.first(where: \.isPrimaryKey) ?? equalities.first,
            case .keys(let keys, _)? = try best.keys(in: table, upTo: fewCount)
        else { return .unplanned }
        return .keys(keys, areMatches: keys.isEmpty)
    }

    private static let fewCount = 128

    /// A property with its own index, and the value that it is equal to.
    private struct Equality {
        let property: StoredProperty
        let constant: RawConstant

        var isPrimaryKey: Bool { property.isPrimaryKey }

        init?(_ condition: Condition, _ table: TableState) {
            guard case .comparison(let reader, .equal, let constant) = condition,
                let slot = reader.directSlot
            else { return nil }
            property = table.properties[slot]
            self.constant = constant
            guard property.collection == .none, property.type != .any,
                property.isPrimaryKey || property.index != .absent,
                isSearchable(constant, property.type)
            else { return nil }
        }

        /// The keys of the objects that have the value; nil if there are more than a limit.
        func keys(in table: TableState, upTo limit: Int) throws -> Outcome? {
            if isPrimaryKey {
                return .keys(
                    try table.session.key(forPrimaryKey: constant, in: table).map { [$0] } ?? [],
                    areMatches: true)
            }
            var prefix = IndexKey()
            constant.withRaw { prefix.set($0, type: property.type) }
            var keys: [UInt64] = []
            var cursor = try table.session.access.cursor(in: property.index)
            let isFound = try prefix.withBytes { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
            if !isFound { return .keys([], areMatches: true) }
            // A value begins with a 1, so that there is a key after all that begin with its entry.
            let end = KeyRange.successor(of: prefix.bytes) ?? []
            let isComplete = try end.withBytes { (end) throws(StoreError) in
                try cursor.appendNumbers(before: end, upTo: limit, to: &keys)
            }
            if !isComplete { return nil }
            if prefix.isCut { SortedKeys.normalise(&keys) }
            return .keys(keys, areMatches: !prefix.isCut)
        }
    }

    private static func isSearchable(_ constant: RawConstant, _ type: PropertyType) -> Bool {
        switch constant {
        case .word: type.shape == .word && type != .object && !AllowedValues.isNaN(constant, type)
        case .bytes: type.shape != .word && !AllowedValues.isNaN(constant, type)
        case .null: false
        }
    }
}
