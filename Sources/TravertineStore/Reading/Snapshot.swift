import OrderedIndex
import SegmentLog

/// An immutable view of a store as of one commit.
///
/// Taking and releasing one costs the same however large the store is. It may be used from any
/// thread, by several at once; it keeps what it can see from being reclaimed until the last
/// reference goes, and stays readable when the store is closed.
public final class Snapshot: Sendable {
    /// The store that it is of.
    package let store: Store
    let pin: IndexPin
    /// The read path over this version.
    package let access: ReadAccess

    @inline(__always)
    init(store: Store, pin: IndexPin, verification: RecordVerification = .none) {
        self.store = store
        self.pin = pin
        var access = store.readAccess(pin)
        access.verification = verification
        self.access = access
    }

    deinit {
        store.unpin(pin)
    }

    /// The LSN of the newest commit that the snapshot sees.
    public var lsn: UInt64 { pin.root.pointee.tag }

    /// The version of the index; grows with every commit.
    package var version: UInt64 { pin.version }

    /// A copy of a key's value, or nil; its checksum is verified unless the options say otherwise.
    ///
    /// - Throws: `.damaged` with the place when the record's checksum does not match.
    @inlinable
    public func get(
        _ key: some ByteSource, in keyspace: Keyspace = .default,
        options: ReadOptions = .verified
    ) throws(StoreError) -> [UInt8]? {
        try key.withBytes { (key) throws(StoreError) in
            guard let value = try value(key, in: keyspace.identifier, options) else { return nil }
            if value.baseAddress == nil {
                return try copyValue(key, in: keyspace.identifier, options)
            }
            return [UInt8](value)
        }
    }

    /// Calls `body` with the value in place, without copying it; nil if the key is absent.
    ///
    /// The checksum is verified only if the options ask for it.
    @inlinable
    public func withValue<Result>(
        forKey key: some ByteSource, in keyspace: Keyspace = .default,
        options: ReadOptions = .unverified, _ body: (RawSpan) throws -> Result
    ) throws -> Result? {
        let found = try key.withBytes { (key) throws(StoreError) in
            try value(key, in: keyspace.identifier, options)
        }
        guard let found else { return nil }
        if found.baseAddress == nil {
            var result: Result?
            try key.withBytes { key in
                try withValueSlowly(key, in: keyspace.identifier, options) {
                    result = try body($0.bytes)
                }
            }
            return result
        }
        return try body(found.bytes)
    }

    /// Copies of the values of several keys, in the order of the keys; nil for absent ones. Their
    /// checksums are verified unless the options say otherwise.
    ///
    /// Faster than as many calls of `get`: see `withValues(forKeys:)`.
    /// - Throws: `.damaged` with the place when a record's checksum does not match.
    public func values(
        forKeys keys: some Sequence<some ByteSource>, in keyspace: Keyspace = .default,
        options: ReadOptions = .verified
    ) throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        values.reserveCapacity(keys.underestimatedCount)
        do {
            try withValues(forKeys: keys, in: keyspace, options: options) { _, value in
                guard let value else { return values.append(nil) }
                values.append(value.withUnsafeBytes { [UInt8]($0) })
            }
        } catch {
            throw StoreError(anyError: error)
        }
        return values
    }

    /// Calls `body` with the number of each key, from 0, and its value in place, or nil; in the
    /// order of the keys. Checksums are verified only if the options ask for it.
    ///
    /// A look-up of one key mostly waits for memory. Here 16 are under way at once, so that their
    /// waits overlap: some times the rate of as many calls of `withValue`. Allocates once.
    @inlinable
    public func withValues(
        forKeys keys: some Sequence<some ByteSource>, in keyspace: Keyspace = .default,
        options: ReadOptions = .unverified,
        _ body: (_ index: Int, _ value: RawSpan?) throws -> Void
    ) throws {
        let batch = KeyBatch()
        var index = 0
        for key in keys {
            key.withBytes { batch.append($0) }
            if batch.isFull { try take(batch, in: keyspace.identifier, options, &index, body) }
        }
        try take(batch, in: keyspace.identifier, options, &index, body)
    }

    @inlinable
    func take(
        _ batch: KeyBatch, in keyspace: KeyspaceID, _ options: ReadOptions, _ index: inout Int,
        _ body: (_ index: Int, _ value: RawSpan?) throws -> Void
    ) throws {
        try lookUp(batch, in: keyspace, options)
        for place in 0..<batch.count {
            let value = batch.found[place]
            if value.baseAddress != nil {
                try body(index, value.bytes)
            } else if !batch.isThere(place) {
                try body(index, nil)
            } else {
                try withValueSlowly(batch.keys[place], in: keyspace, options) {
                    try body(index, $0.bytes)
                }
            }
            index += 1
        }
        batch.removeAll()
    }

    /// Looks all keys of a batch up, and finds those of their values that can be had in place.
    @usableFromInline
    func lookUp(
        _ batch: KeyBatch, in keyspace: KeyspaceID, _ options: ReadOptions
    ) throws(StoreError) {
        try batch.lookUp(in: access.tree(of: keyspace), of: access.index)
        batch.prefetchRecords(access)
        batch.findValues(access, verified: options.verifyChecksums)
    }

    /// Whether a key is there; its value is not read.
    @inlinable
    public func contains(
        _ key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in try contains(key, in: keyspace.identifier) }
    }

    /// The value in place: what every read of a snapshot ends in. The one call that a user's module
    /// makes for a read; everything below is inlined into it.
    @usableFromInline
    func value(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        try access.valueInPlace(
            forKey: key, in: keyspace, verified: options.verifyChecksums)
    }

    /// A copy of a value that can't be had in place.
    @usableFromInline
    func copyValue(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions
    ) throws(StoreError) -> [UInt8]? {
        try access.value(
            forKey: key, in: keyspace, verified: options.verifyChecksums
        ).map { [UInt8]($0) }
    }

    /// Calls `body` with a value that can't be had in place.
    @usableFromInline
    func withValueSlowly(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        _ = try access.withValue(
            forKey: key, in: keyspace, verified: options.verifyChecksums, body)
    }

    @usableFromInline
    func contains(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> Bool {
        try access.indexValue(forKey: key, in: keyspace) != nil
    }

    /// The number of keys in a keyspace; costs the same for any number.
    public func count(in keyspace: Keyspace = .default) -> Int {
        access.count(in: keyspace.identifier)
    }

    /// A cursor over a keyspace, not yet on a key. It keeps the snapshot alive.
    public func cursor(in keyspace: Keyspace = .default) -> Cursor {
        Cursor(access.cursor(in: keyspace.identifier), snapshot: self)
    }

    /// Calls `body` with every key that begins with `prefix`, and its value in place, in order,
    /// until it returns false.
    @inlinable
    public func forEach(
        prefix: some ByteSource = UnsafeRawBufferPointer(start: nil, count: 0),
        in keyspace: Keyspace = .default, options: ReadOptions = .unverified,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        try prefix.withBytes { prefix in
            try forEach(prefix, in: keyspace.identifier, options) { key, value in
                try body(key.bytes, value.bytes)
            }
        }
    }

    @usableFromInline
    func forEach(
        _ prefix: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor = access.cursor(in: keyspace)
        guard try cursor.seek(atOrAfter: prefix) else { return }
        try cursor.forEach(verified: options.verifyChecksums) { key, value in
            if prefix.count > 0, !key.starts(with: prefix) { return false }
            return try body(key, value)
        }
    }
}
