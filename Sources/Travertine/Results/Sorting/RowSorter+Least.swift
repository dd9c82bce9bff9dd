/// The first rows in order, and the last one, without sorting all of them.
extension RowSorter {
    /// A row as it is compared where not all are sorted.
    private struct Candidate {
        var prefix: UInt64
        var isNull: Bool
        var position: Int
    }

    /// The first ones in order, from a heap of so many whose root is the last of them.
    func least(_ countMax: Int, of rows: [FoundRow]) throws -> [FoundRow] {
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
}
