import Synchronization

/// Slows writers down, a little at each commit, while they make garbage faster than compaction takes
/// it away: so space stays near its bound without a writer ever being stopped.
///
/// A bucket of tokens, one for each byte of log, that fills at a rate which follows compaction's own:
/// half as much again where the store has just left its bound, the same at an eighth beyond, down to a
/// quarter at more than twice that. A commit that finds too few waits for the rest, and never longer
/// than `delayMax`. Within the bound, and while compaction can't work, there is no delay.
final class WriteThrottle: Sendable {
    private struct State {
        /// Bytes for each nanosecond.
        var rate = 0.0
        var tokens = 0.0
        var time: UInt64 = 0
    }

    private let isOn = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Whether commits are slowed down at present.
    var isActive: Bool { isOn.load(ordering: .relaxed) }

    /// The longest delay of a commit, in nanoseconds.
    static let delayMax: UInt64 = 10_000_000
    /// However slow compaction is, writers get a million bytes in a second.
    static let rateMin = 0.001
    /// The bucket holds what so many nanoseconds bring.
    static let burst = 5_000_000.0

    /// The rate at which writers may write; nil where they are not slowed down.
    ///
    /// - Parameter gainRate: bytes that compaction gives back for each nanosecond; nil if it has not
    ///   shown yet.
    static func rate(excess: Int, allowed: Int, gainRate: Double?) -> Double? {
        guard excess > 0, let gainRate, gainRate > 0 else { return nil }
        let beyond = Double(excess) / Double(max(1, allowed))
        return max(rateMin, gainRate * max(0.25, 1.5 - beyond * 4))
    }

    /// Sets the rate, nil for none.
    func set(rate: Double?, now: UInt64) {
        state.withLock { state in
            if let rate, state.rate == 0 {
                state.time = now
                state.tokens = rate * Self.burst
            }
            state.rate = rate ?? 0
        }
        isOn.store(rate != nil, ordering: .relaxed)
    }

    /// Takes the tokens of a commit; returns how long it has to wait, in nanoseconds.
    func delay(forByteCount byteCount: Int, now: UInt64) -> UInt64 {
        guard isActive else { return 0 }
        return state.withLock { state in
            guard state.rate > 0 else { return 0 }
            let passed = now > state.time ? Double(now - state.time) : 0
            state.time = max(now, state.time)
            state.tokens = min(state.tokens + passed * state.rate, state.rate * Self.burst)
            state.tokens -= Double(byteCount)
            guard state.tokens < 0 else { return 0 }
            let wait = min(-state.tokens / state.rate, Double(Self.delayMax))
            // Who has waited the longest delay owes no more.
            state.tokens = max(state.tokens, -state.rate * Double(Self.delayMax))
            return UInt64(wait)
        }
    }
}
