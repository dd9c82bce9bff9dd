import CPlatform

/// What a managed object's cached row pointer is checked against, in two compares.
///
/// Every realm has one, at a fixed address. The generation grows whenever a row may have moved:
/// when the realm shows another snapshot, and in a write transaction with each change of a row.
@usableFromInline @frozen
struct Generation {
    /// Grows with every change; starts above the stamps that mean "not resolved".
    @usableFromInline var number: UInt64
    /// The thread that the realm belongs to.
    @usableFromInline var thread: UInt

    /// Whether a pointer of this stamp may be used, here and now.
    @inlinable @inline(__always)
    func isCurrent(_ stamp: UInt64) -> Bool {
        number == stamp && thread == travertine_current_thread()
    }

    /// As above. A plain value is read without the realm: that of a frozen object, whose generation
    /// never changes, may be read on any thread.
    @inlinable @inline(__always)
    func isCurrent(_ stamp: UInt64, isPlain: Bool) -> Bool {
        number == stamp
            && (_fastPath(thread == travertine_current_thread())
                || isPlain && Self.isFrozen(stamp))
    }

    /// The stamp of a managed object whose row was not looked up yet.
    static let unresolvedStamp: UInt64 = 1
    static let firstGeneration: UInt64 = 2
    /// The generation of frozen realms, which stays.
    static let frozenGeneration: UInt64 = 1 << 63

    /// Whether a stamp is that of a frozen object whose row was found: that stays where it is, and
    /// is read on any thread.
    @inlinable @inline(__always)
    static func isFrozen(_ stamp: UInt64) -> Bool { Int64(bitPattern: stamp) < 0 }
}
