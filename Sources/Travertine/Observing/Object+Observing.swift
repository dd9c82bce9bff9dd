import TravertineStore

extension ThreadConfined where Self: ObjectBase {
    /// Calls a block with the properties of the object that change, until the token is invalidated or
    /// let go of, or the object is deleted.
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
    /// - Parameter keyPaths: names of properties, also of linked objects: "name", "owner.name". A
    ///   change of what one leads to is a change of its first property. Without any, each property
    ///   counts, and nothing of linked objects.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observeReports(keyPaths) { [self] report in
            switch report {
            case .deleted: block(.deleted)
            case .change(let properties):
                block(.change(self, properties.map { PropertyChange(self, $0.name, $0.old) }))
            }
        }
    }

    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: ObservedPaths.names(keyPaths), block)
    }
}

extension ObjectBase {
    final func observeReports(
        _ names: [String]?, _ block: @escaping (ObjectDifference) -> Void
    ) -> NotificationToken {
        let session = checkedSession("objects")
        let paths = ObservedPaths.paths(names.flatMap { $0.isEmpty ? nil : $0 }, of: table)
        return session.observeChanges(
            ObjectObservation(self, session, ObservedProperty.properties(of: table, paths), block))
    }

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
