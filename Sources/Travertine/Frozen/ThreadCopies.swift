import CPlatform
import Locks

/// What other threads than its own have in place of something frozen that caches what it finds:
/// one for each thread, made when the thread first asks.
///
/// They live as long as the original, so that a thread finds its own without the lock
/// (`ThreadCache`).
final class ThreadCopies<Original: AnyObject> {
    private let number = ThreadCache.nextNumber()
    private let copies = Locked<[UInt: Original]>([:])

    /// The copy of the calling thread.
    func copy(_ make: () -> Original) -> Original {
        let cache = ThreadCache.current
        if let known = cache.object(for: number) {
            return unsafeDowncast(known, to: Original.self)
        }
        let thread = UInt(travertine_current_thread())
        // Nobody else makes the copy of this thread.
        let copy: Original
        if let known = copies.withLock({ $0[thread] }) {
            copy = known
        } else {
            copy = make()
            copies.withLock { $0[thread] = copy }
        }
        cache.enter(copy, for: number)
        return copy
    }
}
