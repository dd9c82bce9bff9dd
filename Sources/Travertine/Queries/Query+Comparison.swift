import TravertineStore

// One operator for values, one for optional values and one for properties, each for all types: the
// compiler tries every overload of every operator of a condition. With optional values alone `.none`
// would be nil where an enum has such a case.

// MARK: - Equality

extension Query where T: _HasPersistedType {
    /// Equal to a value; nil is equal to nil.
    ///
    /// Embedded objects are compared by their properties, links in them by the objects that they lead
    /// to. Stops with a message for one whose class has a collection.
    public static func == (left: Query, right: T) -> Query<Bool> { left.compare(.equal, right) }

    /// Not equal to a value.
    public static func != (left: Query, right: T) -> Query<Bool> { left.compare(.notEqual, right) }

    /// Equal to a value that may be nil.
    @_disfavoredOverload
    public static func == (left: Query, right: T?) -> Query<Bool> {
        left.compare(.equal, right)
    }

    /// Not equal to a value that may be nil.
    @_disfavoredOverload
    public static func != (left: Query, right: T?) -> Query<Bool> {
        left.compare(.notEqual, right)
    }

    /// Equal to another property.
    public static func == <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        T.PersistedType: _QueryColumn, Other.PersistedType: _QueryColumn,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.equal, to: right)
    }

    /// Not equal to another property.
    public static func != <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        T.PersistedType: _QueryColumn, Other.PersistedType: _QueryColumn,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.notEqual, to: right)
    }

    /// Equal to one of the values.
    public func `in`(_ values: some Sequence<T>) -> Query<Bool> { isIn(values) }

    /// Equal to one of the values.
    @_disfavoredOverload
    public func `in`(_ values: some Sequence<T?>) -> Query<Bool> { isIn(values) }

    /// Equal to one of the values.
    public func `in`<Value>(_ values: some Sequence<Value>) -> Query<Bool> where T == Value? {
        isIn(values)
    }
}

extension Query where T: _QueryCollection {
    /// Has an element that is equal to the value.
    public static func == (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.equal, right)
    }

    /// Has an element that is not equal to the value.
    public static func != (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.notEqual, right)
    }
}

// MARK: - Order

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// Before a value; nil is before and after nothing.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compare(.less, right) }

    /// Before a value or equal to it.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// After a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compare(.greater, right) }

    /// After a value or equal to it.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }

    /// Before a value; nil is before and after nothing.
    @_disfavoredOverload
    public static func < (left: Query, right: T?) -> Query<Bool> {
        left.compare(.less, right)
    }

    /// Before a value or equal to it.
    @_disfavoredOverload
    public static func <= (left: Query, right: T?) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// After a value; nil is before and after nothing.
    @_disfavoredOverload
    public static func > (left: Query, right: T?) -> Query<Bool> {
        left.compare(.greater, right)
    }

    /// After a value or equal to it.
    @_disfavoredOverload
    public static func >= (left: Query, right: T?) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }

    /// Before another property.
    public static func < <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryNumeric,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.less, to: right)
    }

    /// Before another property or equal to it.
    public static func <= <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryNumeric,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.lessOrEqual, to: right)
    }

    /// After another property.
    public static func > <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryNumeric,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.greater, to: right)
    }

    /// After another property or equal to it.
    public static func >= <Other: _HasPersistedType>(
        left: Query, right: Query<Other>
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryNumeric,
        T.PersistedType._Comparand == Other.PersistedType._Comparand
    {
        left.compare(.greaterOrEqual, to: right)
    }

    /// In a range, its upper bound left out.
    public func contains(_ range: Range<T>) -> Query<Bool> where T: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    /// In a range, both bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> where T: Comparable {
        isBetween(range)
    }

    /// In a range, its upper bound left out.
    public func contains<Bound: Comparable>(_ range: Range<Bound>) -> Query<Bool>
    where T == Bound? {
        self >= range.lowerBound && self < range.upperBound
    }

    /// In a range, both bounds included.
    public func contains<Bound: Comparable>(_ range: ClosedRange<Bound>) -> Query<Bool>
    where T == Bound? {
        isBetween(range)
    }
}

