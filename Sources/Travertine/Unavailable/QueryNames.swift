import TravertineStore

// Names of Swift and RealmSwift that a condition is often written with, and what to write instead.
// Without them the compiler's message concerns the constraints of `Query`.

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Not there: `starts(with:)`.
    @available(*, unavailable, renamed: "starts(with:)")
    public func hasPrefix(_ text: String) -> Query<Bool> { unavailableHere() }

    /// Not there: `ends(with:)`.
    @available(*, unavailable, renamed: "ends(with:)")
    public func hasSuffix(_ text: String) -> Query<Bool> { unavailableHere() }

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
    public func contains(where condition: (T._AggregatedElement) -> Bool) -> Query<Bool> { unavailableHere() }

    /// Not there: subqueries.
    @available(*, unavailable, message: "name a property of the elements: $0.dogs.age > 3")
    public func filter(_ condition: (T._AggregatedElement) -> Bool) -> T { unavailableHere() }

    /// Not there: no element that does not.
    @available(*, unavailable, message: "say that none does not: !($0.dogs.age <= 3)")
    public func allSatisfy(_ condition: (T._AggregatedElement) -> Bool) -> Query<Bool> { unavailableHere() }
}

/// The body of what can't be called.
func unavailableHere(_ name: String = #function) -> Never {
    misuse("\(name) is not available.")
}
