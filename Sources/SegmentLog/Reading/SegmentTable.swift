import Synchronization

/// One mapped segment in the table that readers search.
///
/// `identity` is stored last, with release order, and read first, with acquire order: a reader that
/// sees the number sees the other two.
@usableFromInline struct SegmentSlot: ~Copyable {
    /// Number in the upper half, mapped bytes in the lower; zero: empty.
    @usableFromInline let identity = Atomic<UInt64>(0)
    /// The address of the first mapped byte.
    @usableFromInline let base = Atomic<UInt>(0)
    @usableFromInline let saltChecksum = Atomic<UInt32>(0)
    /// The address of the marks of what was found whole (`WholeMarks`); 0 until somebody asks for
    /// them.
    @usableFromInline let marks = Atomic<UInt>(0)

    init() {}

    /// The word that a slot has for a segment.
    static func identity(_ number: UInt32, byteCount: Int) -> UInt64 {
        UInt64(number) << 32 | UInt64(byteCount)
    }

    /// The number in an identity: comparable to the upper half of a location.
    @inlinable @inline(__always)
    static func number(_ identity: UInt64) -> UInt64 { identity &>> 32 }

    /// The mapped bytes in an identity.
    @inlinable @inline(__always)
    static func byteCount(_ identity: UInt64) -> Int {
        Int(truncatingIfNeeded: identity & 0xffff_ffff)
    }
}

/// A table of mapped segments: a ring that the low bits of the number index.
///
/// Slots fill in place; when two numbers need one slot, a larger table replaces this one. Old
/// tables live as long as the log, so that a reader may go on with one.
@usableFromInline struct SegmentTable {
    @usableFromInline let mask: UInt64
    @usableFromInline let slots: UnsafeMutablePointer<SegmentSlot>
}

/// What a reader holds on to: the current table, and the object that maps what is missing there.
@usableFromInline struct SegmentTableHead: ~Copyable {
    /// The address of the current `SegmentTable`.
    @usableFromInline let table: Atomic<UInt>
    /// The address of the current table of sealed segments, of which a record is read only after it
    /// was decrypted and marked; 0 where there are none. No segment is in both tables.
    @usableFromInline let sealedTable = Atomic<UInt>(0)
    /// Whether what is asked for early must be asked of the device too (`MappedFiles`).
    @usableFromInline let readsFromDevice = Atomic<Bool>(false)
    @usableFromInline let mappings: Unmanaged<SegmentMappings>

    init(table: UInt, mappings: Unmanaged<SegmentMappings>) {
        self.table = Atomic(table)
        self.mappings = mappings
    }
}
