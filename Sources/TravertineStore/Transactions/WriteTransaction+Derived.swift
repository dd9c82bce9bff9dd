import OrderedIndex
import SegmentLog

/// Derived keyspaces: numbers under keys, which can be made again from the records.
extension WriteTransaction {
    /// Stores a number under a key of a derived keyspace, whatever it had. The tree may get the
    /// entry later, with others (`StagedEntries`): what reads it sees that it is there.
    package func indexEnter(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) {
        try checkDerived(keyspace)
        guard entries.isTaking(keyspace) else {
            try indexPut(key, value: value, in: keyspace)
            return
        }
        try appendPut(of: key, value: value, in: keyspace)
        entries.append(key, value, in: keyspace)
    }

    /// Puts the entries that are staged into their trees.
    ///
    /// - Throws: `.damaged` when that failed, now or before; the transaction can only be rolled
    ///   back.
    func applyEntries() throws(StoreError) {
        entries.applyAll()
        if let failure = entries.failure { throw fail(failure) }
    }

    /// Puts the staged entries of a keyspace into its tree, which is about to be changed otherwise.
    @inline(__always)
    private func applyEntries(of keyspace: KeyspaceID) throws(StoreError) {
        if entries.has(keyspace) { try applyEntries() }
    }

    /// Stores a number under a key of a derived keyspace; returns the one it replaces.
    @discardableResult
    package func indexPut(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        try checkDerived(keyspace)
        try applyEntries(of: keyspace)
        try appendPut(of: key, value: value, in: keyspace)
        do {
            return try writer.insert(key, value: value, in: keyspace.treeNumber)
        } catch {
            throw fail(StoreError(error))
        }
    }

    /// Deletes a key of a derived keyspace; returns the number that it had.
    @discardableResult
    package func indexDelete(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        try checkDerived(keyspace)
        try applyEntries(of: keyspace)
        guard let found = try find(key, in: keyspace) else { return nil }
        try appendDerived(.indexDelete, key: key, in: keyspace)
        try remove(found)
        return found.value
    }

    /// Adds to the number of a key of a derived keyspace, which is 0 if the key is not there; a key
    /// whose number is not above 0 then is deleted.
    package func indexAdd(
        _ change: Int, toNumberOf key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        try checkDerived(keyspace)
        try applyEntries(of: keyspace)
        let found = try find(key, in: keyspace)
        let (number, isTooMuch) = Int(clamping: found?.value ?? 0).addingReportingOverflow(change)
        if isTooMuch {
            throw StoreError(
                .damaged,
                "A number of a derived keyspace can't be what is counted there. Run "
                    + "`travertine fsck --repair`.")
        }
        if number > 0 {
            try indexPut(key, value: UInt64(number), in: keyspace)
        } else if let found {
            try appendDerived(.indexDelete, key: key, in: keyspace)
            try remove(found)
        }
    }

    /// Adds to the number of a key of a derived keyspace, which is 0 if the key is not there, and
    /// is counted modulo 2^64: several small numbers may share it. A key whose number is 0 then is
    /// deleted.
    package func indexAddBits(
        _ change: UInt64, toNumberOf key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        try checkDerived(keyspace)
        try applyEntries(of: keyspace)
        let place: IndexWriter.KeyPlace?
        do { place = try writer.place(of: key, in: keyspace.treeNumber) } catch {
            throw fail(StoreError(error))
        }
        let number = (place?.value ?? 0) &+ change
        guard let place, number != 0 else {
            if number != 0 {
                try indexPut(key, value: number, in: keyspace)
            } else if place != nil {
                try indexDelete(key, in: keyspace)
            }
            return
        }
        try appendPut(of: key, value: number, in: keyspace)
        writer.replaceValue(number, at: place)
    }

    /// Empties a derived keyspace and marks it valid: the first step of rebuilding it.
    package func indexReset(_ keyspace: KeyspaceID) throws(StoreError) {
        try checkDerived(keyspace)
        try appendDerived(
            .indexReset, key: UnsafeRawBufferPointer(start: nil, count: 0), in: keyspace)
        entries.remove(keyspace)
        writer.removeAll(in: keyspace.treeNumber)
        writer.trees[keyspace.treeNumber].flags &= ~TreeFlags.invalid
    }

    /// Whether a derived keyspace lost its content and must be rebuilt from records (4.4).
    package func isInvalid(_ keyspace: KeyspaceID) -> Bool {
        keyspace.treeNumber < writer.treeCount
            && writer.trees[keyspace.treeNumber].flags & TreeFlags.invalid != 0
    }

    /// Appends the record of a number that is stored under a key.
    @inline(__always)
    private func appendPut(
        of key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) {
        var stored = value.littleEndian
        _ = try withUnsafeBytes(of: &stored) { (bytes) throws(StoreError) in
            try append(.indexPut, keyspace: keyspace, key: key, value: bytes)
        }
        isDeleteOnly = false
    }

    /// Appends a record without a value.
    private func appendDerived(
        _ kind: RecordKind, key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = try append(kind, keyspace: keyspace, key: key, value: nothing)
    }

    private func checkDerived(_ keyspace: KeyspaceID) throws(StoreError) {
        try checkActive()
        guard keyspace.treeNumber < writer.treeCount,
            writer.trees[keyspace.treeNumber].flags & (TreeFlags.derived | TreeFlags.dropped)
                == TreeFlags.derived
        else { throw .noSuchKeyspace(keyspace) }
    }
}
