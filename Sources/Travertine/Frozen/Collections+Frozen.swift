/// Collections as other realms of the store show them.

/// Lists, sets and maps in another realm of the store.
extension List {
    /// The same list as another realm of the store shows it; nil if its object is not there.
    public func _shown(in realm: Realm) -> List? {
        guard let shown = anchor?.shown(in: realm.session.here) else { return nil }
        let list = List()
        list.bind(shown)
        return list
    }
}

extension MutableSet {
    /// The same set as another realm of the store shows it; nil if its object is not there.
    public func _shown(in realm: Realm) -> MutableSet? {
        guard let shown = anchor?.shown(in: realm.session.here) else { return nil }
        let set = MutableSet()
        set.bind(shown)
        return set
    }
}

extension Map {
    /// The same map as another realm of the store shows it; nil if its object is not there.
    public func _shown(in realm: Realm) -> Map? {
        guard let shown = anchor?.shown(in: realm.session.here) else { return nil }
        let map = Map()
        map.bind(shown)
        return map
    }
}

extension AnyRealmCollection {
    /// The same collection as another realm of the store shows it; nil if it is not there.
    public func _shown(in realm: Realm) -> AnyRealmCollection? {
        func shown<Base: RealmCollection<Element>>(_ base: Base) -> AnyRealmCollection? {
            base._shown(in: realm).map { AnyRealmCollection($0) }
        }
        return shown(base)
    }
}

extension SectionedResults {
    /// The same sections as another realm of the store shows them; nil if they are of something
    /// that is not there.
    public func _shown(in realm: Realm) -> SectionedResults? {
        base.shown(in: realm).map { SectionedResults(state: $0) }
    }
}

extension ResultsSection {
    /// The same section as another realm of the store shows it; nil if it is of something that is
    /// not there.
    public func _shown(in realm: Realm) -> ResultsSection? {
        base.shown(in: realm).map { ResultsSection(state: $0, key: key) }
    }
}

extension Projection {
    /// The same view as another realm of the store shows it; nil if its object is not there.
    public func _shown(in realm: Realm) -> Self? {
        rootObject._shown(in: realm).map { Self(projecting: $0) }
    }
}
