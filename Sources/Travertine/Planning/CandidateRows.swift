import TravertineStore

/// Finds the rows of keys, some at a time, so that their waits for memory overlap: while the rows
/// of one batch are used, the records of the next one are on their way.
struct CandidateRows {
    private let table: TableState
    private let access: ReadAccess

    /// How many keys are looked up one by one where the search may end early.
    private static let aloneCountMax = 4

    /// Valid until the realm changes or shows another version.
    init(_ table: TableState) throws {
        self.table = table
        access = try table.session.access
    }

    /// Calls `body` with each key that has a row, and the row, in the order of the keys, until it
    /// returns false.
    ///
    /// - Parameter mayStop: whether `body` may return false after few rows.
    func forEach(
        _ keys: [UInt64], mayStop: Bool = false,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let aloneCount = mayStop || keys.count <= Self.aloneCountMax ? Self.aloneCountMax : 0
        for key in keys.prefix(aloneCount) { guard try visit(key, body) else { return } }
        if keys.count > aloneCount { try forEach(keys, from: aloneCount, body) }
    }

    /// The number of keys that have a row.
    func count(_ keys: [UInt64]) throws -> Int {
        var batch = RowBatch(access, keyspace: table.stored.rows)
        var count = 0
        for key in keys {
            batch.append(key)
            if batch.count == RowBatch.capacity {
                count += try batch.foundCount()
                batch.removeAll()
            }
        }
        return batch.count == 0 ? count : count + (try batch.foundCount())
    }

    private func visit(
        _ key: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        table.noteVisits(.row)
        guard let row = try access.value(forKey: key, in: table.stored.rows) else { return true }
        return try body(key, row)
    }

    private func forEach(
        _ keys: [UInt64], from start: Int,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var position = start
        var current = RowBatch(access, keyspace: table.stored.rows)
        var next = RowBatch(access, keyspace: table.stored.rows)
        var isCurrentFound = fill(&current, keys, &position)
        while current.count > 0 {
            let isNextFound = fill(&next, keys, &position)
            for number in 0..<current.count {
                let key = current.key(number)
                guard isCurrentFound else {
                    guard try visit(key, body) else { return }
                    continue
                }
                table.noteVisits(.row)
                guard let row = try current.row(number) else { continue }
                guard try body(key, row) else { return }
            }
            swap(&current, &next)
            isCurrentFound = isNextFound
        }
    }

    /// Takes the next keys and looks them up; false if that fails for one of them (P-Q10).
    private func fill(_ batch: inout RowBatch, _ keys: [UInt64], _ position: inout Int) -> Bool {
        batch.removeAll()
        let end = min(keys.count, position + RowBatch.capacity)
        while position < end {
            batch.append(keys[position])
            position += 1
        }
        if batch.count == 0 { return true }
        do throws(StoreError) {
            try batch.lookUp()
            return true
        } catch {
            return false
        }
    }
}
