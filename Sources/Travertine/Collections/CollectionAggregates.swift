/// A collection whose values, or properties of its objects, can be added up: a list, a set,
/// results, or a map, of which the values count.
///
/// Public because `RealmCollection` and `RealmKeyedCollection` have the methods of both from here.
public protocol _AggregatedCollection {
    /// The type of the elements, or of the values of a map.
    associatedtype _AggregatedElement: RealmCollectionValue
    /// The realm; nil for an unmanaged collection.
    var realm: Realm? { get }
    /// The elements of a managed collection.
    var _aggregatedResults: Results<_AggregatedElement> { get }
    /// The elements.
    var _aggregatedElements: [_AggregatedElement] { get }
}

extension _AggregatedCollection
where _AggregatedElement: _HasPersistedType, _AggregatedElement.PersistedType: AddableType {
    /// The sum of the values; 0 for none.
    public func sum() -> _AggregatedElement { _AggregateAccumulator(_aggregatedElements).sum() }

    /// The mean of the values, or nil if there is none.
    public func average() -> Double? { _AggregateAccumulator(_aggregatedElements).mean() }

    /// The mean of the values as the type that is asked for, or nil if there is none.
    public func average<Number: _HasPersistedType>() -> Number?
    where Number.PersistedType: AddableType {
        _AggregateAccumulator(_aggregatedElements).mean()
    }
}

extension _AggregatedCollection where _AggregatedElement == Decimal128 {
    /// The mean of the values, or nil if there is none.
    public func average() -> Decimal128? { _AggregateAccumulator(_aggregatedElements).mean() }
}

extension _AggregatedCollection {
    /// The sum of the values that are not nil; 0 for none.
    public func sum<Value: _HasPersistedType>() -> Value
    where _AggregatedElement == Value?, Value.PersistedType: AddableType {
        _AggregateAccumulator(_aggregatedElements).sum()
    }

    /// The mean of the values that are not nil, or nil if there is none.
    public func average<Value: _HasPersistedType>() -> Double?
    where _AggregatedElement == Value?, Value.PersistedType: AddableType {
        _AggregateAccumulator(_aggregatedElements).mean()
    }

    /// The mean of the values that are not nil, or nil if there is none.
    public func average() -> Decimal128? where _AggregatedElement == Decimal128? {
        _AggregateAccumulator(_aggregatedElements).mean()
    }
}

extension RealmCollection {
    /// The least element, or nil if there is none.
    public func min() -> Element?
    where Element: _HasPersistedType, Element.PersistedType: MinMaxType {
        _AggregateAccumulator(Array(self)).least()
    }

    /// The greatest element, or nil if there is none.
    public func max() -> Element?
    where Element: _HasPersistedType, Element.PersistedType: MinMaxType {
        _AggregateAccumulator(Array(self)).greatest()
    }

    /// The least element that is not nil, or nil if there is none.
    public func min<Value: _HasPersistedType>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        _AggregateAccumulator(Array(self)).least()
    }

    /// The greatest element that is not nil, or nil if there is none.
    public func max<Value: _HasPersistedType>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        _AggregateAccumulator(Array(self)).greatest()
    }
}

extension Map {
    /// The least value, or nil if there is none.
    public func min() -> Value?
    where Value: _HasPersistedType, Value.PersistedType: MinMaxType {
        _AggregateAccumulator(_aggregatedElements).least()
    }

    /// The greatest value, or nil if there is none.
    public func max() -> Value?
    where Value: _HasPersistedType, Value.PersistedType: MinMaxType {
        _AggregateAccumulator(_aggregatedElements).greatest()
    }

    /// The least value that is not nil, or nil if there is none.
    public func min<Number: _HasPersistedType>() -> Number?
    where Value == Number?, Number.PersistedType: MinMaxType {
        _AggregateAccumulator(_aggregatedElements).least()
    }

    /// The greatest value that is not nil, or nil if there is none.
    public func max<Number: _HasPersistedType>() -> Number?
    where Value == Number?, Number.PersistedType: MinMaxType {
        _AggregateAccumulator(_aggregatedElements).greatest()
    }
}

/// A collection of objects has aggregates of their properties; results look them up in the rows.
extension RealmCollection where Element: ObjectBase {
    /// The least value of a property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).least()
    }

    /// The least value of an optional property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).least()
    }

    /// The greatest value of a property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).greatest()
    }

    /// The greatest value of an optional property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).greatest()
    }

    /// The sum of a property; 0 for none.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).sum()
    }

    /// The sum of an optional property, nil counting nothing; 0 for none.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: AddableType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).sum()
    }

    /// The mean of a property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).mean()
    }

    /// The mean of an optional property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Double?
    where Value.PersistedType: AddableType {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).mean()
    }

    /// The mean of a decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128>) -> Decimal128? {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).mean()
    }

    /// The mean of an optional decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128?>) -> Decimal128? {
        _AggregateAccumulator(lazy.map { $0[keyPath: keyPath] }).mean()
    }
}
