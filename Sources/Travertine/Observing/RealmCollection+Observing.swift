import TravertineStore

extension RealmCollection {
    /// Calls a block with what changes in the collection, until the token is invalidated or let go of.
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
    /// collection then shows exactly what was told. Requires a managed collection.
    ///
    /// - Parameter keyPaths: names of properties of the elements, such as "name" and "owner.name",
    ///   whose changes make an element modified; without any, all do, up to four links deep. An
    ///   empty array stands for insertions and deletions only.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths) { [self] report in
            switch report {
            case .initial: block(.initial(self))
            case .update(let difference): block(difference.change(of: self))
            }
        }
    }

    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: ObservedPaths.names(keyPaths), block)
    }

    func _observe(
        _ names: [String]?, _ block: @escaping (CollectionReport) -> Void
    ) -> NotificationToken {
        _results.state.observe(names ?? Element.observedNames, block)
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
    /// The properties that elements are observed by where no key paths are given; nil for all. Those
    /// of a projection are what it shows.
    static var observedNames: [String]? {
        (Self.self as? any ProjectionObservable.Type)?.projectedPaths
    }
}

extension RealmKeyedCollection where Self: ObservedMap {
    /// Calls a block with what changes in the map, until the token is invalidated or let go of.
    ///
    /// As for lists (``RealmCollection/observe(keyPaths:_:)``), with keys instead of positions.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths) { [self] report in
            switch report {
            case .initial: block(.initial(self))
            case .update(let deletions, let insertions, let modifications):
                block(
                    .update(
                        self, deletions: deletions.map { Key(_text: $0) },
                        insertions: insertions.map { Key(_text: $0) },
                        modifications: modifications.map { Key(_text: $0) }))
            }
        }
    }
}

/// A map that can be observed: `Map`.
public protocol ObservedMap {}

extension Map: ObservedMap {}

extension RealmKeyedCollection {
    func _observe(
        _ names: [String]?, _ block: @escaping (MapReport) -> Void
    ) -> NotificationToken {
        guard let anchor = (self as? any AnchoredMap)?.anchor else {
            misuse(
                "Only managed maps can be observed: add the object that the map belongs to to a realm "
                    + "first.")
        }
        let storage = anchor.storage
        var paths: [PropertyPath]?
        if storage.nesting == nil, storage.property.type == .object,
            let target = storage.session.table(named: storage.property.target)
        {
            paths = ObservedPaths.paths(names, of: target)
        } else {
            require(
                names?.isEmpty ?? true || storage.run.type == .any,
                "Can't observe key paths of values: they have no properties.")
            paths = ObservedPaths.paths(names)
        }
        return storage.session.observe(MapObservation(storage, keyPaths: paths, block))
    }
}

/// What has the anchor of a managed map.
private protocol AnchoredMap {
    var anchor: CollectionAnchor? { get }
}

extension Map: AnchoredMap {}

extension ProjectedCollection {
    /// Calls a block with what changes in the collection, until the token is invalidated or let go of:
    /// with the positions of objects that come and go, and of those whose projected property changes.
    ///
    /// As for lists (``RealmCollection/observe(keyPaths:_:)``).
    public func observe(
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observeReports { [self] report in
            switch report {
            case .initial: block(.initial(self))
            case .update(let difference): block(difference.change(of: self))
            }
        }
    }
}

/// Values that belong to the elements of a collection.
protocol ProjectedElements {
    var elementNames: [String] { get }
}

extension ProjectedCollection: ProjectedElements {
    var elementNames: [String] { names() }
}
