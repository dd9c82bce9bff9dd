import OrderedIndex
import SegmentLog

extension WriteTransaction {
    /// The read path over this transaction's version; fetch it again after each change.
    package var access: ReadAccess {
        ReadAccess(
            index: indexReader, segments: segmentReader, trees: UnsafePointer(writer.trees),
            treeCount: writer.treeCount, pending: Unmanaged.passUnretained(pending),
            verification: verification)
    }

    /// A copy of a key's value with its checksum verified, or nil.
    @inlinable
    public func get(
        _ key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> [UInt8]? {
        try key.withBytes { (key) throws(StoreError) in
            guard let value = try value(key, in: keyspace.identifier, .verified) else { return nil }
            if value.baseAddress == nil { return try copyValue(key, in: keyspace.identifier) }
            return [UInt8](value)
        }
    }

    /// Whether the key is there.
    @inlinable
    public func contains(
        _ key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            try location(forKey: key, in: keyspace.identifier) != nil
        }
    }

    /// The number of keys in a keyspace, this transaction's changes included.
    public func count(in keyspace: Keyspace = .default) throws(StoreError) -> Int {
        try checkActive()
        return access.count(in: keyspace.identifier)
    }

    /// Calls `body` with the value in place; nil if the key is not there. The span must not be
    /// used after the transaction's next change.
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

    @usableFromInline
    func value(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        try checkActive()
        return try access.valueInPlace(
            forKey: key, in: keyspace, verified: options.verifyChecksums)
    }

    /// A copy of a value that can't be had in place.
    @usableFromInline
    func copyValue(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> [UInt8]? {
        try access.value(forKey: key, in: keyspace, verified: true).map { [UInt8]($0) }
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

    /// A cursor that sees the transaction's own changes and survives those made while it is open.
    public func cursor(in keyspace: Keyspace = .default) throws(StoreError) -> Cursor {
        try checkActive()
        return Cursor(RawCursor(access, keyspace: keyspace.identifier), transaction: self)
    }
}
