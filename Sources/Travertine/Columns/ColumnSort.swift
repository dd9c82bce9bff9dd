import OrderedIndex
import TravertineStore

/// Finds the rows that are sorted, and their first values, from columns: of one table, whose first
/// descriptor sorts by a property that columns have.
struct ColumnSort {
    private let state: ResultsState
    private let sorter: RowSorter
    private let reader: PropertyReader
    private let columns: LeafColumns
    private let number: Int
    private let condition: ColumnCondition?
    private let test: RowTest?

    /// Nil where rows must be looked at.
    init?(_ state: ResultsState, _ sorter: RowSorter) throws {
        guard state.source == nil, state.derived.isEmpty, !QueryPlanning.isScanOnly,
            let column = sorter.columns.first, column.options.isEmpty,
            let slot = column.readers[0].directSlot
        else { return nil }
        let table = state.table
        let access = try state.session.access
        let cache = table.session.columns
        guard access.isOfSnapshot, cache.isUsed else { return nil }
        var sources = ColumnCondition.Sources()
        condition =
            state.readyCondition().map {
                ColumnCondition($0.condition, table, &sources)
            } ?? .constant(true)
        guard condition != nil, let number = sources.number(of: slot, table),
            let columns = try? LeafColumns(table, access, cache, sources.columns)
        else { return nil }
        self.state = state
        self.sorter = sorter
        reader = column.readers[0]
        self.columns = columns
        self.number = number
        test = state.readyTest()
    }

    // MARK: All

    /// All matches in order.
    func sorted() throws -> [FoundRow] {
        var visitor = Gatherer(sort: self)
        if test == nil {
            let count = state.session.count(of: state.table)
            visitor.rows.reserveCapacity(count)
            visitor.values.reserveCapacity(count)
        }
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        // Values of texts are in the columns.
        defer { withExtendedLifetime(visitor.texts) {} }
        return try RowSorter(sorter, firstValues: visitor.values).sorted(visitor.rows)
    }

