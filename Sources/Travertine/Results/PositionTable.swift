import TravertineStore

/// Finds the rows of a table by their positions in the order of keys, without finding them all.
///
/// In a snapshot they are found by counts (`RowPositions`); if positions are asked for one after
/// the other, all rows of a leaf are taken at once. In a transaction, and if nothing may be kept,
/// the key of every 256th row is kept, as far as rows were walked over, and the 256 rows around the
/// position that was asked for last. They stay right while no object comes or goes.
struct PositionTable {
    private static let blockRowCount = 256

    private var membershipCount = UInt64.max
    private var rowCount = 0
    /// The key of the first row of each block, as far as rows were walked over.
    private var keys: [UInt64] = []
    /// The rows of one block, and when they were read.
    private var rows: [FoundRow] = []
    private var firstPosition = 0
    private var generation: UInt64 = 0
    private var changeCount: UInt64 = 0
    /// How many rows were walked over.
    private var walkedCount = 0
    /// The counts that were used last.
    private var counts: SummaryNode<RowCount>?
    private var lastPosition = -2

    /// The row at a position, and whether it is where it was. Nil if there is none, or if more rows
    /// were walked over than the table has: then it pays to find them all.
    mutating func row(
        at position: Int, of table: TableState, _ session: RealmSession
    ) throws -> (row: FoundRow, isCurrent: Bool)? {
        let count = session.count(of: table)
        if membershipCount != session.counts.membershipCount || rowCount != count {
            let former = counts
            self = PositionTable()
            counts = former
            membershipCount = session.counts.membershipCount
            rowCount = count
        }
        guard position >= 0, position < count else { return nil }
        if !hasRow(at: position) {
            if let row = try countedRow(at: position, table, session) { return (row, true) }
        }
        if !hasRow(at: position) {
            if walkedCount > count { return nil }
            try readBlock(position / Self.blockRowCount, table, session)
            guard hasRow(at: position) else { return nil }
        }
        let isCurrent =
            generation == session.generation.pointee.number
            && changeCount == session.counts.changeCount
        return (rows[position - firstPosition], isCurrent)
    }

    private func hasRow(at position: Int) -> Bool {
        position >= firstPosition && position - firstPosition < rows.count
    }

    /// The row at a position of a snapshot. If the one before it was asked for last, the rows of
    /// its leaf are taken instead, and nil is returned, as it is where rows must be walked over.
    private mutating func countedRow(
        at position: Int, _ table: TableState, _ session: RealmSession
    ) throws -> FoundRow? {
        let access = try session.access
        let cache = session.columns
        guard access.isOfSnapshot, cache.isUsed, !QueryPlanning.isScanOnly else { return nil }
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        guard
            let (leaf, place) = try RowPositions.leaf(
                at: position, of: table.rows, access, cache.summaries, former: &counts)
        else { return nil }
        let isNext = position == lastPosition + 1
        lastPosition = position
        func row(_ place: Int) throws -> FoundRow {
            session.noteVisit(.row)
            return FoundRow(key: leaf.number(place), bytes: try access.value(at: place, of: leaf))
        }
        if !isNext { return try row(place) }
        rows = try (0..<leaf.count).map(row)
        firstPosition = position - place
        lastPosition = firstPosition + leaf.count - 1
        generation = session.generation.pointee.number
        changeCount = session.counts.changeCount
        return nil
    }

    private mutating func readBlock(
        _ block: Int, _ table: TableState, _ session: RealmSession
    ) throws {
        rows.removeAll(keepingCapacity: true)
        firstPosition = block * Self.blockRowCount
        generation = session.generation.pointee.number
        changeCount = session.counts.changeCount
        let isLast = firstPosition + Self.blockRowCount >= rowCount
        if isLast, keys.count <= block { return try readLastBlock(table, session) }
        let nearest = min(block, keys.count - 1)
        var position = max(0, nearest) * Self.blockRowCount
        let end = min(rowCount, firstPosition + Self.blockRowCount)
        try session.scan(table, after: nearest > 0 ? keys[nearest] - 1 : nil) { key, row in
            if position % Self.blockRowCount == 0, position / Self.blockRowCount == keys.count {
                keys.append(key)
            }
            if position >= firstPosition { rows.append(FoundRow(key: key, bytes: row)) }
            position += 1
            walkedCount += 1
            return position < end
        }
    }

    /// The last block is read from the end if rows were not walked over up to it.
    private mutating func readLastBlock(_ table: TableState, _ session: RealmSession) throws {
        var cursor = try session.access.cursor(in: table.stored.rows)
        guard try cursor.seekToLast() else { return }
        repeat {
            session.noteVisit(.row)
            walkedCount += 1
            rows.append(
                FoundRow(
                    key: cursor.withKey { objectKey(in: $0) }, bytes: try cursor.value()))
        } while try rows.count < rowCount - firstPosition && cursor.previous()
        rows.reverse()
    }
}
