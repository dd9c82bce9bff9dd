import TravertineStore

/// What belongs to a realm in one place: objects, projections and collections.
public protocol ThreadConfined {
    /// The realm; nil for something unmanaged.
    var realm: Realm? { get }
    /// Whether it, or the object that it belongs to, was deleted.
    var isInvalidated: Bool { get }
    /// Whether it shows one version for ever, on any thread.
    var isFrozen: Bool { get }
    /// The same, as the realm shows it now, for ever.
    func freeze() -> Self
    /// The same as another realm of the file shows it; nil if it is not there.
    func _shown(in realm: Realm) -> Self?
}

extension ThreadConfined {
    /// Whether it shows one version for ever, on any thread.
    public var isFrozen: Bool { realm?.isFrozen ?? false }

    /// The same, showing for ever what the realm shows now; itself if it is frozen.
    ///
    /// A frozen object or collection may be read from any thread, by several at once, and leads to
    /// frozen ones. It can't be changed or observed. The version that it shows keeps its place in
    /// the store until the last frozen thing of it is released.
    ///
    /// Stops for something unmanaged or deleted, and inside a write transaction. The first call
    /// after a change of what the realm shows costs some microseconds; further ones cost a look-up.
    public func freeze() -> Self {
        guard let realm else {
            misuse("What is unmanaged can't be frozen or handed over: add it to a realm first.")
        }
        if realm.isFrozen { return self }
        let frozen = realm.freeze()
        require(
            !isInvalidated,
            "What was deleted or invalidated can't be frozen or handed over. Check "
                + "`isInvalidated` first.")
        guard let shown = _shown(in: frozen) else {
            misuse("What can't be read can't be frozen: \(frozen.damageText).")
        }
        return shown
    }

    /// The same, live, of the realm of the calling thread, queue or actor; nil if it was deleted
    /// since. Itself if it is live.
    ///
    /// The realm is refreshed where it shows an older version. Costs opening the realm, which keeps
    /// an open one, and a look-up. Stops for something unmanaged.
    public func thaw(_isolation actor: isolated (any Actor)? = #isolation) -> Self? {
        guard let realm else {
            misuse("What is unmanaged can't be thawed: it belongs to no realm.")
        }
        guard let frozen = realm.session.frozen else { return self }
        let live = realm.thaw(_isolation: actor)
        live.session.advance(toAtLeast: frozen.snapshot)
        return _shown(in: live)
    }
}

extension Realm {
    /// What getters found and could not throw, for a message.
    fileprivate var damageText: String { session.here.damage.map { "\($0)" } ?? "it is not there" }
}
