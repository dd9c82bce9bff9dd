import TravertineStore

/// Objects that conditions compare with (Q17).
extension RealmSession {
    /// The stored object that a constant stands for in conditions of this session: also where its
    /// handle shows another version of the store. Nil for one that no realm of the store has.
    func identity(of object: Object) -> (type: UInt32, key: UInt64)? {
        guard let other = object.session, other.shared === shared, !object.table.isGone else {
            return nil
        }
        return (object.table.stored.number, object.key)
    }
}

extension Predicate {
    /// The condition with its objects as a session's own conditions have them: a handle of another
    /// version is replaced with one of the session, if the session shows the object.
    ///
    /// Requires the thread of each live object.
    ///
    /// - Throws: a problem for each object that is in no realm, was deleted, or is in another
    ///   realm.
    func withObjects(of session: RealmSession) throws(QueryProblems) -> Predicate {
        var problems: [QueryProblem] = []
        var number = 0
        var areOwn = true
        forEachConstant(&number) { constant, operand in
            constant.forEachObject { object in
                if let message = object.problemInConditions(of: session) {
                    problems.append(QueryProblem(message: message, operand: operand))
                }
                areOwn = areOwn && object.session === session
            }
        }
        if !problems.isEmpty { throw QueryProblems(problems: problems) }
        if areOwn { return self }
        return mappingConstants { constant in
            guard case .object(let object) = constant, !session.isSame(as: object.session),
                let shown = session.shown(object) as? Object
            else { return constant }
            return .object(shown)
        }
    }

    /// Calls `body` with each constant and the number of its operand.
    fileprivate func forEachConstant(_ number: inout Int, _ body: (AnyRealmValue, Int) -> Void) {
        switch self {
        case .constant: break
        case .not(let inner): inner.forEachConstant(&number, body)
        case .and(let parts), .or(let parts):
            for part in parts { part.forEachConstant(&number, body) }
        case .comparison(let comparison):
            comparison.left.forEachConstant(&number, body)
            comparison.right.forEachConstant(&number, body)
        case .words, .isWithin: number += 1
        }
    }
}

extension Operand {
    fileprivate func forEachConstant(_ number: inout Int, _ body: (AnyRealmValue, Int) -> Void) {
        switch self {
        case .constant(let value):
            body(value, number)
            number += 1
        case .list(let values):
            for value in values { body(value, number) }
            number += 1
        case .path, .aggregate: number += 1
        case .subqueryCount(_, let condition):
            number += 1
            condition.forEachConstant(&number, body)
        case .arithmetic(_, let left, let right):
            left.forEachConstant(&number, body)
            right.forEachConstant(&number, body)
        }
    }
}

extension AnyRealmValue {
    /// Calls `body` with the object, or with those in a list or dictionary that is in no realm.
    fileprivate func forEachObject(depth: Int = 1, _ body: (Object) -> Void) {
        switch self {
        case .object(let object): body(object)
        case .list(let list) where list.session == nil && depth <= MixedCode.depthMax:
            for value in list { value.forEachObject(depth: depth + 1, body) }
        case .dictionary(let map) where map.session == nil && depth <= MixedCode.depthMax:
            for value in map.values { value.forEachObject(depth: depth + 1, body) }
        default: break
        }
    }
}

extension Object {
    /// Why a condition of a session can't compare with the object; nil if it can.
    fileprivate func problemInConditions(of other: RealmSession) -> String? {
        guard let session else {
            return
                "The \(info.className) that is compared with is in no realm, so that nothing is equal "
                + "to it. Add it to the realm first, or compare a property of it."
        }
        if session.shared !== other.shared {
            return
                "The \(table.className) that is compared with is in the realm at "
                + "\(session.shared.fileURL.path), and what is searched in that at "
                + "\(other.shared.fileURL.path). Look it up there by its primary key, or compare a "
                + "property of it."
        }
        if isInvalidated {
            return
                "The \(table.className) that is compared with was deleted, or its realm was "
                + "invalidated, so that nothing is equal to it. Check `isInvalidated` first."
        }
        return nil
    }
}
