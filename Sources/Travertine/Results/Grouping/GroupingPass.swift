import TravertineStore

/// Goes over rows once, and adds up properties for each different value of another one.
struct GroupingPass {
    struct Group {
        /// The first row with the value.
        let row: FoundRow
        let count: Int
        /// Of each property that is added up.
        let accumulators: [_AggregateAccumulator]
    }

    /// The groups in the order of their values, nil first.
    private(set) var groups: [Group] = []

    /// What is read of the rows of one table.
    struct Readers {
        let key: PropertyReader
        let properties: [AggregatedProperty]

        /// Stops for what nothing can be grouped by or added up of.
        init(_ keyName: String, _ names: [String], _ table: TableState) {
            key = GroupingPass.keyReader(keyName, table)
            properties = names.map { AggregatedProperty(AggregatedProperty.reader($0, table)) }
        }

        init(key: PropertyReader, properties: [AggregatedProperty]) {
            self.key = key
            self.properties = properties
        }

        /// Adds a row to its group.
        func add(_ row: FoundRow, _ table: TableState, to groups: inout GroupTable) throws {
            let binding = try table.binding(of: row.bytes)
            let raw = try key.value(row.bytes, binding, row.key)
            let number = groups.number(of: raw) { row }
            groups.count(number)
            try groups.withAccumulators { accumulators, width in
                for (place, property) in properties.enumerated() {
                    try property.add(
                        row.bytes, binding, to: &accumulators[number * width + place])
                }
            }
        }
    }

    /// The reader of the property that groups have in common; stops for what can't be one.
    static func keyReader(_ name: String, _ table: TableState) -> PropertyReader {
        let reader = PropertyReader.required(KeyPathSteps.path(of: name), table)
        require(
            !reader.hasManyValues,
            "Cannot group by '\(name)': it leads through or to a collection.")
        return reader
    }

    init(_ keyName: String, _ names: [String], _ state: ResultsState) throws {
        require(
            state.source?.element == nil,
            "Cannot group by '\(keyName)': the elements are values, which have no properties.")
        let first = Readers(keyName, names, state.table)
        var groups = GroupTable(first.key.type.type, width: names.count)
        if let grouping = try ColumnGrouping(state, first) {
            // The bytes of texts are in their columns.
            let held = try grouping.add(to: &groups)
            self.groups = withExtendedLifetime(held) { Self.ordered(groups, names.count) }
            return
        }
        /// The readers of the other tables that rows were found of so far.
        var others: [UInt32: Readers] = [:]
        _ = try state.session.access
        try state.forEachResult { row in
            if row.isElement { return }
            let table = state.table(of: row)
            if row.part == 0 { return try first.add(row, table, to: &groups) }
            let readers = others[row.part] ?? Readers(keyName, names, table)
            others[row.part] = readers
            try readers.add(row, table, to: &groups)
        }
        self.groups = Self.ordered(groups, names.count)
    }

    private static func ordered(_ groups: GroupTable, _ width: Int) -> [Group] {
        groups.order.map { number in
            Group(
                row: groups.rows[number], count: groups.counts[number],
                accumulators: Array(groups.accumulators[number * width..<(number + 1) * width]))
        }
    }
}
