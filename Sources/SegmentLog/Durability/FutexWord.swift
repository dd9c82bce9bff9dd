import CPlatform
import Synchronization

/// A number that threads sleep on until it changes; waking takes no lock and one system call.
final class FutexWord: @unchecked Sendable {
    // In heap memory, because the system takes its address.
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(0))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    var value: UInt32 { word.pointee.load(ordering: .sequentiallyConsistent) }

    /// Sleeps while the value is `seen`. May return early.
    func wait(whileEqualTo seen: UInt32) {
        travertine_wait_on_word(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), seen)
    }

    func change() {
        word.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    func wakeAll() {
        travertine_wake_word(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), 1)
    }

    func changeAndWakeAll() {
        change()
        wakeAll()
    }
}
