// A text may be nil, which is in no value. Options concern strings only.

/// Conditions on texts and bytes in `where`: parts, patterns, and comparisons with options.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Has the text or bytes in it.
    public func contains(
        _ part: T.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.contains, part, options)
    }

    /// Has the value of another property in it.
    public func contains<Other: _HasPersistedType>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryBinary, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.contains, to: other, options: options)
    }

    /// Begins with the text or bytes.
    public func starts(
        with part: T.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.beginsWith, part, options)
    }

    /// Begins with the value of another property.
    public func starts<Other: _HasPersistedType>(
        with other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryBinary, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.beginsWith, to: other, options: options)
    }

    /// Ends with the text or bytes.
    public func ends(
        with part: T.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.endsWith, part, options)
    }

    /// Ends with the value of another property.
    public func ends<Other: _HasPersistedType>(
        with other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryBinary, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.endsWith, to: other, options: options)
    }

    /// Is the text or the bytes.
    public func equals(
        _ value: T.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.equal, value, options)
    }

    /// Is the value of another property.
    public func equals<Other: _HasPersistedType>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryBinary, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.equal, to: other, options: options)
    }

    /// Is not the text or the bytes.
    public func notEquals(
        _ value: T.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.notEqual, value, options)
    }

    /// Is not the value of another property.
    public func notEquals<Other: _HasPersistedType>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryBinary, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.notEqual, to: other, options: options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Matches a pattern, in which `?` is any character and `*` any number of them.
    public func like(
        _ pattern: T.PersistedType._Part?, caseInsensitive: Bool = false
    ) -> Query<Bool> {
        compare(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Matches the pattern in another property.
    public func like<Other: _HasPersistedType>(
        _ other: Query<Other>, caseInsensitive: Bool = false
    ) -> Query<Bool>
    where
        Other.PersistedType: _QueryString, Other.PersistedType._Part == T.PersistedType._Part
    {
        compare(.like, to: other, options: caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query
where T: _QueryCollection, T._AggregatedElement.PersistedType: _QueryBinary {
    /// Has an element with the text or bytes in it. Without options `contains` looks for an element
    /// that is equal.
    public func contains(
        _ part: T._AggregatedElement.PersistedType._Part?, options: StringOptions
    ) -> Query<Bool> {
        compare(.contains, part, options)
    }

    /// Has an element that begins with the text or bytes.
    public func starts(
        with part: T._AggregatedElement.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.beginsWith, part, options)
    }

    /// Has an element that ends with the text or bytes.
    public func ends(
        with part: T._AggregatedElement.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.endsWith, part, options)
    }

    /// Has an element that is the text or the bytes.
    public func equals(
        _ value: T._AggregatedElement.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.equal, value, options)
    }

    /// Has an element that is not the text or the bytes.
    public func notEquals(
        _ value: T._AggregatedElement.PersistedType._Part?, options: StringOptions = []
    ) -> Query<Bool> {
        compare(.notEqual, value, options)
    }
}

extension Query
where T: _QueryCollection, T._AggregatedElement.PersistedType: _QueryString {
    /// Has an element that matches a pattern, in which `?` is any character and `*` any number of
    /// them.
    public func like(
        _ pattern: T._AggregatedElement.PersistedType._Part?, caseInsensitive: Bool = false
    ) -> Query<Bool> {
        compare(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query {
    private func compare<Part>(
        _ operation: Comparison.Operation, _ part: Part?, _ options: StringOptions
    ) -> Query<Bool> {
        compare(
            operation, to: .constant(ComparedValue(part).constant ?? .none), options: options)
    }
}
