import OrderedIndex
import SegmentLog

/// Rows: what the object layer writes.
extension WriteTransaction {
    /// The bytes of a row, to be changed in place; nil if the key is not there.
    ///
    /// The first call in a transaction or savepoint copies the row into the transaction's arena;
    /// later ones give the same bytes. The row is encoded once, at commit.
    package func stagedRow(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> UnsafeMutableRawBufferPointer? {
        try checkRecords(keyspace)
        let place: IndexWriter.KeyPlace
        do {
            guard let found = try writer.place(of: key, in: keyspace.treeNumber) else { return nil }
            place = found
        } catch {
            throw StoreError(error)
        }
        let location = Location(rawValue: place.value)
        if location.isStaged {
            let row = staged.row(at: location)
            if row.stamp == writer.version { return row.bytes }
        }
        let current = try access.value(at: location, verified: true)
        let added = staged.add(
            key: key, keyspace: keyspace, byteCount: current.count, stamp: writer.version)
        added.bytes.copyMemory(from: current)
        isDeleteOnly = false
        writer.replaceValue(StagedRows.location(of: added.place).rawValue, at: place)
        noteDead(location.rawValue)
        return added.bytes
    }

    /// Where the row of a number is, its key being eight bytes, big-endian; nil if there is none.
    /// For `ReadAccess.value(atPlace:)`, until the next change.
    ///
    /// Asks the processor for the row and does not wait; a change of the row that follows needs no
    /// second way down.
    package func place(ofKey key: UInt64, in keyspace: KeyspaceID) throws(StoreError) -> UInt64? {
        try checkActive()
        guard keyspace.treeNumber < writer.treeCount else { return nil }
        var bigEndian = key.bigEndian
        do throws(IndexFailure) {
            let found = try withUnsafeBytes(of: &bigEndian) { (bytes) throws(IndexFailure) in
                try writer.locate(bytes, in: keyspace.treeNumber)
            }
            guard let found else { return nil }
            segmentReader.prefetch(Location(rawValue: found))
            return found
        } catch {
            throw StoreError(error)
        }
    }

    /// Asks the processor for the leaf of a key that is about to be looked up or changed, and does
    /// not wait. Small trees, which the cache has, are left alone.
    package func ask(forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID) {
        guard isActive, keyspace.treeNumber < writer.treeCount,
            writer.trees[keyspace.treeNumber].count >= StagedEntries.askedKeyCountMin
        else { return }
        withUnsafePointer(to: key) {
            writer.prefetchLeaves(
                of: UnsafeBufferPointer(start: $0, count: 1), in: keyspace.treeNumber)
        }
    }

    /// Takes room in the arena for a new or resized row; its bytes are zero.
    package func stageRow(
        forKey key: UnsafeRawBufferPointer, byteCount: Int, in keyspace: KeyspaceID
    ) throws(StoreError) -> UnsafeMutableRawBufferPointer {
        try checkRecords(keyspace)
        guard key.count <= Store.keyByteCountMax else { throw .keyTooLarge(key.count) }
        guard byteCount <= Store.valueByteCountMax else { throw .valueTooLarge(byteCount) }
        let added = staged.add(
            key: key, keyspace: keyspace, byteCount: byteCount, stamp: writer.version)
        added.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        isDeleteOnly = false
        try enter(StagedRows.location(of: added.place), forKey: key, in: keyspace)
        return added.bytes
    }

    /// Whether a savepoint is open, whose end may need rows as they are.
    package var isInSavepoint: Bool { savepointDepth > 0 }

    /// How many rows are staged.
    package var stagedRowCount: Int { staged.count }

    /// How much memory the staged rows take.
    package var stagedByteCount: Int { staged.byteCount }

    /// Encodes the staged rows before the commit, and gives their memory back: for a transaction
    /// that changes any number of rows, each once. Addresses of staged rows are not valid any more.
    ///
    /// Stops inside a savepoint, whose end may need the rows as they were before it.
    package func flushStagedRows() throws(StoreError) {
        try checkActive()
        require(savepointDepth == 0, "rows that are staged can't be encoded inside a savepoint")
        do {
            try encodeStagedRows()
        } catch {
            throw fail(error)
        }
        staged.removeAll()
    }

    /// Encodes every staged row that the tree still points to, in key order.
    func encodeStagedRows() throws(StoreError) {
        if staged.isEmpty { return }
        var before: IndexWriter.KeyPlace?
        let order = staged.inKeyOrder()
        for (turn, row) in order.enumerated() {
            if turn % StagedRows.askedCount == 0 { askForRows(order, from: turn) }
            let location = StagedRows.location(of: row).rawValue
            try encode(staged.rows[row], staged: location, after: &before)
        }
    }

    /// Asks for what encoding the next rows reads, in three steps ahead of their turn: what the
    /// table says of them, their bytes, and their leaves.
    @inline(never)
    private func askForRows(_ order: [Int], from turn: Int) {
        let count = StagedRows.askedCount
        staged.askForTable(order.dropFirst(turn + 2 * count).prefix(count))
        staged.askForBytes(order.dropFirst(turn + count).prefix(count))
        guard let first = order[turn...].first else { return }
        let keyspace = staged.rows[first].keyspace
        guard writer.trees[keyspace.treeNumber].count >= StagedRows.askedKeyCountMin else { return }
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: count) { keys in
            var found = 0
            for place in order[turn...].prefix(count)
            where staged.rows[place].keyspace == keyspace {
                keys.initializeElement(at: found, to: staged.rows[place].key)
                found += 1
            }
            writer.prefetchLeaves(
                of: UnsafeBufferPointer(rebasing: keys[..<found]), in: keyspace.treeNumber)
        }
    }

    /// Writes a staged row if the tree still points to it: it may have been deleted, or staged
    /// again.
    ///
    /// - Parameter before: the place of the row that was looked for before, in key order.
    private func encode(
        _ row: StagedRows.Row, staged: UInt64, after before: inout IndexWriter.KeyPlace?
    ) throws(StoreError) {
        let place: IndexWriter.KeyPlace
        do {
            let found = try writer.place(of: row.key, after: before, in: row.keyspace.treeNumber)
            guard let found else { return }
            before = found
            guard found.value == staged else { return }
            place = found
        } catch {
            throw StoreError(error)
        }
        let value = UnsafeRawBufferPointer(row.bytes)
        let location = try append(.put, keyspace: row.keyspace, key: row.key, value: value)
        appended.add(location, byteCount: storedByteCount(row.key, value))
        isDeleteOnly = false
        writer.replaceValue(location.rawValue, at: place)
    }

    /// Whether the key of a number, eight bytes, big-endian, is known to belong after all others
    /// of a keyspace: mostly so after the one before it was put.
    package func isAfterLast(_ key: UInt64, in keyspace: KeyspaceID) -> Bool {
        guard isActive, keyspace.treeNumber < writer.treeCount else { return false }
        var bigEndian = key.bigEndian
        return withUnsafeBytes(of: &bigEndian) { writer.isAfterLast($0, in: keyspace.treeNumber) }
    }
}
