import TravertineStore

/// The order of sorted results as an index has it, from its first entry to its last, or back.
///
/// Nil comes first, then NaN; equal values are in ascending order of their objects, whatever the
/// direction. Values that were cut and begin alike are put in order by their rows.
struct OrderedWalk {
    let index: SearchableIndex
    let ascending: Bool

    /// How many keys are read ahead at most.
    private static let aheadMax = 1024

    /// Calls `body` with the key and the row of each object of the table, in order, until it
    /// returns false. The rows of about `count` objects are looked up at a time.
    func forEachRow(
        in table: TableState, _ count: () -> Int,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var ordered = try OrderedKeys(self, in: table)
        let rows = try CandidateRows(table)
        var keys: [UInt64] = []
        var isMore = true
        var isDone = false
        while isMore, !isDone {
            keys.removeAll(keepingCapacity: true)
            isMore = try ordered.append(min(count(), Self.aheadMax), to: &keys)
            try rows.forEach(keys) { key, row in
                isDone = try !body(key, row)
                return !isDone
            }
        }
    }

    /// The bytes of an entry up to the end of the first value that is a beginning only; nil if all
    /// values are whole.
    func byteCountToCut(_ values: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        for type in index.types {
            guard place < values.count else { return nil }
            place += 1
            if values[place - 1] == 0 { continue }
            switch type.shape {
            case .word: place += 8
            case .fixed(let byteCount): place += Int(byteCount)
            default:
                while place + 1 < values.count, values[place] != 0 || values[place + 1] == 255 {
                    place += values[place] == 0 ? 2 : 1
                }
                if place + 1 < values.count, values[place + 1] == 2 { return place + 2 }
                place += 2
            }
        }
        return nil
    }

    /// Puts objects whose entries are the same up to a cut in order.
    func sort(_ keys: inout [UInt64], in table: TableState, _ access: ReadAccess) throws {
        var items: [(key: UInt64, values: [RawConstant])] = []
        for key in keys {
            guard let row = try access.value(forKey: key, in: table.rows) else { continue }
            let binding = try table.binding(of: row)
            items.append(
                (key, index.slots.map { RawConstant(table.value(at: $0, in: row, binding)) }))
        }
        items.sort { left, right in
            for position in index.slots.indices {
                let order = left.values[position].withRaw { first in
                    right.values[position].withRaw {
                        RowSorter.order(first, $0, index.types[position])
                    }
                }
                if order != 0 { return (order < 0) == ascending }
            }
            return left.key < right.key
        }
        keys = items.map(\.key)
    }
}

extension Planner {
    /// The index whose order the first sorting asks for, if following it is cheaper than to find
    /// all matches, at a cost, and to sort them.
    func orderedWalk(
        _ plan: QueryPlan, _ descriptors: [ResultsDescriptor], cost: Double
    ) -> OrderedWalk? {
        guard case .sorted(let sorting)? = descriptors.first, !QueryPlanning.isScanOnly,
            let walk = orderedWalk(sorting)
        else { return nil }
        if QueryPlanning.prefersIndexes { return walk }
        let rows = Double(rowCount)
        let guess = plan.path == nil ? rows * PlanCost.guessedPart : rows
        let matches =
            plan.remaining.isEmpty
            ? Double(plan.candidateCount.count)
            : min(guess, Double(plan.candidateCount.count))
        let wanted = min(Double(max(0, plan.limit ?? rowCount)), matches)
        let walked = min(rows, wanted * rows / max(1, matches))
        let perRow =
            walk.index.kind == .rows && walk.ascending
            ? 1 : PlanCost.entry + PlanCost.lookup(amongRows: rowCount)
        let sorted = cost + matches * PlanCost.sortedKey * Double(matches.exponentOrZero)
        return PlanCost.seek + walked * perRow < sorted ? walk : nil
    }

    /// How many of the sorted matches are asked for: what a limit right after the sorting says.
    static func limit(_ descriptors: [ResultsDescriptor], _ limit: Int?) -> Int? {
        guard let next = descriptors.dropFirst().first else { return limit }
        guard case .limited(let offset, let count) = next else { return nil }
        let (end, isOver) = offset.addingReportingOverflow(min(count, limit ?? .max))
        return isOver ? .max : end
    }

    /// The index that has the order of properties; nil if there is none.
    private func orderedWalk(_ sorting: [SortDescriptor]) -> OrderedWalk? {
        guard let first = sorting.first, sorting.allSatisfy({ $0.ascending == first.ascending })
        else { return nil }
        var slots: [Int] = []
        for descriptor in sorting {
            guard let slot = table.slot(named: descriptor.keyPath) else { return nil }
            let property = table.properties[slot]
            guard property.collection == .none, property.type != .any, property.type != .object
            else { return nil }
            slots.append(slot)
        }
        return
            indexes
            .first { ($0.kind == .rows || $0.kind == .values) && $0.slots == slots }
            .map { OrderedWalk(index: $0, ascending: first.ascending) }
    }
}

extension Double {
    /// The logarithm to base 2, rounded down; 0 for numbers below 1.
    fileprivate var exponentOrZero: Int { self >= 1 ? Int(exponent) : 0 }
}
