extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// The text has what a full-text query says: see ``FullTextQuery``. Case and marks do not
    /// count; nil has no words.
    ///
    /// A property with `@Persisted(indexed: .fullText)` is looked up in its index; another is read
    /// in every object. A query without words finds nothing. Stops for one that is wrong: use
    /// `try FullTextQuery(_:)` or `FullTextQuery(words:)` for what a user types.
    public func fullText(_ query: String) -> Query<Bool> {
        fullText(stoppingForMisuse { try FullTextQuery(query) })
    }

    /// The text has what a full-text query says. Case and marks do not count; nil has no words.
    public func fullText(_ query: FullTextQuery) -> Query<Bool> {
        Query<Bool>(.words(path, query), scope: scope)
    }
}
