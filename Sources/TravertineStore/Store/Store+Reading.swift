import OrderedIndex
import SegmentLog
import Synchronization

/// Snapshots, and single reads without one.
extension Store {
    /// An immutable view of the newest commit that may be seen; cheap, and any number may be open.
    ///
    /// - Throws: `.closed`, `.forked`.
    public func snapshot() throws(StoreError) -> Snapshot {
        try checkUsable()
        return Snapshot(store: self, pin: index.pin(note: coarseNow()))
    }

    /// As above; reads through `Snapshot.access` verify records as asked for.
    package func snapshot(
        verification: RecordVerification
    ) throws(StoreError) -> Snapshot {
        try checkUsable()
        return Snapshot(
            store: self, pin: index.pin(note: coarseNow()), verification: verification)
    }

    /// The newest commit, published or not; the caller has the writer's gate.
    func newestSnapshot(verification: RecordVerification) -> Snapshot {
        Snapshot(
            store: self, pin: index.pinNewest(note: coarseNow()), verification: verification)
    }

    /// A copy of a key's value in the newest commit, with its checksum verified; nil if absent.
    @inlinable
    public func get(
        _ key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> [UInt8]? {
        try key.withBytes { (key) throws(StoreError) in try copyValue(key, in: keyspace.identifier)
        }
    }

    @usableFromInline
    func copyValue(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> [UInt8]? {
        try checkUsable()
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        return try readAccess(pin).value(forKey: key, in: keyspace, verified: true).map {
            [UInt8]($0)
        }
    }

    /// Calls `body` with a key's value in the newest commit, in place; nil if the key is absent.
    ///
    /// The same as on a new snapshot, without making one. The span must not be used after
    /// `body`. The checksum is verified only if the options ask for it.
    /// - Throws: what `body` throws, and `.closed`, `.forked`, `.damaged`.
    @inlinable
    public func withValue<Result>(
        forKey key: some ByteSource, in keyspace: Keyspace = .default,
        options: ReadOptions = .unverified, _ body: (RawSpan) throws -> Result
    ) throws -> Result? {
        let pin = try pinForReading()
        defer { unpin(pin) }
        return try key.withBytes { key in
            guard let found = try value(key, in: keyspace.identifier, options, pin) else {
                return nil
            }
            if found.baseAddress != nil { return try body(found.bytes) }
            var result: Result?
            try withValueSlowly(key, in: keyspace.identifier, options, pin) {
                result = try body($0.bytes)
            }
            return result
        }
    }

    @usableFromInline
    func pinForReading() throws(StoreError) -> IndexPin {
        try checkUsable()
        return index.pin(note: 0)
    }

    @usableFromInline
    func unpin(_ pin: IndexPin) {
        index.unpin(pin)
        removeFilesNobodySees(after: pin)
    }

    @usableFromInline
    func value(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions,
        _ pin: IndexPin
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        try readAccess(pin).valueInPlace(
            forKey: key, in: keyspace, verified: options.verifyChecksums)
    }

    /// Calls `body` with a value that can't be had in place.
    @usableFromInline
    func withValueSlowly(
        _ key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, _ options: ReadOptions,
        _ pin: IndexPin,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        _ = try readAccess(pin).withValue(
            forKey: key, in: keyspace, verified: options.verifyChecksums, body)
    }

    /// Retired segments may have waited for a pin that has just been given back.
    @inline(__always)
    func removeFilesNobodySees(after pin: IndexPin) {
        let newest = compaction.newestRetirement.load(ordering: .sequentiallyConsistent)
        if newest != 0, pin.version < newest { scheduleCompaction() }
    }

    /// The keyspace with a name, or nil if there is none; `WriteTransaction.keyspace` creates one.
    public func keyspace(named name: String) throws(StoreError) -> Keyspace? {
        try checkUsable()
        guard let keyspace = catalog.keyspace(named: name), keyspace.kind == .records else {
            return nil
        }
        return keyspace
    }

    /// All keyspaces that users named, by identifier, the default one first.
    public var keyspaces: [Keyspace] { catalog.all.filter { $0.kind == .records } }

    /// Every keyspace, derived ones included.
    package var allKeyspaces: [Keyspace] { catalog.all }

    @inline(__always)
    func readAccess(_ pin: IndexPin) -> ReadAccess {
        ReadAccess(
            index: index.reader, segments: log.reader, trees: pin.root.pointee.trees,
            treeCount: pin.root.pointee.treeCount, pending: nil)
    }
}
