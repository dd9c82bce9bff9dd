import OrderedIndex
import TravertineStore

/// Sorting all matches.
extension ColumnSort {
    /// All matches in order. Values come from columns, and rows are read for descriptors after the
    /// first one only, where its values are equal.
    func sorted() throws -> [FoundRow] {
        var visitor = Gatherer(sort: self, isText: reader.type.type == .string)
        if test == nil { visitor.reserveCapacity(state.session.count(of: state.table)) }
        columns.buildAhead()
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        // The bytes of texts are in their columns.
        defer { withExtendedLifetime(visitor.columns) {} }
        let ties = self.ties
        var (rows, runs) = order(visitor, findsRuns: ties != .inKeyOrder)
        if ties == .inKeyOrder { return rows }
        let others = RowSorter(afterFirstOf: sorter)
        for run in runs {
            if ties == .reversed {
                rows[run].reverse()
            } else {
                rows.replaceSubrange(run, with: try others.sorted(Array(rows[run])))
            }
        }
        return rows
    }

    private func order(
        _ gathered: Gatherer, findsRuns: Bool
    ) -> (rows: [FoundRow], runs: [Range<Int>]) {
        let ascending = sorter.columns[0].ascending
        let (positions, runs) =
            gathered.isText
            ? TextOrder(gathered.texts, ascending: ascending).sorted(findsRuns: findsRuns)
            : PrefixSort.sorted(gathered.items, findsRuns: findsRuns)
        let nulls = gathered.nulls
        let rows = [FoundRow](unsafeUninitializedCapacity: gathered.rows.count) { target, count in
            count = gathered.rows.count
            guard let start = target.baseAddress else { return }
            gathered.rows.withUnsafeBufferPointer { rows in
                let valuesStart = start + (ascending ? nulls.count : 0)
                for (place, position) in positions.enumerated() {
                    (valuesStart + place).initialize(to: rows[position])
                }
                let nullsStart = start + (ascending ? 0 : positions.count)
                for (place, position) in nulls.enumerated() {
                    (nullsStart + place).initialize(to: rows[position])
                }
            }
        }
        if !findsRuns { return (rows, []) }
        let (first, second) = ascending ? (nulls.count, 0) : (0, positions.count)
        var all = runs.map { $0.lowerBound + first..<$0.upperBound + first }
        if nulls.count > 1 { all.append(second..<second + nulls.count) }
        return (rows, all)
    }

    /// How rows with equal first values are ordered, beside by their keys.
    private enum Ties {
        case inKeyOrder
        case reversed
        case byOtherDescriptors
    }

    private var ties: Ties {
        guard sorter.columns.count > 1 else { return .inKeyOrder }
        let second = sorter.columns[1]
        let table = columns.table
        // The keys of rows are in the order of such a primary key, and no two are equal.
        if let slot = second.readers[0].directSlot, table.properties[slot].isPrimaryKey,
            table.stored.keyKind == .integerPrimaryKey
        {
            return second.ascending ? .inKeyOrder : .reversed
        }
        return .byOtherDescriptors
    }

    /// Takes the rows that match in key order, and the values that they are sorted by.
    fileprivate struct Gatherer: NodeVisitor {
        let sort: ColumnSort
        let isText: Bool
        var rows: [FoundRow] = []
        /// The values with the positions of their rows.
        var items: [PrefixSort.Item] = []
        var texts: [TextOrder.Text] = []
        /// The positions of the rows with nil.
        var nulls: [Int] = []
        var columns: [TextColumn] = []
        private var loaded: [LeafColumn] = []

        init(sort: ColumnSort, isText: Bool) {
            self.sort = sort
            self.isText = isText
        }

        mutating func reserveCapacity(_ count: Int) {
            rows.reserveCapacity(count)
            if isText { texts.reserveCapacity(count) } else { items.reserveCapacity(count) }
        }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            let type = sort.reader.type.type
            guard try sort.columns.load(leaf, into: &loaded) else {
                return try sort.forEachRow(of: leaf) { _, key, row, value in
                    take(FoundRow(key: key, bytes: row), value, type)
                }
            }
            let access = sort.columns.access
            let column = sort.value(loaded)
            if let texts = column.texts { columns.append(texts) }
            access.prefetchRecords(of: leaf)
            try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: leaf.count) { keys in
                guard let keys = keys.baseAddress else { return }
                leaf.copyNumbers(to: keys)
                try sort.withMask(loaded, leaf.count) { mask in
                    for position in 0..<leaf.count where mask[position] != 0 {
                        let row = try access.value(at: position, of: leaf)
                        take(
                            FoundRow(key: keys[position], bytes: row),
                            column.value(position, type), type)
                    }
                }
            }
        }

        @inline(__always)
        private mutating func take(_ row: FoundRow, _ value: _RawValue, _ type: PropertyType) {
            switch value {
            case .null: nulls.append(rows.count)
            case .bytes(let bytes): texts.append(TextOrder.Text(bytes, position: rows.count))
            case .word:
                let prefix = RowSorter.prefix(value, type)
                items.append(
                    PrefixSort.Item(
                        prefix: sort.sorter.columns[0].ascending ? prefix : ~prefix,
                        position: rows.count))
            }
            rows.append(row)
        }
    }
}
