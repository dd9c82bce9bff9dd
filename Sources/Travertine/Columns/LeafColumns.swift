import OrderedIndex
import TravertineStore

/// Finds or builds the columns of the leaves of one table, in a snapshot.
///
/// A class, so that visitors hold one reference and no copy of what it has.
final class LeafColumns {
    let table: TableState
    let access: ReadAccess
    let cache: ColumnCache
    private let subjects: [ColumnSubject]
    let slots: [Int]
    private let numbers: [UInt32]
    /// Of each column that has texts.
    private let builders: [TextColumnBuilder?]
    @exclusivity(unchecked) private var reader: LeafRowReader

    init(_ table: TableState, _ access: ReadAccess, _ cache: ColumnCache, _ sources: [ColumnSource])
        throws(NoColumns)
    {
        self.table = table
        self.access = access
        self.cache = cache
        reader = LeafRowReader(access)
        slots = sources.map(\.slot)
        var subjects: [ColumnSubject] = []
        for source in sources {
            guard let subject = ColumnSubject(source, table) else { throw NoColumns() }
            subjects.append(subject)
        }
        self.subjects = subjects
        numbers = subjects.map { cache.number(of: $0) }
        builders = subjects.map { $0.isText ? TextColumnBuilder(folding: $0.folding) : nil }
    }

    /// A property has no columns.
    struct NoColumns: Error {}

    /// Loads the columns of a leaf, in the order of the sources; `columns` is used again for each
    /// leaf. False if the leaf has no column of one, because its texts are too long: then its rows
    /// must be looked at.
    ///
    /// - Throws: damage of a row; nothing is kept then.
    func load(_ leaf: LeafEntries, into columns: inout [LeafColumn]) throws -> Bool {
        if let areWhole = find(leaf, into: &columns) { return areWhole }
        columns = try build(leaf)
        for (number, column) in zip(numbers, columns) {
            cache.keep(column, ColumnCache.Key(node: leaf.node, subject: number))
        }
        return areWhole(columns)
    }

    /// Loads the columns of a leaf if all are there, and else returns nil.
    func find(_ leaf: LeafEntries, into columns: inout [LeafColumn]) -> Bool? {
        columns.removeAll(keepingCapacity: true)
        for number in numbers {
            guard let found = cache.column(ColumnCache.Key(node: leaf.node, subject: number)) else {
                return nil
            }
            columns.append(found)
        }
        return areWhole(columns)
    }

    private func areWhole(_ columns: [LeafColumn]) -> Bool {
        for (position, builder) in builders.enumerated() where builder != nil {
            if !unsafeDowncast(columns[position], to: TextColumn.self).hasTexts { return false }
        }
        return true
    }

    /// Reads all rows of the leaf first, so that the loop over one property's values calls nothing
    /// for most of them.
    private func build(_ leaf: LeafEntries) throws -> [LeafColumn] {
        let (count, width) = (leaf.count, slots.count)
        precondition(count <= Column.countMax, "a leaf has more rows than a column has places")
        for builder in builders { builder?.removeAll() }
        return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: count * width + 1) {
            words in
            try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * width + 1) {
                nulls in
                nulls.initialize(repeating: 0)
                try forEachRun(of: leaf) { first, rows in
                    for number in 0..<width {
                        if let builder = builders[number] {
                            try addTexts(of: rows, slots[number], to: builder)
                            continue
                        }
                        let place = number * count + first
                        try readWords(
                            of: rows, number, words.baseAddress.unsafelyUnwrapped + place,
                            nulls.baseAddress.unsafelyUnwrapped + place)
                    }
                }
                return (0..<width).map { number in
                    if let builder = builders[number] { return TextColumn(builder) }
                    let part = number * count..<(number + 1) * count
                    return Column(
                        subjects[number].kind,
                        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(words)[part]),
                        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(nulls)[part]))
                }
            }
        }
    }

    /// Calls `body` with the rows of a leaf and the position of their first: of all at once, unless
    /// one is compressed.
    private func forEachRun(
        of leaf: LeafEntries, _ body: (Int, UnsafeBufferPointer<NumberedRow>) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(of: NumberedRow.self, capacity: Column.countMax) { rows in
            guard let start = rows.baseAddress else { return }
            var first = 0
            while first < leaf.count {
                let taken = reader.takeAll(of: leaf, from: first, into: start)
                table.noteVisits(.row, taken.count)
                try body(first, UnsafeBufferPointer(start: start, count: taken.count))
                if let failure = taken.failure { throw failure }
                first += taken.count
            }
        }
    }

    private func addTexts(
        of rows: UnsafeBufferPointer<NumberedRow>, _ slot: Int, to builder: TextColumnBuilder
    ) throws {
        for row in rows {
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            builder.append(table.value(at: slot, in: bytes, try table.binding(of: bytes)))
        }
    }

    /// Reads the numbers of a column. Where they are is looked up once for rows of one layout that
    /// follow one another.
    private func readWords(
        of rows: UnsafeBufferPointer<NumberedRow>, _ number: Int,
        _ words: UnsafeMutablePointer<Int64>, _ nulls: UnsafeMutablePointer<UInt8>
    ) throws {
        let (slot, subject) = (slots[number], subjects[number])
        // No layout has that number.
        var layout = Int.max
        var byteCountMin = 2
        var offset = _FieldOffset.absent
        for position in 0..<rows.count {
            let row = rows[position]
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            guard let start = row.base, row.byteCount >= byteCountMin,
                Int(UInt16(littleEndian: start.loadUnaligned(as: UInt16.self))) == layout,
                !offset.isAbsent, !offset.isNull(in: start)
            else {
                let binding = try table.binding(of: bytes)
                layout = Int(binding.layout.number)
                byteCountMin = max(2, Int(binding.layout.fixedByteCount))
                offset = binding.places[slot]
                let value = table.value(at: slot, in: bytes, binding)
                if case .word(let word) = value {
                    words[position] = word
                } else {
                    words[position] = 0
                    nulls[position] = 1
                }
                continue
            }
            words[position] = offset.word(in: start)
        }
        guard subject.type == .float else { return }
        for position in 0..<rows.count where nulls[position] == 0 {
            words[position] = subject.word(words[position])
        }
    }
}

extension ColumnSubject {
    /// What a column has for a stored word.
    @inline(__always)
    fileprivate func word(_ word: Int64) -> Int64 {
        if type != .float { return word }
        let number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
        return Int64(bitPattern: number.bitPattern)
    }
}
