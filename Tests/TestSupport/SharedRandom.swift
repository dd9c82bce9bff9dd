import Synchronization

/// A `SeededRandom` that several closures may draw from.
public final class SharedRandom: Sendable {
    private let generator: Mutex<SeededRandom>

    /// Draws from a sequence that begins there.
    public init(_ random: SeededRandom) { generator = Mutex(random) }

    /// The next number.
    public func next() -> UInt64 { generator.withLock { $0.next() } }
}
