import Dispatch

/// Observing one property of the objects in a collection.
extension ProjectedCollection {
    /// Calls a block with what changes in the collection, until the token is invalidated or let go
    /// of: with the positions of objects that come and go, and of those whose projected property
    /// changes.
    ///
    /// As for lists (`observe`).
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties of the objects whose changes count in place of the
    ///     projected one. An empty array stands for objects that come and go only.
    ///   - queue: where the block is called instead, as for lists.
    ///   - block: called with the collection and the positions that changed.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
    }

    private func observeHere(
        _ keyPaths: [String]?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observeReports(keyPaths) { block($0.change(of: self)) }
    }

    /// As `observe(keyPaths:_:)`, on an actor: the collection is handed over to the actor's realm,
    /// and the block is called there. The observation has begun when this returns.
    public func observe<Observer: Actor>(
        keyPaths: [String]? = nil, on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await beginObserving(on: actor, block) { $0.observeHere(keyPaths, $1) }
    }
}

/// Values that belong to the elements of a collection.
protocol ProjectedElements {
    var elementNames: [String] { get }
}

extension ProjectedCollection: ProjectedElements {
    var elementNames: [String] { names() }
}
