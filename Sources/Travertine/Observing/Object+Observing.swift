import Dispatch
import TravertineStore

extension ThreadConfined where Self: ObjectBase {
    /// Calls a block with the properties of the object that change, until the token is invalidated
    /// or let go of, or the object is deleted.
    ///
    /// ```swift
    /// token = person.observe { change in
    ///     switch change {
    ///     case .change(_, let properties): print(properties.map(\.name))
    ///     case .deleted: print("gone")
    ///     case .error: break
    ///     }
    /// }
    /// ```
    /// Changes are those since the state that is shown now. Requires a managed object.
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties, also of linked objects: "name", "owner.name". A change of
    ///     what one leads to is a change of its first property. Without any, each property counts,
    ///     and nothing of linked objects.
    ///   - queue: where the block is called instead: what is observed is handed over to the realm
    ///     of this queue, and a realm that can't be opened there is reported as `.error`.
    ///   - block: called with the properties that changed, and once with `.deleted`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
    }

    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: ObservedPaths.names(keyPaths), on: queue, block)
    }

    /// As `observe(keyPaths:_:)`, on an actor: the object is handed over to the actor's realm, and
    /// the block is called there. The observation has begun when this returns.
    public func observe<Observer: Actor>(
        keyPaths: [String]? = nil, on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await beginObserving(on: actor, block) { $0.observeHere(keyPaths, $1) }
    }

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: ObservedPaths.names(keyPaths), on: actor, block)
    }

    private func observeHere(
        _ names: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let session = checkedSession("objects")
        let paths = ObservedPaths.paths(names.flatMap { $0.isEmpty ? nil : $0 }, of: table)
        let properties = ObservedProperty.properties(of: table, paths)
        let observation = ObjectObservation(self, session, properties) { [self] report in
            switch report {
            case .deleted: block(.deleted)
            case .change(let properties):
                block(.change(self, properties.map { PropertyChange(self, $0.name, $0.old) }))
            }
        }
        return session.observeChanges(observation)
    }
}

extension ObjectBase {
    /// The session, of which the object is there; stops where it is not.
    final func checkedSession(_ kind: String) -> RealmSession {
        guard let session else {
            misuse("Only managed \(kind) can be observed: add the object to a realm first.")
        }
        session.checkThread()
        if !session.resolve(self) { session.stopForDeleted(self) }
        return session
    }
}

extension PropertyChange {
    /// The change of an object's property, of which the value before is known.
    fileprivate init(_ object: ObjectBase, _ name: String, _ old: Any?) {
        let slot = object.table.slot(named: name)
        let isCollection = slot.map { object.table.properties[$0].collection != .none } ?? true
        self.init(name: name, old: old, new: isCollection ? nil : object[name])
    }

    /// An object that was deleted since is nothing.
    init(name: String, old: Any?, new: Any?) {
        self.name = name
        let isGone = (old as? ObjectBase)?.isInvalidated ?? false
        oldValue = isGone ? nil : old
        newValue = new
    }
}
