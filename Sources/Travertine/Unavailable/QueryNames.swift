import TravertineStore

// Names of Swift and RealmSwift that a condition is often written with, and what to write instead.
// Without them the compiler's message concerns the constraints of `Query`.

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// Not there: values have no properties. Declared so that the message about a misspelt method
    /// names the method.
    @available(*, unavailable, message: "a value has no properties")
    public subscript<Value>(dynamicMember keyPath: KeyPath<_NoProperties, Value>) -> Query<Value> {
        unavailableHere()
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Not there: `starts(with:)`.
    @available(*, unavailable, renamed: "starts(with:)")
    public func hasPrefix(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `ends(with:)`.
    @available(*, unavailable, renamed: "ends(with:)")
    public func hasSuffix(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `starts(with:)`.
    @available(*, unavailable, renamed: "starts(with:)")
    public func starts(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `ends(with:)`.
    @available(*, unavailable, renamed: "ends(with:)")
    public func ends(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `starts(with:)`.
    @available(*, unavailable, renamed: "starts(with:)")
    public func beginsWith(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `ends(with:)`.
    @available(*, unavailable, renamed: "ends(with:)")
    public func endsWith(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: patterns have `?` and `*`.
    @available(*, unavailable, message: "use like(pattern), with ? and *")
    public func matches(_ pattern: String) -> Query<Bool> { unavailableHere() }

    /// Not there: the options of a comparison.
    @available(*, unavailable, message: "use equals(text, options: .caseInsensitive)")
    public func lowercased() -> Query<String> { unavailableHere() }

    /// Not there: the options of a comparison.
    @available(*, unavailable, message: "use equals(text, options: .caseInsensitive)")
    public func uppercased() -> Query<String> { unavailableHere() }

    /// Not there: comparing with an empty string.
    @available(*, unavailable, message: "compare with an empty string: == \"\"")
    public var isEmpty: Query<Bool> { unavailableHere() }
}

extension Query where T: _QueryCollection {
    /// Not there: `count`.
    @available(*, unavailable, message: "compare the number of elements: .count == 0")
    public var isEmpty: Query<Bool> { unavailableHere() }

    /// Not there: a property of the elements.
    @available(*, unavailable, message: "name a property of the elements: $0.dogs.age > 3")
    public func contains(where condition: (T._AggregatedElement) -> Bool) -> Query<Bool> {
        unavailableHere()
    }

    /// Not there: counting what fulfils a condition.
    @available(
        *, unavailable, message: "count what fulfils a condition: ($0.dogs.age > 3).count > 0"
    )
    public func filter(_ condition: (T._AggregatedElement) -> Bool) -> T { unavailableHere() }

    /// Not there: `all`.
    @available(*, unavailable, message: "compare all of them: $0.dogs.age.all > 3")
    public func allSatisfy(_ condition: (T._AggregatedElement) -> Bool) -> Query<Bool> {
        unavailableHere()
    }

    /// Not there: `avg`.
    @available(*, unavailable, renamed: "avg")
    public var average: Query<Double> { unavailableHere() }
}

/// What has no properties.
public enum _NoProperties {}

/// The body of what can't be called.
func unavailableHere(_ name: String = #function) -> Never {
    misuse("\(name) is not available.")
}
