import OrderedIndex
import SegmentLog

/// A place in the ordered keys of a keyspace, movable both ways.
///
/// A new cursor is on no key; `seek…` puts it on one. Moving past either end leaves it on none. One
/// thread at a time may use it.
public final class Cursor {
    // One thread at a time uses a cursor, as its documentation says.
    @exclusivity(unchecked)
    private var raw: RawCursor
    private let snapshot: Snapshot?
    private let transaction: WriteTransaction?
    /// In a transaction, the key that the cursor is on: a copy, for the tree changes under it.
    private let place: UnsafeMutableRawBufferPointer
    private var placeByteCount = 0
    /// Whether the key was deleted since: the cursor then is between its neighbours.
    private var isDisplaced = false
    private var changeCount: UInt64 = 0

    init(_ raw: consuming RawCursor, snapshot: Snapshot) {
        self.raw = raw
        self.snapshot = snapshot
        transaction = nil
        place = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    init(_ raw: consuming RawCursor, transaction: WriteTransaction) {
        self.raw = raw
        self.transaction = transaction
        snapshot = nil
        changeCount = transaction.writer.mutationCount
        place = .allocate(byteCount: Store.keyByteCountMax, alignment: 8)
    }

    deinit { place.deallocate() }

    /// Whether the cursor is on a key.
    public var isValid: Bool { raw.isValid }

    /// The key that the cursor is on. Requires `isValid`.
    public var key: [UInt8] { [UInt8](keyBytes()) }

    /// A copy of the value, with its checksum verified. Requires `isValid`.
    public var value: [UInt8] {
        get throws(StoreError) {
            try checkValue()
            return [UInt8](try raw.value(verified: true))
        }
    }

    /// Calls `body` with the key in place. Requires `isValid`.
    @inlinable
    public func withKey<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try body(keyBytes().bytes)
    }

    /// Calls `body` with the value in place; verified only if asked for. Requires `isValid`.
    @inlinable
    public func withValue<Result>(
        options: ReadOptions = .unverified, _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        let found = try valueBytes(options)
        if found.baseAddress == nil {
            var result: Result?
            try withValueSlowly(options) { result = try body($0.bytes) }
            if let result { return result }
        }
        return try body(found.bytes)
    }

    /// The key in place, until the cursor moves or goes.
    @usableFromInline
    func keyBytes() -> UnsafeRawBufferPointer {
        require(isValid, "the cursor is on no key: check what seek and next return")
        if transaction != nil { return placeBytes }
        return raw.withKey { $0 }
    }

    /// The value in place, until the cursor goes or the transaction changes something;
    /// `ValueInPlace.compressed` if it can't be had in place.
    @usableFromInline
    func valueBytes(_ options: ReadOptions) throws(StoreError) -> UnsafeRawBufferPointer {
        // Of a snapshot only: a transaction's access has pending changes.
        if let value = raw.mappedValue(verified: options.verifyChecksums) { return value }
        return try valueBytesSlowly(options)
    }

    @inline(never)
    private func valueBytesSlowly(
        _ options: ReadOptions
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        try checkValue()
        return try raw.valueInPlace(verified: options.verifyChecksums)
    }

    /// Calls `body` with a value that can't be had in place.
    @usableFromInline
    func withValueSlowly(
        _ options: ReadOptions, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try raw.withValue(verified: options.verifyChecksums, body)
    }

    private func checkValue() throws(StoreError) {
        require(isValid, "the cursor is on no key: check what seek and next return")
        if transaction != nil, try !refresh() {
            throw StoreError(.misuse, "The key that the cursor is on was deleted: move it first.")
        }
    }

    /// Moves to the first key; false if there is none.
    @discardableResult
    public func seekToFirst() throws(StoreError) -> Bool {
        try renew()
        _ = try raw.seekToFirst()
        return notePlace()
    }

    /// Moves to the last key; false if there is none.
    @discardableResult
    public func seekToLast() throws(StoreError) -> Bool {
        try renew()
        _ = try raw.seekToLast()
        return notePlace()
    }

    /// Moves to the first key that is equal to or after `key`; false if there is none.
    @inlinable
    @discardableResult
    public func seek(to key: some ByteSource) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in try seek(atOrAfter: key) }
    }

    @usableFromInline
    func seek(atOrAfter key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        if transaction != nil { try renew() }
        let isFound = try raw.seek(atOrAfter: key)
        raw.askForRecords()
        return transaction == nil ? isFound : notePlace()
    }

    /// Moves to the last key that is equal to or before `key`; false if there is none.
    @inlinable
    @discardableResult
    public func seek(toOrBefore key: some ByteSource) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in try seek(atOrBefore: key) }
    }

    @usableFromInline
    func seek(atOrBefore key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        try renew()
        _ = try raw.seek(atOrBefore: key)
        return notePlace()
    }

    /// Moves to the next key; false at the end. After the key that the cursor was on has been
    /// deleted in the transaction, the next key is the one that followed it.
    @discardableResult
    public func next() throws(StoreError) -> Bool {
        if transaction == nil, raw.stepInLeaf() { return true }
        return try nextSlowly()
    }

    @inline(never)
    private func nextSlowly() throws(StoreError) -> Bool {
        guard raw.isValid || isDisplaced else { return false }
        if transaction == nil { return try raw.nextWithPrefetch() }
        if try refresh() { _ = try raw.next() }
        return notePlace()
    }

    /// Moves to the previous key; false at the start.
    @discardableResult
    public func previous() throws(StoreError) -> Bool {
        guard raw.isValid || isDisplaced else { return false }
        if try refresh() || raw.isValid {
            _ = try raw.previous()
        } else {
            _ = try raw.seekToLast()
        }
        return notePlace()
    }

    private var placeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(place)[..<placeByteCount])
    }

    private func notePlace() -> Bool {
        guard transaction != nil else { return raw.isValid }
        isDisplaced = false
        placeByteCount = 0
        if raw.isValid {
            raw.withKey { key in
                place.copyMemory(from: key)
                placeByteCount = key.count
            }
        }
        return raw.isValid
    }

    /// After changes of the transaction: a new cursor at the old key, or at the one that followed
    /// it. Returns whether the cursor is on the key it was on.
    private func refresh() throws(StoreError) -> Bool {
        guard let transaction else { return true }
        try transaction.checkActive()
        if transaction.writer.mutationCount == changeCount { return !isDisplaced }
        try renew()
        let isFound = try raw.seek(atOrAfter: placeBytes)
        isDisplaced = !(isFound && raw.withKey { $0.elementsEqual(placeBytes) })
        return !isDisplaced
    }

    private func renew() throws(StoreError) {
        guard let transaction else { return }
        try transaction.checkActive()
        if transaction.writer.mutationCount == changeCount { return }
        changeCount = transaction.writer.mutationCount
        raw = transaction.access.cursor(in: raw.keyspace)
    }
}
