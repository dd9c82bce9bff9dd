import CPlatform

/// The thread that a realm may be used on just now, with what its handles compare (`Generation`).
///
/// A realm of a queue or an actor takes the number of the thread that it is used on when a
/// comparison with the number fails and its confinement allows it (T-L1). The first such use in a
/// block sends one that takes the number back, so that what the thread runs later is refused.
/// Everything here is done on the realm's confinement, one after the other, which is why it is
/// Sendable. A separate object, because the block may be called after the realm has ended.
final class PermittedThread: @unchecked Sendable {
    let generation: UnsafeMutablePointer<Generation>
    private var isClearingSent = false
    /// No thread has this number.
    private static let nowhere: UInt = 0

    init() {
        generation = .allocate(capacity: 1)
        generation.initialize(
            to: Generation(number: Generation.firstGeneration, thread: Self.nowhere))
    }

    deinit { generation.deallocate() }

    /// Takes the calling thread's number.
    func moveToCurrentThread(in confinement: Confinement) {
        generation.pointee.thread = UInt(travertine_current_thread())
        switch confinement {
        case .thread: return
        // It drains the main queue and no other; and may never do so in programs without a loop.
        case .queue(let queue) where queue.isMain && MainThread.isCurrent: return
        case .queue, .actor: break
        }
        if isClearingSent { return }
        isClearingSent = true
        confinement.enqueue { [self] in
            isClearingSent = false
            generation.pointee.thread = Self.nowhere
        }
    }
}
