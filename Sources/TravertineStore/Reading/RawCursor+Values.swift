import OrderedIndex

extension ReadAccess {
    /// About how many keys of a keyspace are at or after `start` and before `end`; reads two nodes
    /// for each level of the tree (`IndexReader.estimatedCount`).
    package func estimatedCount(
        from start: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer?, in keyspace: KeyspaceID
    ) throws(StoreError) -> KeyCount {
        do {
            return try index.estimatedCount(from: start, to: end, in: tree(of: keyspace))
        } catch {
            throw StoreError(error)
        }
    }
}

extension ReadAccess {
    /// Asks for the leaves of keys that are about to be looked up one by one, 16 at most. Damage is
    /// found by the look-ups.
    package func ask(forKeys keys: [UnsafeRawBufferPointer], in keyspace: KeyspaceID) {
        let tree = tree(of: keyspace)
        keys.withUnsafeBufferPointer { index.prefetch(keys: $0, in: tree) }
    }
}

extension RawCursor {
    /// Moves to the first key at or after `key`, which is at or after the current one; false if
    /// there is none.
    package mutating func seekForward(
        to key: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bool {
        do { return try position.seekForward(to: key) } catch { throw StoreError(error) }
    }

    /// Adds the numbers of the keys from the current one on that are before `end`, up to so many;
    /// gives whether these are all.
    package mutating func appendNumbers(
        before end: UnsafeRawBufferPointer?, upTo limit: Int, to numbers: inout [UInt64]
    ) throws(StoreError) -> Bool {
        do {
            return try position.appendValues(before: end, upTo: limit, to: &numbers)
        } catch {
            throw StoreError(error)
        }
    }

    /// Adds the last eight bytes, as big-endian numbers, of the keys from the current one on that
    /// are before `end`, up to so many; gives whether these are all.
    package mutating func appendSuffixes(
        before end: UnsafeRawBufferPointer?, upTo limit: Int, to numbers: inout [UInt64]
    ) throws(StoreError) -> Bool {
        do {
            return try position.appendSuffixes(before: end, upTo: limit, to: &numbers)
        } catch {
            throw StoreError(error)
        }
    }

    /// Calls `body` with each key of a derived keyspace from the current one on that is before
    /// `end`, and its number.
    package mutating func forEachNumber(
        before end: UnsafeRawBufferPointer?,
        _ body: (_ key: UnsafeRawBufferPointer, _ number: UInt64) -> Void
    ) throws(StoreError) {
        do { try position.forEach(before: end, body) } catch { throw StoreError(error) }
    }
}
