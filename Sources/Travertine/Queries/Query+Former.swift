import TravertineStore

extension FormerPredicate {
    static func constant(_ value: Any) -> AnyRealmValue {
        if isNone(value) { return .none }
        if let mixed = AnyRealmValue(any: value) { return mixed }
        if let own = value as? any FailableCustomPersistable { return constant(own.persistableValue) }
        if let scalar = value as? any _HasPersistedType { return constant(scalar._persisted) }
        misuse("no")
    }
    static func path(_ names: [String]) -> PropertyPath {
        PropertyPath(names.map { name in
            switch MixedPathStep(name) {
            case nil: .property(name)
            case .position(let p)?: .position(p)
            case .key(let k)?: .key(k)
            case .any?: .each
            }
        })
    }
    static func op(_ c: Comparison) -> Travertine.Comparison.Operation {
        switch c {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
    var current: Predicate {
        switch self {
        case .constant(let v): return .constant(v)
        case .not(let o): return .not(o.current)
        case .and(let l, let r): return .all([l.current, r.current])
        case .or(let l, let r): return .any([l.current, r.current])
        case .compare(let n, let c, let v): return .compare(Self.path(n), Self.op(c), v)
        case .compareProperties(let l, let c, let r): return .comparison(Travertine.Comparison(.path(Self.path(l)), Self.op(c), .path(Self.path(r))))
        case .isIn(let n, let v): return .comparison(Travertine.Comparison(.path(Self.path(n)), .isIn, .list(v)))
        case .text(let n, let c, let t, let o):
            let op: Travertine.Comparison.Operation = switch c {
            case .equals: .equal
            case .contains: .contains
            case .starts: .beginsWith
            case .ends: .endsWith
            case .like: .like
            }
            return .comparison(Travertine.Comparison(.path(Self.path(n)), op, .constant(.string(t)), options: o))
        case .words(let n, let t): return .words(Self.path(n), t)
        case .isWithin(let n, let s): return .isWithin(Self.path(n), ShapeConstant(s))
        case .count(let n, let c, let v): return .comparison(Travertine.Comparison(.aggregate(.count, Self.path(n)), Self.op(c), .constant(.int(v))))
        }
    }
}
