import Locks
import SegmentLog
import Synchronization

/// Slows writers down, a little at each commit, where they make garbage faster than compaction
/// takes it away: so space stays near its bound without a writer ever being stopped.
///
/// A bucket of tokens, one for each byte of log. It fills at the rate at which writers reach the
/// next checkpoint just when compaction has made room for the segments that it will set free to
/// go. A commit that finds too few tokens waits for the rest, but never longer than `delayMax` and
/// what its bytes take at a middling pace; what is left over, the next ones pay. While there is
/// nothing to make room for, and while compaction can't work, there is no delay.
final class WriteThrottle: Sendable {
    private struct State {
        /// Bytes for each nanosecond.
        var rate = 0.0
        var tokens = 0.0
        var time: UInt64 = 0
    }

    private let isOn = Atomic<Bool>(false)
    private let state = Locked(State())

    /// Whether commits are slowed down at present.
    var isActive: Bool { isOn.load(ordering: .relaxed) }

    /// The longest delay of a small commit, in nanoseconds: many short ones, and no long one.
    static let delayMax = 1_000_000.0
    /// What a large commit may be delayed longer, for each byte: as if it took 100 MB in a second.
    static let delayPerByteMax = 10.0
    /// However slow compaction is, writers get a million bytes in a second.
    static let rateMin = 0.001
    /// The bucket holds what so many nanoseconds bring, and owes at most ten times as much.
    static let burst = 1_000_000.0
    static let debtMax = 10 * burst

    /// The rate at which writers may write; nil where they are not slowed down.
    ///
    /// - Parameters:
    ///   - excess: bytes that compaction must give back before the next checkpoint.
    ///   - room: bytes of log until then.
    ///   - gainRate: bytes that compaction gives back for each nanosecond.
    static func rate(excess: Int, room: Int, gainRate: Double) -> Double? {
        guard excess > 0, gainRate > 0 else { return nil }
        let share = Double(max(0, room)) / Double(excess)
        // At half of compaction's rate space shrinks, whatever the checkpoint takes.
        return max(rateMin, gainRate * max(0.5, share))
    }

    /// The longest delay of a commit of so many bytes.
    static func longestDelay(forByteCount byteCount: Int) -> Double {
        delayMax + Double(byteCount) * delayPerByteMax
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

    /// Takes the tokens of a commit; returns how long it must wait, in nanoseconds.
    func delay(forByteCount byteCount: Int, now: UInt64) -> UInt64 {
        guard isActive else { return 0 }
        return state.withLock { state in
            guard state.rate > 0 else { return 0 }
            let passed = now > state.time ? Double(now - state.time) : 0
            state.time = max(now, state.time)
            state.tokens = min(state.tokens + passed * state.rate, state.rate * Self.burst)
            state.tokens -= Double(byteCount)
            guard state.tokens < 0 else { return 0 }
            let wait = min(
                -state.tokens / state.rate, Self.longestDelay(forByteCount: byteCount))
            state.tokens = max(state.tokens, -state.rate * Self.debtMax)
            return UInt64(wait)
        }
    }
}

extension Store {
    /// How many nanoseconds a commit must wait if compaction can't keep up; it is counted.
    func delayToPay(byteCount: Int) -> UInt64 {
        guard compaction.throttle.isActive else { return 0 }
        let delay = compaction.throttle.delay(
            forByteCount: byteCount, now: options.environment.now())
        if delay == 0 { return 0 }
        compaction.shared.withLock { shared in
            shared.delayCount += 1
            shared.delayNanoseconds += delay
        }
        return delay
    }
}