    /// Takes the rows that match, and their values.
    private struct Gatherer: NodeVisitor {
        let sort: ColumnSort
        var rows: [FoundRow] = []
        var values: [_RawValue] = []
        var texts: [TextColumn] = []
        var loaded: [LeafColumn] = []

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            guard try sort.columns.load(leaf, into: &loaded) else {
                return try sort.forEachRow(of: leaf) { position, key, row, value in
                    rows.append(FoundRow(key: key, bytes: row))
                    values.append(value)
                }
            }
            let access = sort.columns.access
            let column = sort.value(loaded)
            if let texts = column.texts { self.texts.append(texts) }
            access.prefetchRecords(of: leaf)
            try sort.withMask(loaded, leaf.count) { mask in
                for position in 0..<leaf.count where mask[position] != 0 {
                    let row = try access.value(at: position, of: leaf)
                    rows.append(FoundRow(key: leaf.number(position), bytes: row))
                    values.append(column.value(position, sort.reader.type.type))
                }
            }
        }
    }

    // MARK: The first ones

    /// The first matches in order: only rows of such are read as may be among them.
    func first(_ countMax: Int) throws -> [FoundRow] {
        if countMax == 0 { return [] }
        var visitor = Selector(sort: self, countMax: countMax)
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        return try sorter.sorted(try visitor.rows(), first: countMax)
    }

    /// Keeps the matches whose ranks are among the least, and those of equal rank.
    private struct Selector: NodeVisitor {
        private struct Candidate {
            var rank: UInt64
            var leaf: Int32
            var position: Int32
        }

        let sort: ColumnSort
        let countMax: Int
        private var candidates: [Candidate] = []
        private var leaves: [LeafEntries] = []
        private var loaded: [LeafColumn] = []
        /// Greater ranks are not among the first.
        private var rankMax = UInt64.max
        /// Candidates are looked through when there are so many.
        private var candidateCountMax: Int

        init(sort: ColumnSort, countMax: Int) {
            self.sort = sort
            self.countMax = countMax
            candidateCountMax = 2 * min(countMax, Int.max / 4) + 256
        }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            let formerCount = candidates.count
            let number = Int32(leaves.count)
            if try sort.columns.load(leaf, into: &loaded) {
                let column = sort.value(loaded)
                let (ascending, type) = (sort.sorter.columns[0].ascending, sort.reader.type.type)
                try sort.withMask(loaded, leaf.count) { mask in
                    for position in 0..<leaf.count where mask[position] != 0 {
                        let rank = ColumnSort.rank(column.value(position, type), type, ascending)
                        if rank <= rankMax {
                            candidates.append(
                                Candidate(rank: rank, leaf: number, position: Int32(position)))
                        }
                    }
                }
            } else {
                let (ascending, type) = (sort.sorter.columns[0].ascending, sort.reader.type.type)
                try sort.forEachRow(of: leaf) { position, _, _, value in
                    let rank = ColumnSort.rank(value, type, ascending)
                    if rank <= rankMax {
                        candidates.append(
                            Candidate(rank: rank, leaf: number, position: Int32(position)))
                    }
                }
            }
            if candidates.count == formerCount { return }
            leaves.append(leaf)
            if candidates.count > candidateCountMax { removeOthers() }
        }

        /// Removes those that more than enough others are before.
        private mutating func removeOthers() {
            let ranks = candidates.map(\.rank).sorted()
            rankMax = ranks[min(countMax, ranks.count) - 1]
            candidates.removeAll { $0.rank > rankMax }
            candidateCountMax = 2 * candidates.count + 256
        }

        /// The rows of the candidates, in key order.
        mutating func rows() throws -> [FoundRow] {
            if candidates.count > countMax { removeOthers() }
            let (access, session) = (sort.columns.access, sort.state.session)
            return try candidates.map { candidate in
                session.noteVisit(.row)
                let (leaf, position) = (leaves[Int(candidate.leaf)], Int(candidate.position))
                return FoundRow(
                    key: leaf.number(position), bytes: try access.value(at: position, of: leaf))
            }
        }
    }

    /// A number that is never greater for an earlier value than for a later one.
    @inline(__always)
    private static func rank(_ value: _RawValue, _ type: PropertyType, _ ascending: Bool) -> UInt64
    {
        if value.isNull { return ascending ? 0 : .max }
        let prefix = RowSorter.prefix(value, type)
        return (ascending ? prefix : ~prefix) >> 1
    }

    // MARK: Values

    /// The column of the first descriptor.
    fileprivate struct ValueColumn {
        let numbers: Column?
        let texts: TextColumn?
        private let nulls: UnsafeMutablePointer<UInt8>?

        init(_ column: LeafColumn, isText: Bool) {
            numbers = isText ? nil : unsafeDowncast(column, to: Column.self)
            texts = isText ? unsafeDowncast(column, to: TextColumn.self) : nil
            nulls = column.nulls
        }

        /// The value as rows store it.
        @inline(__always)
        func value(_ position: Int, _ type: PropertyType) -> _RawValue {
            if let nulls, nulls[position] != 0 { return .null }
            if let texts { return .bytes(texts.text(position)) }
            guard let numbers else { return .null }
            let word =
                switch numbers.width {
                case 1: Int64(numbers.values(as: Int8.self)[position])
                case 2: Int64(numbers.values(as: Int16.self)[position])
                case 4: Int64(numbers.values(as: Int32.self)[position])
                default: numbers.values(as: Int64.self)[position]
                }
            if type != .float { return .word(word) }
            let number = Double(bitPattern: UInt64(bitPattern: word))
            return .word(Int64(Float(number).bitPattern))
        }
    }

    private func value(_ loaded: [LeafColumn]) -> ValueColumn {
        ValueColumn(loaded[number], isText: reader.type.type == .string)
    }

    private func withMask(
        _ loaded: [LeafColumn], _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LeafColumn.countMax) { mask in
            guard let mask = mask.baseAddress, let condition else { return }
            condition.evaluate(loaded, count, mask)
            try body(mask)
        }
    }

    /// Calls `body` with each match in a leaf without columns.
    private func forEachRow(
        of leaf: LeafEntries,
        _ body: (Int, UInt64, UnsafeRawBufferPointer, _RawValue) throws -> Void
    ) throws {
        let (table, access) = (columns.table, columns.access)
        for position in 0..<leaf.count {
            table.session.noteVisit(.row)
            let row = try access.value(at: position, of: leaf)
            let (key, binding) = (leaf.number(position), try table.binding(of: row))
            if let test, try !test.matches(row, binding, key) { continue }
            try body(position, key, row, try reader.value(row, binding, key))
        }
    }
}
