import TravertineStore

/// Results of frozen realms, and of others shown in one.
extension ResultsState {
    /// The same query for the calling thread: of frozen results that belong to another thread it is
    /// one of the thread's own session. What a live one does there is for its first use.
    @inline(__always)
    var here: ResultsState { session.isHere ? self : elsewhere }

    @inline(never)
    private var elsewhere: ResultsState {
        copies?.copy {
            guard let copy = shown(in: session.here) else {
                misuse("The frozen results can't be read: their type is not in the realm.")
            }
            return copy
        } ?? self
    }

    /// The same query in another session of the store; nil if what it looks in is not there.
    func shown(in other: RealmSession) -> ResultsState? {
        guard let table = other.table(matching: table) else { return nil }
        var origin: ResultsSource?
        if let source {
            guard let shown = source.shown(in: other) else { return nil }
            origin = shown
        }
        // The classes of what is in a collection are found again.
        let derived = source == nil ? derived.compactMap { other.table(matching: $0.table) } : []
        return ResultsState(
            other, table, predicate?.shown(in: other, from: session),
            descriptors.map { descriptor in
                guard case .filtered(let predicate) = descriptor else { return descriptor }
                return .filtered(predicate.shown(in: other, from: session))
            }, derived: derived, source: origin)
    }
}

extension Results {
    /// The same query as another realm of the store answers it; nil if it is on a collection or an
    /// object that is not there.
    public func _shown(in realm: Realm) -> Results? {
        base.shown(in: realm.session.here).map { Results($0) }
    }
}

extension SectionedState {
    /// The same sections for the calling thread.
    @inline(__always)
    var here: SectionedState { results.base.session.isHere ? self : elsewhere }

    @inline(never)
    private var elsewhere: SectionedState {
        copies?.copy { SectionedState(Results(results.state), origin) } ?? self
    }

    /// The same sections in another realm of the store; nil if they are of something that is not
    /// there.
    func shown(in realm: Realm) -> SectionedState? {
        results._shown(in: realm).map { SectionedState($0, origin) }
    }
}

extension Predicate {
    /// The condition for another session of the store: the objects that it compares with are those
    /// of that session. One that is not there stays as it is, and compares by its key.
    func shown(in session: RealmSession, from source: RealmSession) -> Predicate {
        mappingConstants { constant in
            switch constant {
            case .object(let object):
                guard source.isSame(as: object.session), !session.isSame(as: source) else {
                    return constant
                }
                return (session.shown(object) as? Object).map { .object($0) } ?? constant
            case .list(let list):
                guard source.isSame(as: list.session), !session.isSame(as: source) else {
                    return constant
                }
                return list._shown(in: Realm(session)).map { .list($0) } ?? constant
            case .dictionary(let map):
                guard source.isSame(as: map.session), !session.isSame(as: source) else {
                    return constant
                }
                return map._shown(in: Realm(session)).map { .dictionary($0) } ?? constant
            default: return constant
            }
        }
    }

    func mappingConstants(_ map: (AnyRealmValue) -> AnyRealmValue) -> Predicate {
        switch self {
        case .constant, .words, .isWithin: self
        case .not(let condition): .not(condition.mappingConstants(map))
        case .and(let conditions): .and(conditions.map { $0.mappingConstants(map) })
        case .or(let conditions): .or(conditions.map { $0.mappingConstants(map) })
        case .comparison(var comparison):
            {
                comparison.left = comparison.left.mappingConstants(map)
                comparison.right = comparison.right.mappingConstants(map)
                return .comparison(comparison)
            }()
        }
    }
}

extension Operand {
    func mappingConstants(_ map: (AnyRealmValue) -> AnyRealmValue) -> Operand {
        switch self {
        case .constant(let value): .constant(map(value))
        case .list(let values): .list(values.map(map))
        case .path, .aggregate: self
        case .subqueryCount(let path, let condition):
            .subqueryCount(path, condition.mappingConstants(map))
        case .arithmetic(let operation, let left, let right):
            .arithmetic(operation, left.mappingConstants(map), right.mappingConstants(map))
        }
    }
}
