import TravertineStore

/// The plan of most queries, one equality on a property with its own index or one shape, without a
/// planner: of the equality its entries are read, and no more of them than are cheaper than a scan.
enum PointLookup {
    enum Outcome {
        /// The condition is another one.
        case unplanned
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
        guard case .comparison(let reader, .equal, let constant) = condition,
            let slot = reader.directSlot
        else { return .unplanned }
        let property = table.properties[slot]
        guard property.collection == .none, property.type != .any,
            isSearchable(constant, property.type)
        else { return .unplanned }
        if property.isPrimaryKey {
            return .keys(
                try table.session.key(forPrimaryKey: constant, in: table).map { [$0] } ?? [],
                areMatches: true)
        }
        guard property.index != .absent else { return .unplanned }
        let access = try table.session.access
        var prefix = IndexKey()
        constant.withRaw { prefix.set($0, type: property.type) }
        let rowCount = access.count(in: table.rows)
        let limit =
            QueryPlanning.prefersIndexes
            ? Int.max : Int(Double(rowCount) / PlanCost.lookup(amongRows: rowCount))
        var keys: [UInt64] = []
        var cursor = access.cursor(in: property.index)
        let isFound = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        if !isFound { return .keys([], areMatches: true) }
        // A value begins with a 1, so that there is a key after all that begin with its entry.
        let end = KeyRange.successor(of: prefix.bytes) ?? []
        let isComplete = try end.withBytes { (end) throws(StoreError) in
            try cursor.appendNumbers(before: end, upTo: max(1, limit), to: &keys)
        }
        if !isComplete { return .scan }
        if prefix.isCut { SortedKeys.normalise(&keys) }
        return .keys(keys, areMatches: !prefix.isCut)
    }

    private static func isSearchable(_ constant: RawConstant, _ type: PropertyType) -> Bool {
        switch constant {
        case .word: type.shape == .word && type != .object && !AllowedValues.isNaN(constant, type)
        case .bytes: type.shape != .word && !AllowedValues.isNaN(constant, type)
        case .null: false
        }
    }
}
