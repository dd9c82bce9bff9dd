import TravertineStore

/// Freezing a realm: reading one version on any thread, and coming back from it to the live realm.
extension Realm {
    /// Whether the realm shows one version for ever, on any thread.
    public var isFrozen: Bool { session.isFrozen }

    /// A realm that shows for ever what this one shows now; itself if it is frozen.
    ///
    /// A frozen realm may be read from any thread, by several at once, and so may the objects and
    /// results that it gives. It can't be written, observed or invalidated, and refreshing it does
    /// nothing. Its version keeps its place in the store until the realm and everything that was
    /// taken from it are released.
    ///
    /// Stops inside a write transaction. Costs some microseconds, and less if the realm shows what
    /// was frozen before.
    public func freeze() -> Realm { Realm(session.freeze()) }

    /// An object or collection of the realm, showing for ever what it shows now; see
    /// ``ThreadConfined/freeze()``.
    public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined {
        confined.freeze()
    }

    /// The live realm of the calling thread, queue or actor; itself if it is live.
    ///
    /// Stops if the realm can't be opened there.
    public func thaw(_isolation actor: isolated (any Actor)? = #isolation) -> Realm {
        guard isFrozen else { return self }
        do {
            return try Realm(
                configuration, session.shared.liveConfinement(actor), isHere: true)
        } catch {
            misuse("The frozen realm can't be opened to be live: \(error)")
        }
    }

    /// An object or collection as the live realm of the calling thread, queue or actor shows it;
    /// nil if it was deleted.
    public func thaw<Confined: ThreadConfined>(
        _ confined: Confined, _isolation actor: isolated (any Actor)? = #isolation
    ) -> Confined? {
        confined.thaw(_isolation: actor)
    }
}

extension RealmSession {
    /// Shows a version that is at least as new as a snapshot of the same store; a failure is thrown
    /// by the next call that can.
    func advance(toAtLeast other: Snapshot) {
        do {
            try advance(to: other)
        } catch {
            damage = error
        }
    }
}
