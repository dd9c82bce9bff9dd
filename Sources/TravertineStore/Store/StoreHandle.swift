import CPlatform
import Locks

/// What work in the background finds its store by, without keeping it: a weak reference.
///
/// Swift's own would cost every snapshot: an object that a weak reference was ever made to counts
/// its references in a table beside it, several times slower from then on.
final class StoreHandle: Sendable {
    /// The store until its `deinit`; the lock keeps its memory while somebody tries to retain it.
    private let store = Locked<UInt>(0)

    /// Points to a store; once.
    func set(_ store: Store) {
        self.store.withLock { $0 = UInt(bitPattern: Unmanaged.passUnretained(store).toOpaque()) }
    }

    /// Points to nothing from now on; the first thing in the store's `deinit`.
    func clear() { store.withLock { $0 = 0 } }

    /// The store, or nil when its last reference is gone.
    var target: Store? {
        store.withLock { address in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
                travertine_try_retain(pointer) != nil
            else { return nil }
            return Unmanaged<Store>.fromOpaque(pointer).takeRetainedValue()
        }
    }
}