extension Query
where T: _QueryCollection, T._AggregatedElement.PersistedType: _QueryNumeric {
    /// Has an element before a value.
    public static func < (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.less, right)
    }

    /// Has an element before a value or equal to it.
    public static func <= (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// Has an element after a value.
    public static func > (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.greater, right)
    }

    /// Has an element after a value or equal to it.
    public static func >= (left: Query, right: T._AggregatedElement) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }
}

// MARK: - Making predicates

extension Query {
    /// Compares with a value, an embedded object property by property.
    func compare<Value>(_ operation: Comparison.Operation, _ value: Value?) -> Query<Bool> {
        switch ComparedValue(value) {
        case .constant(let constant):
            if case .predicate(let predicate) = node {
                return condition(predicate, operation, constant)
            }
            return compare(operation, to: .constant(constant))
        case .embedded(let object):
            return compare(operation, embedded: object)
        }
    }

    /// Compares with another property.
    func compare<Other>(
        _ operation: Comparison.Operation, to other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> {
        compare(operation, to: other.operand, options: options, others: other.scope)
    }

    func compare(
        _ operation: Comparison.Operation, to other: Operand, options: StringOptions = [],
        others: QueryScope? = nil
    ) -> Query<Bool> {
        let comparison = Comparison(
            operand, operation, other, options: options, quantifier: quantifier)
        return Query<Bool>(.comparison(comparison), scope: others.map { scope.union($0) } ?? scope)
    }

    /// A condition that is compared with a truth value is itself or its negation.
    private func condition(
        _ predicate: Predicate, _ operation: Comparison.Operation, _ value: AnyRealmValue
    ) -> Query<Bool> {
        guard case .bool(let isTrue) = value else {
            // A condition is never nil.
            return Query<Bool>(.constant(operation == .notEqual), scope: scope)
        }
        let isNegated = (operation == .notEqual) == isTrue
        return Query<Bool>(isNegated ? .not(predicate) : predicate, scope: scope)
    }

    func isIn<Value>(_ values: some Sequence<Value>) -> Query<Bool> {
        let values = values.map { ComparedValue($0) }
        let constants = values.compactMap(\.constant)
        if constants.count == values.count { return compare(.isIn, to: .list(constants)) }
        // Embedded objects are compared by their properties.
        return Query<Bool>(
            .any(
                values.map { value in
                    switch value {
                    case .constant(let constant): compare(.equal, to: .constant(constant)).predicate
                    case .embedded(let object): compare(.equal, embedded: object).predicate
                    }
                }), scope: scope)
    }

    private func isBetween<Bound>(_ range: ClosedRange<Bound>) -> Query<Bool> {
        guard let lower = ComparedValue(range.lowerBound).constant,
            let upper = ComparedValue(range.upperBound).constant
        else { return Query<Bool>(.constant(false), scope: scope) }
        return compare(.isBetween, to: .list([lower, upper]))
    }

    /// Compares embedded objects by their properties; in a collection each of its elements.
    private func compare(
        _ operation: Comparison.Operation, embedded object: EmbeddedObject
    ) -> Query<Bool> {
        let path = path
        let inside = collection.map { PropertyPath(Array(path.steps.dropFirst($0.steps.count))) }
        let isEqual = memberwise(inside ?? path, object)
        let wanted = operation == .equal ? isEqual : .not(isEqual)
        guard let collection else { return Query<Bool>(wanted, scope: scope) }
        func some(_ condition: Predicate) -> Predicate {
            .comparison(
                Comparison(.subqueryCount(collection, condition), .greater, .constant(.int(0))))
        }
        let predicate: Predicate =
            switch quantifier {
            case .any: some(wanted)
            case .none: .not(some(wanted))
            case .all: .not(some(operation == .equal ? .not(isEqual) : isEqual))
            }
        return Query<Bool>(predicate, scope: scope)
    }

    private func memberwise(_ path: PropertyPath, _ object: EmbeddedObject) -> Predicate {
        do {
            return try Predicate.memberwise(path, equals: object)
        } catch {
            misuse(error.description)
        }
    }
}
