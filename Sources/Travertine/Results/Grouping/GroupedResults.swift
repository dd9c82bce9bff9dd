import TravertineStore

extension RealmCollection where Element: ObjectBase {
    /// The elements in groups with equal values of a property, to be counted and added up.
    ///
    /// ```swift
    /// for group in cities.grouped(by: \.country?.code).aggregates(of: \.population, \.area) {
    ///     print(group.key ?? "-", group.count, group.sum(of: \.population))
    /// }
    /// ```
    /// Stops for a key path to or through a collection.
    public func grouped<Key>(by keyPath: KeyPath<Element, Key>) -> GroupedResults<Key, Element> {
        let results = _results
        let name = KeyPathTracer.requiredName(of: keyPath as PartialKeyPath)
        for table in results.state.tables { _ = GroupingPass.keyReader(name, table) }
        return GroupedResults(results: results, keyPath: keyPath)
    }
}

/// The elements of results in groups with equal values of a property.
///
/// Each call, and each `for` loop at its start, goes over the elements once, as they are then, and
/// reads what it needs from their rows. A loop gives the groups with their keys and counts:
///
/// ```swift
/// for group in cities.grouped(by: \.country?.code) { print(group.key ?? "-", group.count) }
/// ```
/// Groups are in the order of their keys, nil first. What a property's type has no value for, as an
/// unknown case of an enum, is a group for each value that is stored.
public struct GroupedResults<Key, Model: ObjectBase>: Sequence {
    /// A group.
    public typealias Element = ResultsGroup<Key, Model>

    let results: Results<Model>
    let keyPath: KeyPath<Model, Key>

    /// An iterator over the groups as they are now; what it has was found at once.
    public func makeIterator() -> IndexingIterator<[ResultsGroup<Key, Model>]> {
        aggregates(of: []).makeIterator()
    }

    /// The keys of the groups.
    public var keys: [Key] { aggregates(of: []).map(\.key) }

    /// The number of elements of each group.
    public var counts: [(key: Key, count: Int)] {
        aggregates(of: []).map { ($0.key, $0.count) }
    }

    /// The groups with what is made of the values of properties: any number of them in one pass.
    public func aggregates(of keyPaths: PartialKeyPath<Model>...) -> [ResultsGroup<Key, Model>] {
        aggregates(of: keyPaths)
    }

    /// The groups with what is made of the values of properties: any number of them in one pass.
    public func aggregates(of keyPaths: [PartialKeyPath<Model>]) -> [ResultsGroup<Key, Model>] {
        let names = keyPaths.map { KeyPathTracer.requiredName(of: $0) }
        let state = results.state
        return state.read([]) {
            let pass = try GroupingPass(
                KeyPathTracer.requiredName(of: keyPath as PartialKeyPath), names, state)
            return pass.groups.map { group in
                ResultsGroup(
                    key: results.make(group.row)[keyPath: keyPath], count: group.count,
                    accumulators: Dictionary(
                        zip(names, group.accumulators), uniquingKeysWith: { first, _ in first }))
            }
        }
    }

    /// The sum of a property in each group.
    public func sums<Value: _HasPersistedType>(
        of keyPath: KeyPath<Model, Value>
    ) -> [(key: Key, sum: Value)] where Value.PersistedType: AddableType {
        aggregates(of: keyPath).map { ($0.key, $0.sum(of: keyPath)) }
    }

    /// The mean of a property in each group.
    public func averages<Value: _HasPersistedType>(
        of keyPath: KeyPath<Model, Value>
    ) -> [(key: Key, average: Double?)] where Value.PersistedType: AddableType {
        aggregates(of: keyPath).map { ($0.key, $0.average(of: keyPath)) }
    }
}

/// The elements with one key: how many there are, and what is made of the values of the properties
/// that were asked for.
public struct ResultsGroup<Key, Model: ObjectBase> {
    /// The value that all elements have.
    public let key: Key
    /// The number of elements.
    public let count: Int
    /// By the names of properties.
    let accumulators: [String: _AggregateAccumulator]

    private func accumulator(_ keyPath: PartialKeyPath<Model>) -> _AggregateAccumulator {
        let name = KeyPathTracer.requiredName(of: keyPath)
        guard let accumulator = accumulators[name] else {
            misuse(
                "The groups have nothing of '\(name)': name it in aggregates(of:), which made them."
            )
        }
        return accumulator
    }

    /// The least value of a property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: MinMaxType { accumulator(keyPath).least() }

    /// The least value of an optional property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: MinMaxType { accumulator(keyPath).least() }

    /// The greatest value of a property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: MinMaxType { accumulator(keyPath).greatest() }

    /// The greatest value of an optional property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: MinMaxType { accumulator(keyPath).greatest() }

    /// The sum of a property; 0 for none. Stops if its type has no value for the sum.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value>) -> Value
    where Value.PersistedType: AddableType { accumulator(keyPath).sum() }

    /// The sum of an optional property, nil counting nothing; 0 for none. Stops if its type has no
    /// value for the sum.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value?>) -> Value
    where Value.PersistedType: AddableType { accumulator(keyPath).sum() }

    /// The mean of a property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value>) -> Double?
    where Value.PersistedType: AddableType { accumulator(keyPath).mean() }

    /// The mean of an optional property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Model, Value?>) -> Double?
    where Value.PersistedType: AddableType { accumulator(keyPath).mean() }
}
