import TravertineStore

/// Counting the elements of a collection that fulfil a condition.
extension Query where T == Bool {
    /// The number of elements of a collection that fulfil the condition.
    ///
    /// ```swift
    /// people.where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 2 }
    /// ```
    /// Every property in the condition follows the same collection. Stops with a message for other
    /// conditions.
    public var count: Query<Int> {
        guard let collection else {
            misuse(
                scope == .object
                    ? "`count` of a condition counts elements of a collection that fulfil it: the "
                        + "condition must name properties of its elements, as in "
                        + "($0.dogs.age > 3).count."
                    : "All properties in a condition that is counted must follow the same "
                        + "collection: "
                        + scope.collections.map {
                            $0.map { "\($0)" } ?? "a property that follows none"
                        }
                        .sorted().joined(separator: ", ") + ".")
        }
        return Query<Int>(
            .subqueryCount(collection, predicate.relative(to: collection)),
            scope: .object)
    }
}

extension Predicate {
    /// The condition on an element of a collection instead of the object that the collection is in.
    fileprivate func relative(to collection: PropertyPath) -> Predicate {
        switch self {
        case .constant: self
        case .not(let condition): .not(condition.relative(to: collection))
        case .and(let conditions): .all(conditions.map { $0.relative(to: collection) })
        case .or(let conditions): .any(conditions.map { $0.relative(to: collection) })
        case .comparison(let comparison): comparison.relative(to: collection)
        case .words(let path, let words): .words(path.relative(to: collection), words)
        case .isWithin(let path, let shape): .isWithin(path.relative(to: collection), shape)
        }
    }
}

extension Comparison {
    fileprivate func relative(to collection: PropertyPath) -> Predicate {
        // That some element fulfils a condition: here the one element.
        if case .subqueryCount(collection, let condition) = left, operation == .greater,
            right == .constant(.int(0))
        {
            return condition
        }
        var comparison = self
        comparison.left = left.relative(to: collection)
        comparison.right = right.relative(to: collection)
        return .comparison(comparison)
    }
}

extension Operand {
    fileprivate func relative(to collection: PropertyPath) -> Operand {
        switch self {
        case .constant, .list: self
        case .path(let path): .path(path.relative(to: collection))
        case .aggregate(let aggregate, let path):
            .aggregate(aggregate, path.relative(to: collection))
        case .subqueryCount(let path, let condition):
            .subqueryCount(path.relative(to: collection), condition)
        case .arithmetic(let operation, let left, let right):
            .arithmetic(
                operation, left.relative(to: collection), right.relative(to: collection))
        }
    }
}

extension PropertyPath {
    fileprivate func relative(to collection: PropertyPath) -> PropertyPath {
        PropertyPath(Array(steps.dropFirst(collection.steps.count)))
    }
}
