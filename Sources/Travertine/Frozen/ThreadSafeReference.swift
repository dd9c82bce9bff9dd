import Locks
import TravertineStore

/// An object, collection or projection on its way to another thread, where it is live again.
///
/// ```swift
/// let reference = ThreadSafeReference(to: city)
/// Thread.detachNewThread {
///     let realm = try! Realm()
///     guard let city = realm.resolve(reference) else { return } // it was deleted
///     try! realm.write { city.population += 1 }
/// }
/// ```
/// It can be resolved once. Until then the version that it was made in keeps its place in the
/// store. What is only read there crosses more cheaply as ``Frozen``.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let payload: Payload

    /// Guarded by the lock: taken out once.
    private final class Payload: @unchecked Sendable {
        let frozen: Locked<Confined?>

        init(_ frozen: Confined) { self.frozen = Locked(frozen) }
    }

    /// A reference to something in a realm.
    ///
    /// Needs the thread of the realm, and that no write transaction is open on it. Stops for
    /// something unmanaged or deleted.
    public init(to threadConfined: Confined) {
        payload = Payload(threadConfined.freeze())
    }

    /// Whether it was resolved already.
    public var isInvalidated: Bool { payload.frozen.withLock { $0 == nil } }

    /// Takes what is referred to, frozen; nil if it was taken before.
    func take() -> Confined? { payload.frozen.withLock { $0.take() } }
}

extension Realm {
    /// What a reference refers to, as this realm shows it; nil if it was deleted since.
    ///
    /// Needs the thread of the realm, which is refreshed where it shows an older version than that
    /// of the reference. Costs a look-up. Stops for a reference that was resolved before, for one
    /// to another realm's, and on a frozen realm.
    public func resolve<Confined: ThreadConfined>(
        _ reference: ThreadSafeReference<Confined>
    ) -> Confined? {
        session.requireLive()
        session.checkThread()
        guard let frozen = reference.take() else {
            misuse(
                "A thread-safe reference can be resolved once. Make another one, or hand over a "
                    + "`Frozen` value, which can be read any number of times.")
        }
        guard let version = frozen.realm?.session.frozen else { return nil }
        require(
            version.shared === session.shared,
            "The reference is to something in the realm at \(version.shared.fileURL.path), and can't "
                + "be resolved in the one at \(session.shared.fileURL.path): open that realm.")
        session.advance(toAtLeast: version.snapshot)
        return frozen._shown(in: self)
    }
}
