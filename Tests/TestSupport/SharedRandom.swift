import Locks

/// A `SeededRandom` that several closures may draw from.
public final class SharedRandom: Sendable {
    private let generator: Locked<SeededRandom>

    /// Draws from a sequence that begins there.
    public init(_ random: SeededRandom) { generator = Locked(random) }

    /// The next number.
    public func next() -> UInt64 { generator.withLock { $0.next() } }
}
