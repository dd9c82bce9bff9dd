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
    private let slots: [Int]
    private let numbers: [UInt32]

    init(_ table: TableState, _ access: ReadAccess, _ cache: ColumnCache, _ slots: [Int])
        throws(NoColumns)
    {
        self.table = table
        self.access = access
        self.cache = cache
        self.slots = slots
        var subjects: [ColumnSubject] = []
        for slot in slots {
            guard let subject = ColumnSubject(slot, table) else { throw NoColumns() }
            subjects.append(subject)
        }
        self.subjects = subjects
        numbers = subjects.map { cache.number(of: $0) }
    }

    /// A property has no columns.
    struct NoColumns: Error {}

    /// The columns of a leaf, in the order of the slots; `columns` is used again for each leaf.
    ///
    /// - Throws: damage of a row; nothing is kept then.
    func load(_ leaf: LeafEntries, into columns: inout [Column]) throws {
        if find(leaf, into: &columns) { return }
        columns = try build(leaf)
        for (number, column) in zip(numbers, columns) {
            cache.keep(column, ColumnCache.Key(node: leaf.node, subject: number))
        }
    }

    /// The columns of a leaf, if all are there.
    func find(_ leaf: LeafEntries, into columns: inout [Column]) -> Bool {
        columns.removeAll(keepingCapacity: true)
        for number in numbers {
            guard let found = cache.column(ColumnCache.Key(node: leaf.node, subject: number)) else {
                return false
            }
            columns.append(found)
        }
        return true
    }

    private func build(_ leaf: LeafEntries) throws -> [Column] {
        let (count, width) = (leaf.count, slots.count)
        precondition(count <= Column.countMax, "a leaf has more rows than a column has places")
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
                        guard
                            case .word(let word) = table.value(at: slots[number], in: row, binding)
                        else {
                            words[place] = 0
                            nulls[place] = 1
                            continue
                        }
                        words[place] = subjects[number].word(word)
                        nulls[place] = 0
                    }
                }
                return (0..<width).map { number in
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
