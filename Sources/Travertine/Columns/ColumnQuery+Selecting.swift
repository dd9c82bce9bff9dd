import OrderedIndex
import TravertineStore

/// Selecting rows by columns, in place of testing them (S-Q1 to S-Q4).
extension ColumnQuery {
    /// Adds the rows that fulfil the condition; none is read but those whose columns are not there.
    ///
    /// - Parameters:
    ///   - test: the same condition for rows.
    ///   - part: the part of the results that they are.
    func select(_ test: RowTest, part: Int, into selection: inout RowSelection) throws {
        columns.buildAhead()
        var visitor = SelectionVisitor(query: self, test: test, part: part, selection: selection)
        selection = RowSelection()
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        selection = visitor.selection
    }
}

private struct SelectionVisitor: NodeVisitor {
    let query: ColumnQuery
    let test: RowTest
    let part: Int
    var selection: RowSelection
    var loaded: [LeafColumn] = []

    mutating func enter(_ node: NodeIdentity) -> Bool { true }

    mutating func leave(_ node: NodeIdentity) {}

    mutating func visit(_ leaf: LeafEntries) throws {
        let positions =
            try query.columns.load(leaf, into: &loaded)
            ? query.condition.positions(loaded, leaf.count)
            : try testedPositions(leaf)
        selection.append(positions, of: leaf, part: part)
    }

    /// The positions in a leaf without columns, from its rows.
    private func testedPositions(_ leaf: LeafEntries) throws -> LeafPositions {
        var words = SIMD4<UInt64>.zero
        let table = query.columns.table
        for position in 0..<leaf.count {
            table.noteVisits(.row)
            let row = try query.columns.access.value(at: position, of: leaf)
            if try test.matches(row, try table.binding(of: row), leaf.number(position)) {
                words[position >> 6] |= 1 << UInt64(position & 63)
            }
        }
        return LeafPositions(words: words)
    }
}

extension ColumnCondition {
    /// The positions of the rows of a leaf that fulfil the condition.
    func positions(_ columns: [LeafColumn], _ count: Int) -> LeafPositions {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { memory in
            guard let start = memory.baseAddress else { return LeafPositions(words: .zero) }
            let mask = start.bindMemory(to: UInt8.self, capacity: 256)
            evaluate(columns, count, mask)
            // What is after the rows is undefined.
            (mask + count).update(repeating: 0, count: 256 - count)
            var words = SIMD4<UInt64>.zero
            for number in 0..<4 {
                var word: UInt64 = 0
                for group in 0..<8 {
                    // The lowest bits of eight bytes become one byte: no two sums meet in a bit.
                    let bytes = UInt64(
                        littleEndian: (start + (64 &* number &+ 8 &* group)).load(as: UInt64.self))
                    let byte = (bytes &* 0x0102_0408_1020_4080) &>> 56
                    word |= byte &<< UInt64(8 &* group)
                }
                words[number] = word
            }
            return LeafPositions(words: words)
        }
    }
}
