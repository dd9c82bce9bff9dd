import TravertineStore

// MARK: - Elements

/// Conditions on collections in `where`: elements, counts and aggregates.
extension Query where T: _QueryCollection {
    /// Has the element in it; of a map, the value under a key.
    public func contains(_ element: T._AggregatedElement) -> Query<Bool> {
        compare(.equal, element)
    }

    /// Has one of the elements in it.
    public func containsAny(in elements: some Sequence<T._AggregatedElement>) -> Query<Bool> {
        isIn(elements)
    }

    /// The number of elements.
    public var count: Query<Int> { aggregate(.count) }
}

extension Query
where
    T: _QueryCollection, T._AggregatedElement: Comparable,
    T._AggregatedElement.PersistedType: _QueryBounded
{
    /// All elements are in a range, its upper bound left out; false if there are none.
    public func contains(_ range: Range<T._AggregatedElement>) -> Query<Bool> {
        allElements(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// All elements are in a range, both bounds included; false if there are none.
    public func contains(_ range: ClosedRange<T._AggregatedElement>) -> Query<Bool> {
        allElements(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query
where
    T: _QueryCollection, T._AggregatedElement: _QueryOptional,
    T._AggregatedElement.Wrapped: Comparable, T._AggregatedElement.PersistedType: _QueryBounded
{
    /// All elements but nil are in a range, its upper bound left out; false if there are none.
    public func contains(_ range: Range<T._AggregatedElement.Wrapped>) -> Query<Bool> {
        allElements(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// All elements but nil are in a range, both bounds included; false if there are none.
    public func contains(_ range: ClosedRange<T._AggregatedElement.Wrapped>) -> Query<Bool> {
        allElements(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query {
    private func aggregate<Value>(_ aggregate: Aggregate) -> Query<Value> {
        Query<Value>(.aggregate(aggregate, path), quantifier, scope: scope)
    }

    /// Compares the least element with the lower bound and the greatest with the upper one.
    private func allElements<Bound>(
        _ lower: Comparison.Operation, _ lowerBound: Bound, _ upper: Comparison.Operation,
        _ upperBound: Bound
    ) -> Query<Bool> {
        let least: Query<Bound> = aggregate(.least)
        let greatest: Query<Bound> = aggregate(.greatest)
        return least.compare(lower, lowerBound) && greatest.compare(upper, upperBound)
    }
}

// MARK: - Aggregates

extension Query
where T: _QueryCollection, T._AggregatedElement.PersistedType: _QueryBounded {
    /// The least element; nil if there are none.
    public var min: Query<T._AggregatedElement> { aggregate(.least) }

    /// The greatest element; nil if there are none.
    public var max: Query<T._AggregatedElement> { aggregate(.greatest) }
}

extension Query
where T: _QueryCollection, T._AggregatedElement.PersistedType: _QueryAddable {
    /// The sum of the elements; 0 if there are none.
    public var sum: Query<T._AggregatedElement> { aggregate(.sum) }

    /// The mean of the elements; nil if there are none.
    public var avg: Query<T._AggregatedElement.PersistedType._Mean> { aggregate(.mean) }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBounded {
    /// The least of the values at the end of a path through a collection; nil if there are none.
    public var min: Query { aggregate(.least) }

    /// The greatest of the values at the end of a path through a collection; nil if there are none.
    public var max: Query { aggregate(.greatest) }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryAddable {
    /// The sum of the values at the end of a path through a collection; 0 if there are none.
    public var sum: Query { aggregate(.sum) }

    /// The mean of the values at the end of a path through a collection; nil if there are none.
    public var avg: Query<T.PersistedType._Mean> { aggregate(.mean) }
}

// MARK: - Maps

extension Query where T: _QueryMap {
    /// The value under a key; nil if there is none.
    public subscript(key: String) -> Query<T._AggregatedElement> {
        Query<T._AggregatedElement>(
            .path(path.adding(.key(key))), quantifier, scope: QueryScope(outerCollection),
            pathCollections: pathCollections.dropLast())
    }

    /// The keys, which compare like the elements of a collection.
    public var keys: Query<List<String>> { contents(.keys) }

    /// The values, which compare like the elements of a collection.
    public var values: Query<List<T._AggregatedElement>> { contents(.values) }

    private func contents<Element>(_ step: PropertyPath.Step) -> Query<List<Element>> {
        let path = path.adding(step)
        return Query<List<Element>>(
            .path(path), quantifier, scope: QueryScope(outerCollection ?? path),
            pathCollections: pathCollections.dropLast() + [path])
    }
}

extension Query {
    /// The first collection on the path before the one at its end.
    private var outerCollection: PropertyPath? {
        collection.flatMap { $0.steps.count < path.steps.count ? $0 : nil }
    }
}

// MARK: - Values of any type

extension Query where T == AnyRealmValue {
    /// The element of a list in the value; nil where there is none.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        require(position >= 0, "A list has no position \(position): positions begin with 0.")
        return adding([.position(position)], isCollection: false)
    }

    /// What a dictionary in the value has under a key; nil where there is nothing.
    public subscript(key: String) -> Query<AnyRealmValue> {
        adding([.key(key)], isCollection: false)
    }

    /// Any element of a list or dictionary in the value: one that matches is enough.
    public var any: Query<AnyRealmValue> { adding([.each], isCollection: false) }
}
