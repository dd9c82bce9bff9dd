import Foundation
import Locks
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct ThreadKeyTests {
    /// Notes its end.
    private final class Kept {
        private let ended: @Sendable () -> Void
        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
        deinit { ended() }
    }

    @Test("an object under a thread's key is that thread's alone, and is released at its end")
    func threadEnd() {
        let key = makeThreadKey()
        let end = DispatchSemaphore(value: 0)
        let seen = Locked<[Bool]>([])
        Thread.detachNewThread {
            let before = pthread_getspecific(key) == nil
            pthread_setspecific(key, Unmanaged.passRetained(Kept { end.signal() }).toOpaque())
            let after = pthread_getspecific(key) != nil
            seen.withLock { $0 = [before, after] }
        }
        // Only the object signals, when it is released.
        #expect(end.wait(timeout: .now() + 60) == .success)
        #expect(seen.withLock { $0 } == [true, true])
        #expect(pthread_getspecific(key) == nil)
        pthread_key_delete(key)
    }
}
