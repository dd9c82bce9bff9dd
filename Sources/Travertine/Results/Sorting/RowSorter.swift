import TravertineStore

/// Sorts found rows by descriptors; equal ones stay in the order that they had.
///
/// Nil comes first, then NaN, then numbers; strings and data are ordered by their bytes, which for
/// strings is the order of their Unicode scalars.
///
/// Each row's first value is read once, and its first eight bytes are sorted (`PrefixSort`); for
/// numbers these are the whole value. Only rows with equal ones are compared further.
struct RowSorter {
    private typealias Item = PrefixSort.Item

    /// What one descriptor sorts by.
    struct Column {
        /// Of each table.
        let readers: [PropertyReader]
        let type: PropertyType
        let ascending: Bool
        let options: SortDescriptor.Options
        /// Whether equal prefixes mean equal values.
        let isExact: Bool

        /// A value's place in the order: small ones come first, whatever the direction.
        @inline(__always)
        func prefix(_ value: _RawValue) -> UInt64 {
            var prefix = RowSorter.prefix(value, type)
            if case .bytes(let bytes) = value, !options.isEmpty {
                prefix = SortKey.bytes(of: bytes, options).withUnsafeBytes {
                    RowSorter.prefix(of: $0)
                }
            }
            return ascending ? prefix : ~prefix
        }
    }

    private let tables: [TableState]
    let columns: [Column]

    /// A sorter by all descriptors but the first one, for rows whose values of that are equal.
    init(afterFirstOf other: RowSorter) {
        tables = other.tables
        columns = Array(other.columns.dropFirst())
    }

    init(_ descriptors: [SortDescriptor], _ tables: [TableState]) {
        self.tables = tables
        columns = descriptors.map { descriptor in
            do throws(QueryProblem) {
                return try Self.column(descriptor, tables)
            } catch {
                misuse(error.message)
            }
        }
    }

    /// Throws what keeps a descriptor from sorting rows of tables.
    static func check(
        _ descriptor: SortDescriptor, _ tables: [TableState]
    ) throws(QueryProblem) {
        _ = try column(descriptor, tables)
    }

    private static func column(
        _ descriptor: SortDescriptor, _ tables: [TableState]
    ) throws(QueryProblem) -> Column {
        let path = try KeyPathSteps.checkedPath(of: descriptor.keyPath)
        var readers: [PropertyReader] = []
        for table in tables { readers.append(try PropertyReader(path, table)) }
        let type = readers[0].type.type
        for reader in readers where reader.hasManyValues || reader.type.type == .object {
            throw QueryProblem(
                message: "Cannot sort on key path '\(descriptor.keyPath)': it leads "
                    + "\(reader.hasManyValues ? "through or to a collection" : "to an object").")
        }
        try checkIsString(type, descriptor)
        return Column(
            readers: readers, type: type, ascending: descriptor.ascending,
            options: descriptor.options, isExact: type.shape == .word)
    }

    /// Throws for options on anything but strings.
    static func checkIsString(
        _ type: PropertyType, _ descriptor: SortDescriptor
    ) throws(QueryProblem) {
        if descriptor.options.isEmpty || type == .string { return }
        throw QueryProblem(
            message: "Cannot sort on key path '\(descriptor.keyPath)' with options: they are for "
                + "strings, and it is \(type).")
    }

    /// Stops for options on anything but strings.
    static func requireString(_ type: PropertyType, _ descriptor: SortDescriptor) {
        do throws(QueryProblem) {
            try checkIsString(type, descriptor)
        } catch {
            misuse(error.message)
        }
    }

    // MARK: Sorting

    /// The rows in order; only the first ones of them if that is all that is wanted.
    func sorted(_ rows: [FoundRow], first countMax: Int? = nil) throws -> [FoundRow] {
        if columns.isEmpty || rows.count < 2 { return rows }
        if let countMax, countMax < rows.count / 4 { return try least(countMax, of: rows) }
        return try withUnsafeTemporaryAllocation(of: Item.self, capacity: 2 * rows.count) { room in
            let items = UnsafeMutableBufferPointer(rebasing: room[..<rows.count])
            let scratch = UnsafeMutableBufferPointer(rebasing: room[rows.count...])
            for position in 0..<rows.count {
                items.initializeElement(at: position, to: Item(prefix: 0, position: position))
            }
            scratch.initialize(repeating: Item(prefix: 0, position: 0))
            try sort(items, scratch, rows, 0)
            return items.map { rows[$0.position] }
        }
    }

