import Synchronization

/// One pin's announcement, alone in its cache lines.
struct PinSlot: ~Copyable {
    /// Nobody's.
    static let free = UInt64.max
    /// Taken, and its owner loads the published root next: pins everything.
    static let announced = UInt64.max - 1

    /// `free`, `announced`, or the version that is pinned.
    let version = Atomic<UInt64>(PinSlot.free)
    /// The owner's, for statistics.
    let note = Atomic<UInt64>(0)
    /// The next slot of the same block.
    let next: UnsafeMutablePointer<PinSlot>?
}
