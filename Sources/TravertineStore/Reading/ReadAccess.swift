import OrderedIndex
import SegmentLog

/// The read path: a tree of the index, and the records that its values point to.
///
/// A trivial value; it is valid while the snapshot or transaction that it came from lives, and for
/// a transaction until its next change. Both read through this one type.
package struct ReadAccess: BitwiseCopyable, @unchecked Sendable {
    /// The index that keys are looked up in.
    package let index: IndexReader
    /// The segments that values are read from.
    package let segments: SegmentReader
    let trees: UnsafePointer<Tree>
    /// The number of trees; the highest identifier of a keyspace plus 1.
    package let treeCount: Int
    /// The unwritten changes of a write transaction; nil for a snapshot.
    let pending: Unmanaged<PendingChanges>?
    /// When records are verified that are read without an explicit option.
    var verification = RecordVerification.none

    /// The tree of a keyspace; empty if the keyspace is newer than this version.
    @inline(__always)
    package func tree(of keyspace: KeyspaceID) -> Tree {
        if let pending {
            pending._withUnsafeGuaranteedRef {
                if $0.entries.has(keyspace) { $0.entries.apply(keyspace) }
            }
        }
        return keyspace.treeNumber < treeCount ? trees[keyspace.treeNumber] : Tree.empty
    }

    /// The number of keys in a keyspace.
    package func count(in keyspace: KeyspaceID) -> Int { Int(tree(of: keyspace).count) }

    /// The value of a key in place, or nil; the bytes live as long as the snapshot, or until the
    /// transaction's next change. The record's checksum is verified if asked for.
    package func value(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, verified: Bool = false
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let found = try indexValue(forKey: key, in: keyspace) else { return nil }
        return try value(at: Location(rawValue: found), verified: verified)
    }

    /// As above, for the eight-byte big-endian key of a number.
    package func value(
        forKey key: UInt64, in keyspace: KeyspaceID, verified: Bool = false
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        var bigEndian = key.bigEndian
        let found = try withUnsafeBytes(of: &bigEndian) { (bytes) throws(StoreError) in
            try indexValue(forKey: bytes, in: keyspace)
        }
        guard let found else { return nil }
        return try value(at: Location(rawValue: found), verified: verified)
    }

    /// The value in place at a location that `WriteTransaction.place(ofKey:in:)` found.
    package func value(atPlace place: UInt64) throws(StoreError) -> UnsafeRawBufferPointer {
        try value(at: Location(rawValue: place), verified: false)
    }

    /// Whether the key of a number is there, eight bytes, big-endian. Its value is not looked at.
    package func contains(_ key: UInt64, in keyspace: KeyspaceID) throws(StoreError) -> Bool {
        var bigEndian = key.bigEndian
        return try withUnsafeBytes(of: &bigEndian) { (bytes) throws(StoreError) in
            try indexValue(forKey: bytes, in: keyspace) != nil
        }
    }

    /// The number stored for a key of a derived keyspace, or nil.
    @inline(__always)
    package func indexValue(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        do {
            return try index.value(forKey: key, in: tree(of: keyspace))
        } catch {
            throw StoreError(error)
        }
    }

    /// Calls `body` with the keys of a derived keyspace that begin with a prefix, and their
    /// numbers, in order, as long as they stand together; false if there are others, which a
    /// cursor finds.
    package func visitNear(
        beginningWith prefix: UnsafeRawBufferPointer, in keyspace: KeyspaceID,
        _ body: (_ key: UnsafeRawBufferPointer, _ number: UInt64) -> Void
    ) throws(StoreError) -> Bool {
        do {
            return try index.visitLeaf(beginningWith: prefix, in: tree(of: keyspace), body)
        } catch {
            throw StoreError(error)
        }
    }

    /// The value at a location that the index gave. A compressed one lives until the thread's next
    /// read of such a value.
    @inline(__always)
    package func value(
        at location: Location, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        if let value = mappedValue(at: location, verified: verified) { return value }
        return try valueSlowly(at: location, verified: verified)
    }

    /// The value at a location, if that takes nothing but a look into a mapped segment.
    @inline(__always)
    func mappedValue(at location: Location, verified: Bool) -> UnsafeRawBufferPointer? {
        if verified { return nil }
        // What a transaction has not written yet is elsewhere, whatever its segment holds there.
        if let pending, pending._withUnsafeGuaranteedRef({ $0.has(location) }) { return nil }
        if verification != .none { return wholeValue(at: location) }
        return segments.mappedValue(at: location)
    }

    /// The value at a location if its record was verified before, and need not be again.
    @inline(never)
    private func wholeValue(at location: Location) -> UnsafeRawBufferPointer? {
        verification == .always ? nil : segments.mappedWholeValue(at: location)
    }

    /// The value of a record that may not be written yet, or whose checksum is to be verified, or
    /// whose segment is not mapped yet, or which is compressed.
    @inline(never)
    private func valueSlowly(
        at location: Location, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        if let pending {
            if let bytes = pending._withUnsafeGuaranteedRef({ $0.value(at: location) }) {
                return bytes
            }
        }
        let verified = verified || verification == .always
        if location.isCompressed {
            let check = recordCheck(verified)
            if let value = try packedValue(at: location, check) { return value }
            return try decompressedValue(
                at: location, check, into: DecompressionBuffer.current)
        }
        do {
            if verified { return try segments.verifiedRecord(at: location).value }
            return verification == .none
                ? try segments.record(at: location).value
                : try segments.wholeRecord(at: location).value
        } catch {
            throw StoreError(error)
        }
    }

    /// Calls `body` with the value at a location. A compressed value stays whole while `body` runs,
    /// whatever it reads: that is the difference to `value(at:)`.
    @inline(__always)
    func withValue<Result>(
        at location: Location, verified: Bool,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let value = mappedValue(at: location, verified: verified) { return try body(value) }
        if location.isCompressed {
            return try withDecompressedValue(at: location, recordCheck(verified), body)
        }
        return try body(try valueSlowly(at: location, verified: verified))
    }

    @inline(never)
    private func withDecompressedValue<Result>(
        at location: Location, _ check: RecordCheck,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let value = try packedValue(at: location, check) { return try body(value) }
        let buffer = DecompressionBuffer.take()
        defer { buffer.give() }
        return try body(
            try decompressedValue(at: location, check, into: buffer))
    }

    /// When the checksum of a compressed record is verified that is read.
    func recordCheck(_ verified: Bool) -> RecordCheck {
        if verified || verification == .always { return .always }
        return verification == .none ? .never : .once
    }

    /// A value that compaction has put together with others, if it is not compressed.
    private func packedValue(
        at location: Location, _ check: RecordCheck
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        do {
            return try segments.packedValue(at: location, check)
        } catch {
            throw StoreError(error)
        }
    }

    private func decompressedValue(
        at location: Location, _ check: RecordCheck, into buffer: DecompressionBuffer
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        do {
            return try segments.decompressValue(at: location, check, into: buffer)
        } catch {
            throw StoreError(error)
        }
    }

    /// The value of a key in place, or nil; `ValueInPlace.compressed` if it can't be had in place.
    @inline(__always)
    func valueInPlace(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let found = try indexValue(forKey: key, in: keyspace) else { return nil }
        return try valueInPlace(at: Location(rawValue: found), verified: verified)
    }

    /// The value at a location in place; `ValueInPlace.compressed` if it can't be had in place.
    @inline(__always)
    func valueInPlace(
        at location: Location, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        if let value = mappedValue(at: location, verified: verified) { return value }
        return try valueInPlaceSlowly(at: location, verified: verified)
    }

    @inline(never)
    func valueInPlaceSlowly(
        at location: Location, verified: Bool
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        if location.isCompressed {
            return try packedValue(at: location, recordCheck(verified)) ?? ValueInPlace.compressed
        }
        return try valueSlowly(at: location, verified: verified)
    }

    /// Calls `body` with the value of a key, wherever it is.
    func withValue<Result>(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID, verified: Bool,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        guard let found = try indexValue(forKey: key, in: keyspace) else { return nil }
        return try withValue(at: Location(rawValue: found), verified: verified, body)
    }

    /// A cursor over a keyspace, not yet on a key.
    package func cursor(in keyspace: KeyspaceID) -> RawCursor {
        RawCursor(self, keyspace: keyspace)
    }
}
