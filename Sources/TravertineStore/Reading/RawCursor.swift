import OrderedIndex
import SegmentLog

/// A cursor of the read path: keys and values in place, nothing kept alive.
///
/// Valid as long as the `ReadAccess` that it came from.
package struct RawCursor: ~Copyable {
    var position: IndexCursor
    let access: ReadAccess
    /// The keyspace that it moves in.
    package let keyspace: KeyspaceID
    /// Where `takeRows` found records last.
    var window: SegmentWindow

    /// A cursor on no key.
    package init(_ access: ReadAccess, keyspace: KeyspaceID) {
        self.access = access
        self.keyspace = keyspace
        window = SegmentWindow(isChecked: access.verification == .onFirstRead)
        position = access.index.makeCursor(over: access.tree(of: keyspace))
    }

    /// Whether it is on a key.
    package var isValid: Bool { position.isValid }

    /// Moves to the first key; false if there is none.
    package mutating func seekToFirst() throws(StoreError) -> Bool {
        do { return try position.seekToFirst() } catch { throw StoreError(error) }
    }

    /// Moves to the last key; false if there is none.
    package mutating func seekToLast() throws(StoreError) -> Bool {
        do { return try position.seekToLast() } catch { throw StoreError(error) }
    }

    /// Moves to the first key at or after `key`; false if there is none.
    package mutating func seek(
        atOrAfter key: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bool {
        do { return try position.seek(atOrAfter: key) } catch { throw StoreError(error) }
    }

    /// Moves to the last key at or before `key`; false if there is none.
    package mutating func seek(
        atOrBefore key: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bool {
        do { return try position.seek(atOrBefore: key) } catch { throw StoreError(error) }
    }

    /// Asks for the records of the next keys, if it is time to: about 8 keys before their turn.
    @inline(__always)
    mutating func askForRecords() {
        guard position.mayAsk else { return }
        askForMoreRecords()
    }

    @inline(never)
    private mutating func askForMoreRecords() {
        let segments = access.segments
        position.ask { values, stride, count in
            segments.prefetch(locations: values, stride: stride, count: count)
        }
    }

    /// Calls `body` with each key and its value in place from here on, until it returns false: the
    /// fast way through many keys. The cursor then is on the key that `body` returned false for, or
    /// on none.
    ///
    /// - Throws: what `body` throws; `StoreError` where a page or a record is damaged.
    package mutating func forEach(
        verified: Bool = false,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let access = access
        let segments = access.segments
        // Without a transaction all records are in segments; a window shows those that are checked.
        let hasWindow =
            !verified && access.verification == .onFirstRead && access.pending == nil
        var window = SegmentWindow(isChecked: true)
        do {
            try position.forEach { values, stride, count in
                segments.prefetch(locations: values, stride: stride, count: count)
            } _: { key, value in
                let location = Location(rawValue: value)
                if hasWindow, let value = window.value(at: location, segments) {
                    return try body(key, value)
                }
                return try access.withValue(at: location, verified: verified) { value in
                    try body(key, value)
                }
            }
        } catch let failure as IndexFailure {
            throw StoreError(failure)
        }
    }

    /// Moves to the next key; false at the end. Asks for the records of later keys on the way.
    package mutating func nextWithPrefetch() throws(StoreError) -> Bool {
        if stepInLeaf() { return true }
        do {
            guard try position.moveToNextLeaf() else { return false }
        } catch {
            throw StoreError(error)
        }
        askForRecords()
        return true
    }

    /// Moves to the next key if it is in the same leaf of the index, as most are; otherwise stays.
    @inline(__always)
    mutating func stepInLeaf() -> Bool {
        guard position.stepInLeaf() else { return false }
        askForRecords()
        return true
    }

    /// Moves to the next key; false at the end.
    package mutating func next() throws(StoreError) -> Bool {
        do { return try position.next() } catch { throw StoreError(error) }
    }

    /// Moves to the previous key; false at the start.
    package mutating func previous() throws(StoreError) -> Bool {
        do { return try position.previous() } catch { throw StoreError(error) }
    }

    /// Calls `body` with the key's bytes; they are valid until the cursor moves.
    package func withKey<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try position.withKey(body)
    }

    /// The value in place; a compressed one lives until the thread's next read of such a value.
    package func value(verified: Bool = false) throws(StoreError) -> UnsafeRawBufferPointer {
        try access.value(at: Location(rawValue: position.value), verified: verified)
    }

    /// The value, if that takes nothing but a look into a mapped segment; nil on no key.
    @inline(__always)
    func mappedValue(verified: Bool) -> UnsafeRawBufferPointer? {
        guard position.isValid else { return nil }
        return access.mappedValue(at: Location(rawValue: position.value), verified: verified)
    }

    /// The value in place; `ValueInPlace.compressed` if it can't be had in place.
    func valueInPlace(verified: Bool) throws(StoreError) -> UnsafeRawBufferPointer {
        try access.valueInPlace(at: Location(rawValue: position.value), verified: verified)
    }

    /// Calls `body` with the value, wherever it is.
    func withValue(
        verified: Bool, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try access.withValue(at: Location(rawValue: position.value), verified: verified, body)
    }

    /// The number of a derived keyspace's key.
    package var indexValue: UInt64 { position.value }
}
