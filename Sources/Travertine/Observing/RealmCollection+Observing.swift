import Dispatch
import TravertineStore

extension RealmCollection {
    /// Calls a block with what changes in the collection, until the token is invalidated or let go
    /// of.
    ///
    /// ```swift
    /// token = dogs.observe { changes in
    ///     switch changes {
    ///     case .initial(let dogs): show(dogs)
    ///     case .update(_, let deletions, let insertions, let modifications):
    ///         table.update(deletions, insertions, modifications)
    ///     case .error: break
    ///     }
    /// }
    /// ```
    /// The block is called first with `.initial`, then after commits that change the collection:
    /// when the realm goes on to a newer version, never inside a transaction of this realm. The
    /// collection then shows exactly what was reported. Requires a managed collection.
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties of the elements, such as "name" and "owner.name", whose
    ///     changes make an element modified; without any, all do, up to four links deep. An empty
    ///     array stands for insertions and deletions only.
    ///   - queue: where the block is called instead: what is observed is handed over to the realm
    ///     of this queue, and a realm that can't be opened there is reported as `.error`.
    ///   - block: called with the collection and the positions that changed.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
    }

    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: ObservedPaths.names(keyPaths), on: queue, block)
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

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken where Element: ObjectBase {
        await observe(keyPaths: ObservedPaths.names(keyPaths), on: actor, block)
    }

    private func observeHere(
        _ names: [String]?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _results.state.observe(names ?? Element.observedNames) { [self] report in
            block(report.change(of: self))
        }
    }
}

extension ResultsState {
    /// Begins an observation of what the results have.
    func observe(
        _ names: [String]?, _ block: @escaping (CollectionReport) -> Void
    ) -> NotificationToken {
        session.checkThread()
        takeTable()
        guard let source, let element = source.element else {
            let paths = ObservedPaths.paths(names, of: table)
            return session.observe(ResultsObservation(self, keyPaths: paths, block))
        }
        require(
            names?.isEmpty ?? true || element.type.type == .any,
            "Can't observe key paths of values: they have no properties.")
        let paths = ObservedPaths.paths(names)
        return session.observe(ValuesObservation(self, source, keyPaths: paths, block))
    }
}

extension RealmCollectionValue {
    /// The properties that elements are observed by where no key paths are given; nil for all.
    /// Those of a projection are what it shows.
    static var observedNames: [String]? {
        (Self.self as? any ProjectionObservable.Type)?.projectedPaths
    }
}
