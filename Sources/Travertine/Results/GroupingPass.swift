import TravertineStore

/// Goes over rows once, and adds up properties for each different value of another one.
struct GroupingPass {
    struct Group {
        /// The first row with the value.
        let row: FoundRow
        var count: Int
        /// Of each property that is added up.
        var accumulators: [_AggregateAccumulator]
    }

    /// The groups in the order of their values, nil first.
    private(set) var groups: [Group] = []

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
        /// The readers of the tables that rows were found of so far.
        var readers: [UInt32: (key: PropertyReader, properties: [AggregatedProperty])] = [:]
        func makeReaders(_ table: TableState) -> (PropertyReader, [AggregatedProperty]) {
            let reader = Self.keyReader(keyName, table)
            let properties = names.map {
                AggregatedProperty(AggregatedProperty.reader($0, table))
            }
            return (reader, properties)
        }
        let first = makeReaders(state.table)
        readers[0] = first
        let type = first.0.type.type
        var values = DistinctValues(type)
        var rawKeys: [_RawValue] = []
        let empty = names.map { _ in _AggregateAccumulator() }
        var groups: [Group] = []
        _ = try state.session.access
        try state.forEachResult { row in
            if row.isElement { return }
            let table = state.table(of: row)
            let (reader, properties) =
                row.part == 0 ? first : readers[row.part] ?? makeReaders(table)
            if row.part != 0 { readers[row.part] = (reader, properties) }
            let binding = try table.binding(of: row.bytes)
            let raw = try reader.value(row.bytes, binding, row.key)
            let (number, isNew) = values.number(of: raw)
            if isNew {
                rawKeys.append(raw)
                groups.append(Group(row: row, count: 0, accumulators: empty))
            }
            groups[number].count += 1
            for (place, property) in properties.enumerated() {
                try property.add(row.bytes, binding, to: &groups[number].accumulators[place])
            }
        }
        let order = groups.indices.sorted {
            let order = RowSorter.order(rawKeys[$0], rawKeys[$1], type)
            return order == 0 ? $0 < $1 : order < 0
        }
        self.groups = order.map { groups[$0] }
    }
}
