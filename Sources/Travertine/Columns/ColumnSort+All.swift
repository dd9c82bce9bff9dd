import OrderedIndex
import TravertineStore

/// Sorting all matches.
extension ColumnSort {
    /// All matches in order. Values come from columns, and rows are read for descriptors after the
    /// first one only, where its values are equal.
    func sorted() throws -> ResultsState.Matches {
        let ties = self.ties
        var visitor = Gatherer(sort: self, isText: reader.type.type == .string)
        if test == nil { visitor.reserveCapacity(state.session.count(of: state.table)) }
        columns.buildAhead()
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        // The bytes of texts are in their columns.
        defer { withExtendedLifetime(visitor.columns) {} }
        var (ranks, runs) = order(visitor, findsRuns: ties != .inKeyOrder)
        if ties == .reversed { for run in runs { ranks[run].reverse() } }
        let sorted = SortedSelection(visitor.selection, ranks: ranks)
        if ties != .byOtherDescriptors { return .sorted(sorted) }
        var rows = try sorted.rows(columns.access)
        let others = RowSorter(afterFirstOf: sorter)
        for run in runs {
            rows.replaceSubrange(run, with: try others.sorted(Array(rows[run])))
        }
        return .rows(rows)
    }

    /// The ranks of the matches in order, and the ranges of those with equal values if they are
    /// wanted.
    private func order(
        _ gathered: Gatherer, findsRuns: Bool
    ) -> (ranks: [UInt32], runs: [Range<Int>]) {
        let ascending = sorter.columns[0].ascending
        let (positions, runs) =
            gathered.isText
            ? TextOrder(gathered.texts, ascending: ascending).sorted(findsRuns: findsRuns)
            : PrefixSort.sorted(gathered.items, findsRuns: findsRuns)
        let nulls = gathered.nulls
        var ranks: [UInt32] = []
        ranks.reserveCapacity(gathered.count)
        if ascending { for position in nulls { ranks.append(UInt32(position)) } }
        for position in positions { ranks.append(UInt32(position)) }
        if !ascending { for position in nulls { ranks.append(UInt32(position)) } }
        if !findsRuns { return (ranks, []) }
        let (first, second) = ascending ? (nulls.count, 0) : (0, positions.count)
        var all = runs.map { $0.lowerBound + first..<$0.upperBound + first }
        if nulls.count > 1 { all.append(second..<second + nulls.count) }
        return (ranks, all)
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

    /// Takes the values of the rows that match, in key order.
    fileprivate struct Gatherer: NodeVisitor {
        let sort: ColumnSort
        let isText: Bool
        var selection = RowSelection()
        /// The values with the ranks of their rows.
        var items: [PrefixSort.Item] = []
        var texts: [TextOrder.Text] = []
        /// The ranks of the rows with nil.
        var nulls: [Int] = []
        var count = 0
        var columns: [TextColumn] = []
        private var loaded: [LeafColumn] = []

        init(sort: ColumnSort, isText: Bool) {
            self.sort = sort
            self.isText = isText
        }

        mutating func reserveCapacity(_ count: Int) {
            if isText { texts.reserveCapacity(count) } else { items.reserveCapacity(count) }
        }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            let type = sort.reader.type.type
            guard try sort.columns.load(leaf, into: &loaded) else {
                var words = SIMD4<UInt64>.zero
                try sort.forEachRow(of: leaf) { position, _, _, value in
                    words[position >> 6] |= 1 << UInt64(position & 63)
                    take(value, type)
                }
                return selection.append(LeafPositions(words: words), of: leaf, part: 0)
            }
            let column = sort.value(loaded)
            if let texts = column.texts { columns.append(texts) }
            let positions = sort.positions(loaded, leaf.count)
            var rest = positions
            rest.drain { position in
                take(column.value(position, type), type)
                return true
            }
            selection.append(positions, of: leaf, part: 0)
        }

        @inline(__always)
        private mutating func take(_ value: _RawValue, _ type: PropertyType) {
            switch value {
            case .null: nulls.append(count)
            case .bytes(let bytes): texts.append(TextOrder.Text(bytes, position: count))
            case .word:
                let prefix = RowSorter.prefix(value, type)
                items.append(
                    PrefixSort.Item(
                        prefix: sort.sorter.columns[0].ascending ? prefix : ~prefix,
                        position: count))
            }
            count += 1
        }
    }
}
