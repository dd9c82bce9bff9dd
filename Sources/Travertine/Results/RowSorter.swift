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
        fileprivate func prefix(_ value: _RawValue) -> UInt64 {
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

    // MARK: The first ones

    /// A row as it is compared where not all are sorted.
    private struct Candidate {
        var prefix: UInt64
        var isNull: Bool
        var position: Int
    }

    /// The first ones in order, from a heap of so many whose root is the last of them.
    private func least(_ countMax: Int, of rows: [FoundRow]) throws -> [FoundRow] {
        if countMax == 0 { return [] }
        var heap: [Candidate] = []
        heap.reserveCapacity(countMax)
        for position in rows.indices {
            let candidate = try candidate(position, rows)
            if heap.count < countMax {
                heap.append(candidate)
                try siftUp(&heap, rows)
            } else if try precedes(candidate, heap[0], rows) {
                heap[0] = candidate
                try siftDown(&heap, heap.count, rows)
            }
        }
        for end in heap.indices.dropFirst().reversed() {
            heap.swapAt(0, end)
            try siftDown(&heap, end, rows)
        }
        return heap.map { rows[$0.position] }
    }

    private func siftUp(_ heap: inout [Candidate], _ rows: [FoundRow]) throws {
        var position = heap.count - 1
        while position > 0 {
            let parent = (position - 1) / 2
            guard try precedes(heap[parent], heap[position], rows) else { return }
            heap.swapAt(parent, position)
            position = parent
        }
    }

    private func siftDown(_ heap: inout [Candidate], _ end: Int, _ rows: [FoundRow]) throws {
        var position = 0
        while true {
            var child = 2 * position + 1
            if child >= end { return }
            if child + 1 < end, try precedes(heap[child], heap[child + 1], rows) { child += 1 }
            guard try precedes(heap[position], heap[child], rows) else { return }
            heap.swapAt(position, child)
            position = child
        }
    }

    /// The last row in order.
    func last(of rows: [FoundRow]) throws -> FoundRow? {
        if columns.isEmpty || rows.count < 2 { return rows.last }
        var last = try candidate(0, rows)
        for position in rows.indices.dropFirst() {
            let candidate = try candidate(position, rows)
            if try precedes(last, candidate, rows) { last = candidate }
        }
        return rows[last.position]
    }

    private func candidate(_ position: Int, _ rows: [FoundRow]) throws -> Candidate {
        let value = try value(rows[position], columns[0])
        return Candidate(
            prefix: value.isNull ? 0 : columns[0].prefix(value), isNull: value.isNull,
            position: position)
    }

    private func precedes(
        _ left: Candidate, _ right: Candidate, _ rows: [FoundRow]
    ) throws -> Bool {
        if left.isNull != right.isNull { return left.isNull == columns[0].ascending }
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let (first, second) = (rows[left.position], rows[right.position])
        for column in columns.dropFirst(columns[0].isExact ? 1 : 0) {
            let order = WholeValue(try value(first, column), column.options)
                .order(to: WholeValue(try value(second, column), column.options), column.type)
            if order != 0 { return (order < 0) == column.ascending }
        }
        return left.position < right.position
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

    /// A value with its options applied, to be compared with others.
    private struct WholeValue {
        private let raw: _RawValue
        private let key: [UInt8]?

        init(_ raw: _RawValue, _ options: SortDescriptor.Options) {
            self.raw = raw
            if case .bytes(let bytes) = raw, !options.isEmpty {
                key = SortKey.bytes(of: bytes, options)
            } else {
                key = nil
            }
        }

        func order(to other: WholeValue, _ type: PropertyType) -> Int {
            guard let key, let otherKey = other.key else {
                return RowSorter.order(raw, other.raw, type)
            }
            return key.withUnsafeBytes { key in otherKey.withUnsafeBytes { key.order(to: $0) } }
        }
    }

    /// The value that a row is sorted by.
    @inline(__always)
    private func value(_ row: FoundRow, _ column: Column) throws -> _RawValue {
        // An entry of a map that is nil.
        if row.isElement { return .null }
        let part = Int(row.part)
        return try column.readers[part].value(
            row.bytes, try tables[part].binding(of: row.bytes), row.key)
    }

    /// Less than 0, 0, or more than 0: the order of two values of a type.
    static func order(_ left: _RawValue, _ right: _RawValue, _ type: PropertyType) -> Int {
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bytes(let left), .bytes(let right)):
            return left.order(to: right, type: type)
        default:
            let first = prefix(left, type)
            let second = prefix(right, type)
            return first == second ? 0 : first < second ? -1 : 1
        }
    }

    @inline(__always)
    static func prefix(_ value: _RawValue, _ type: PropertyType) -> UInt64 {
        switch value {
        case .null: return 0
        case .word(let word): return IndexKey.ordered(word, type: type)
        case .bytes(let bytes) where type == .decimal128 && bytes.count == 16:
            return UInt64(truncatingIfNeeded: Decimal128(stored: bytes).orderingKey >> 64)
        case .bytes(let bytes) where type == .any:
            return MixedCode.withNormal(bytes) { prefix(of: $0) }
        case .bytes(let bytes): return prefix(of: bytes)
        }
    }

    static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return prefix
    }
}