    /// Sorts items by a column and those after it; equal ones stay as they are.
    private func sort(
        _ items: UnsafeMutableBufferPointer<Item>, _ scratch: UnsafeMutableBufferPointer<Item>,
        _ rows: [FoundRow], _ columnNumber: Int
    ) throws {
        guard items.count > 1, columnNumber < columns.count else { return }
        let column = columns[columnNumber]
        var valueCount = 0
        var nullCount = 0
        for item in items {
            let value = try value(rows[item.position], column)
            if value.isNull {
                scratch[nullCount] = item
                nullCount += 1
            } else {
                items[valueCount] = Item(prefix: column.prefix(value), position: item.position)
                valueCount += 1
            }
        }
        var (values, nulls) = (0..<valueCount, valueCount..<items.count)
        if nullCount > 0 {
            if column.ascending {
                for position in values.reversed() { items[position + nullCount] = items[position] }
                (values, nulls) = (nullCount..<items.count, 0..<nullCount)
            }
            for position in 0..<nullCount { items[nulls.lowerBound + position] = scratch[position] }
            try sort(part(items, nulls), part(scratch, nulls), rows, columnNumber + 1)
        }
        PrefixSort.sort(part(items, values), part(scratch, values))
        if column.isExact, columnNumber == columns.count - 1 { return }
        let isEqual = { items[$0].prefix == items[$1].prefix }
        try forEachRun(items, values, isEqual) { run in
            if column.isExact {
                try sort(part(items, run), part(scratch, run), rows, columnNumber + 1)
            } else {
                try sortByWholeValue(part(items, run), part(scratch, run), rows, columnNumber)
            }
        }
    }

    /// Sorts items whose prefixes are equal by the values that these begin.
    private func sortByWholeValue(
        _ items: UnsafeMutableBufferPointer<Item>, _ scratch: UnsafeMutableBufferPointer<Item>,
        _ rows: [FoundRow], _ columnNumber: Int
    ) throws {
        let column = columns[columnNumber]
        if column.type == .string || column.type == .data, column.options.isEmpty {
            var texts: [UnsafeRawBufferPointer] = []
            texts.reserveCapacity(items.count)
            for (position, item) in items.enumerated() {
                let value = try value(rows[item.position], column)
                guard case .bytes(let text) = value else { continue }
                texts.append(text)
                scratch[position] = item
                items[position].position = position
            }
            assert(texts.count == items.count, "values without prefix were separated")
            texts.withUnsafeBufferPointer {
                TextSort($0, ascending: column.ascending).sort(items)
            }
            let order = items.map(\.position)
            for position in items.indices { items[position] = scratch[order[position]] }
            let isEqual = { texts[order[$0]].isSame(as: texts[order[$1]]) }
            try forEachRun(items, 0..<items.count, isEqual) { run in
                try sort(part(items, run), part(scratch, run), rows, columnNumber + 1)
            }
            return
        }
        var values: [WholeValue] = []
        values.reserveCapacity(items.count)
        for item in items {
            values.append(
                WholeValue(try value(rows[item.position], column), column.options))
        }
        let order = values.indices.sorted { left, right in
            let order = values[left].order(to: values[right], column.type)
            return order == 0 ? left < right : (order < 0) == column.ascending
        }
        for (position, former) in order.enumerated() { scratch[position] = items[former] }
        for position in items.indices { items[position] = scratch[position] }
        let isEqual = { values[order[$0]].order(to: values[order[$1]], column.type) == 0 }
        try forEachRun(items, 0..<items.count, isEqual) { run in
            try sort(part(items, run), part(scratch, run), rows, columnNumber + 1)
        }
    }

    private func part(
        _ items: UnsafeMutableBufferPointer<Item>, _ range: Range<Int>
    ) -> UnsafeMutableBufferPointer<Item> {
        UnsafeMutableBufferPointer(rebasing: items[range])
    }

    /// Calls `body` with the positions of two or more neighbours that are equal.
    private func forEachRun(
        _ items: UnsafeMutableBufferPointer<Item>, _ range: Range<Int>,
        _ isEqual: (Int, Int) -> Bool, _ body: (Range<Int>) throws -> Void
    ) throws {
        var start = range.lowerBound
        for position in range {
            let next = position + 1
            if next < range.upperBound, isEqual(start, next) { continue }
            if next - start > 1 { try body(start..<next) }
            start = next
        }
    }

    /// Less than 0, 0, or more than 0: the order of two rows, of whichever search they are.
    func order(_ left: FoundRow, _ right: FoundRow) throws -> Int {
        for column in columns {
            let (first, second) = (try value(left, column), try value(right, column))
            if first.isNull != second.isNull { return first.isNull == column.ascending ? -1 : 1 }
            let order = WholeValue(first, column.options)
                .order(to: WholeValue(second, column.options), column.type)
            if order != 0 { return (order < 0) == column.ascending ? -1 : 1 }
        }
        return 0
    }

    // MARK: Values

    /// The value that a row is sorted by.
    @inline(__always)
    func value(_ row: FoundRow, _ column: Column) throws -> _RawValue {
        // An entry of a map that is nil.
        if row.isElement { return .null }
        let part = Int(row.part)
        return try column.readers[part].value(
            row.bytes, try tables[part].binding(of: row.bytes), row.key)
    }
}
