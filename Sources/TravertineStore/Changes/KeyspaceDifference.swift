import OrderedIndex
import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The keys of one keyspace that differ between two versions, one after the other, in key order:
/// any keyspace, also a derived one, or that of the definitions.
///
/// A key differs if it is in one version only, or its values differ: their numbers in a derived
/// keyspace, else their bytes. A record that compaction moved is no difference.
///
/// Nothing is kept alive: valid while both snapshots are. One thread at a time.
package final class KeyspaceDifference {
    private let older: ReadAccess
    private let newer: ReadAccess
    private let difference: TreeDifference
    private let isDerived: Bool
    private let verified: Bool
    /// Both values of the current key, where they were read in place to be compared.
    @exclusivity(unchecked) private var compared: Compared?

    private struct Compared {
        var old: UnsafeRawBufferPointer
        var new: UnsafeRawBufferPointer
    }

    /// Before the first difference.
    ///
    /// - Parameter verified: whether each record that is read is verified, whatever the snapshots
    ///   do.
    /// - Throws: `.misuse` for snapshots of two stores.
    package init(
        from older: Snapshot, to newer: Snapshot, in keyspace: KeyspaceID, verified: Bool = false
    ) throws(StoreError) {
        try newer.checkHasOneHistory(with: older)
        self.older = older.access
        self.newer = newer.access
        self.verified = verified
        let trees = (older.access.tree(of: keyspace), newer.access.tree(of: keyspace))
        isDerived = (trees.0.flags | trees.1.flags) & TreeFlags.derived != 0
        difference = TreeDifference(
            from: trees.0, in: older.access.index, to: trees.1, in: newer.access.index,
            isOfOneIndex: older.store.index === newer.store.index)
    }

    /// Moves to the next key that differs; false at the end.
    ///
    /// - Throws: `.damaged` with the place where a page, or a record that must be compared, is
    ///   damaged.
    package func next() throws(StoreError) -> Bool {
        compared = nil
        do {
            while try difference.next() {
                guard !isDerived, let old = difference.old, let new = difference.new else {
                    return true
                }
                if try !isSameValue(Location(rawValue: old), Location(rawValue: new)) {
                    return true
                }
            }
            return false
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// The current key, until the next call of `next`.
    package var key: UnsafeRawBufferPointer { difference.key }

    /// What the index of the older version has for the key: in a derived keyspace its number.
    package var oldNumber: UInt64? { difference.old }

    /// What the index of the newer version has for the key: in a derived keyspace its number.
    package var newNumber: UInt64? { difference.new }

    /// Calls `body` with the value in the older version, in place where that is possible; nil if
    /// the key is not there.
    package func withOldValue<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if let compared { return try body(compared.old) }
        return try difference.old.map { try withValue($0, of: older, body) }
    }

    /// Calls `body` with the value in the newer version, in place where that is possible; nil if
    /// the key is not there.
    package func withNewValue<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if let compared { return try body(compared.new) }
        return try difference.new.map { try withValue($0, of: newer, body) }
    }

    /// A value of a derived keyspace is a number: its eight bytes, most significant first.
    private func withValue<Result>(
        _ found: UInt64, of access: ReadAccess, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if isDerived { return try withUnsafeBytes(of: found.bigEndian, body) }
        return try access.withValue(at: Location(rawValue: found), verified: verified, body)
    }

    /// Whether two records of one key have the same value.
    ///
    /// A move says where compaction copied it from. It keeps the LSN under which the record was
    /// first written, and one commit leaves one record of a key: where comparing the bytes would
    /// cost more, the LSNs are compared first.
    private func isSameValue(_ old: Location, _ new: Location) throws -> Bool {
        if try newer.segments.isMove(at: new, of: old, verified: verified)
            || older.segments.isMove(at: old, of: new, verified: verified)
        {
            return true
        }
        if old.isCostly || new.isCostly,
            let first = try older.segments.originalLSN(at: old, verified: verified),
            try first == newer.segments.originalLSN(at: new, verified: verified)
        {
            return true
        }
        if !old.isCompressed && !new.isCompressed {
            // Values in place stay where they are: they need not be looked for again.
            let values = Compared(
                old: try older.value(at: old, verified: verified),
                new: try newer.value(at: new, verified: verified))
            if Self.isSame(values.old, values.new) { return true }
            compared = values
            return false
        }
        return try older.withValue(at: old, verified: verified) { old in
            try newer.withValue(at: new, verified: verified) { new in Self.isSame(old, new) }
        }
    }

    private static func isSame(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Bool {
        guard first.count == second.count else { return false }
        guard let left = first.baseAddress, let right = second.baseAddress else { return true }
        return memcmp(left, right, first.count) == 0
    }
}

extension Location {
    /// Whether reading the value costs more than a look at the header of its batch.
    fileprivate var isCostly: Bool {
        if isCompressed { return ordinal == 0 }
        return sizeHint.map { $0 > 1024 } ?? true
    }
}

extension SegmentReader {
    /// Whether the record at a location is a copy that compaction made of what is at another one.
    fileprivate func isMove(
        at location: Location, of source: Location, verified: Bool
    ) throws(LogError) -> Bool {
        if location.isCompressed { return false }
        let record = try record(at: location)
        guard record.sourceLocation == source else { return false }
        // Under a wrong checksum nothing is believed.
        if verified { _ = try verifiedRecord(at: location) }
        return true
    }

    /// The LSN under which the record at a location was first written; nil for an entry of a pack,
    /// which has it in the pack's directory.
    func originalLSN(at location: Location, verified: Bool) throws(LogError) -> LSN? {
        let record =
            verified ? try verifiedRecord(at: location) : try record(at: location)
        guard record.kind != .pack else { return nil }
        return record.originalLSN ?? record.lsn
    }
}

extension Snapshot {
    /// Throws `.misuse` unless another snapshot is of the same store: of the same object, or of
    /// the same files.
    func checkHasOneHistory(with other: Snapshot) throws(StoreError) {
        if store === other.store || store.log.identity == other.store.log.identity { return }
        throw StoreError(
            .misuse,
            "The snapshots are of two stores, at \(other.store.path) and \(store.path): what "
                + "changed can be found between two versions of one store only.")
    }
}

extension Snapshot {
    /// Whether both are of one state of one store object. Versions of two mean nothing together: a
    /// reader that opened its store anew counts from the beginning.
    package func isSameVersion(as other: Snapshot) -> Bool {
        version == other.version && store === other.store
    }

    /// Whether this one shows everything that another one of the same files shows.
    package func isAtLeast(_ other: Snapshot) -> Bool {
        store === other.store ? version >= other.version : lsn >= other.lsn
    }
}

extension Snapshot {
    /// Whether a keyspace certainly is the same in another version: both refer to the same node.
    package func shares(_ keyspace: KeyspaceID, with other: Snapshot) -> Bool {
        store.index === other.store.index
            && access.tree(of: keyspace).root == other.access.tree(of: keyspace).root
    }

    /// The identity of a keyspace's topmost node, which no other contents of it ever have in this
    /// store object; nil when it is empty.
    package func rootIdentity(of keyspace: KeyspaceID) throws(StoreError) -> NodeIdentity? {
        do {
            return try access.index.rootIdentity(of: access.tree(of: keyspace))
        } catch {
            throw StoreError(error)
        }
    }
}
