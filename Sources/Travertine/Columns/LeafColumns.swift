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

    init(_ table: TableState, _ access: ReadAccess, _ cache: ColumnCache, _ sources: [ColumnSource])
        throws(NoColumns)
    {
        self.table = table
        self.access = access
        self.cache = cache
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

    private func build(_ leaf: LeafEntries) throws -> [LeafColumn] {
        let (count, width) = (leaf.count, slots.count)
        precondition(count <= Column.countMax, "a leaf has more rows than a column has places")
        for builder in builders { builder?.removeAll() }
        return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: count * width + 1) {
            words in
            try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * width + 1) {
                nulls in
                access.prefetchRecords(of: leaf)
                for position in 0..<count {
                    table.session.noteVisit(.row)
                    let row = try access.value(at: position, of: leaf)
                    let binding = try table.binding(of: row)
                    for number in 0..<width {
                        let place = number &* count &+ position
                        let value = table.value(at: slots[number], in: row, binding)
                        if let builder = builders[number] {
                            builder.append(value)
                            continue
                        }
                        guard case .word(let word) = value else {
                            words[place] = 0
                            nulls[place] = 1
                            continue
                        }
                        words[place] = subjects[number].word(word)
                        nulls[place] = 0
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
