import CPlatform
import Locks
import Synchronization

/// A lock that code of the application may run under, which must not come back for it.
final class OpeningLock: Sendable {
    // The state is not used; but one of no size lies, for the thread sanitizer, where the object
    // begins.
    private let lock = Locked(UInt8(0))
    /// The thread that has it; 0 for none.
    private let owner = Atomic<UInt>(0)

    /// What a thread gets that would wait for itself.
    static var refusal: Realm.Error {
        Realm.Error(
            .fail,
            "A realm can't be opened in the `migrationBlock` or `indexBuildProgress` of one whose "
                + "store it shares, nor in `shouldCompactOnLaunch`, nor by a `Logger` "
                + "that is called while another is opened.")
    }

    /// Calls `body`, alone.
    ///
    /// - Throws: `Realm.Error` with `.fail` where the thread has the lock already, and would wait
    ///   for itself; what `body` throws.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = UInt(travertine_current_thread())
        // Nobody but this thread enters it.
        guard owner.load(ordering: .relaxed) != thread else {
            throw Self.refusal
        }
        return try lock.withLock { _ in
            owner.store(thread, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return try body()
        }
    }
}
