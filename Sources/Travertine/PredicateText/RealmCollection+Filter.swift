import TravertineStore

/// Filtering by predicate texts, and finding the first match.
extension RealmCollection {
    /// The elements that fulfil a condition that is a text, live and in their order.
    ///
    /// ```swift
    /// let dogs = realm.objects(Dog.self).filter("age > %@ AND name BEGINSWITH[c] %@", 3, "r")
    /// ```
    /// The text is that of `NSPredicate(format:)`; see <doc:PredicatesAsText>. Stops with a message
    /// that shows the place in the text if it is wrong or does not fit the elements: for texts that
    /// users type there is ``filter(validating:_:)``.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        stoppingForMisuse { try filter(.text(predicateFormat, args)) }
    }

    /// The elements that fulfil a condition that is a text which may be wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong, shows
    ///   the line of the text and marks the place.
    public func filter(
        validating predicateFormat: String, _ args: Any...
    ) throws -> Results<Element> {
        try filter(.text(predicateFormat, args))
    }

    /// The elements that fulfil a condition that is a text which may be wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong, shows
    ///   the line of the text and marks the place.
    public func filter(
        validating predicateFormat: String, arguments: [Any]
    ) throws -> Results<Element> {
        try filter(.text(predicateFormat, arguments))
    }

    /// The position of the first element that fulfils a condition that is a text; nil if none does.
    ///
    /// Finds the elements that fulfil it, and costs in proportion to their number. Stops as
    /// ``filter(_:_:)`` does.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        stoppingForMisuse { try index(matching: .text(predicateFormat, args)) }
    }

    /// The position of the first element that fulfils a condition; nil if none does.
    ///
    /// Finds the elements that fulfil it, and costs in proportion to their number.
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        self.where(condition).first.flatMap { index(of: $0) }
    }

    /// The elements that fulfil texts with arguments.
    package func filter(_ predicate: FormatPredicate) throws -> Results<Element> {
        try _results.applying(predicate.parsed())
    }

    /// The position of the first element that fulfils texts with arguments.
    package func index(matching predicate: FormatPredicate) throws -> Int? {
        try filter(predicate).first.flatMap { index(of: $0) }
    }
}

extension RealmKeyedCollection {
    /// The values that fulfil a condition that is a text, live and in the order of their keys.
    ///
    /// Stops with a message that shows the place in the text if it is wrong or does not fit the
    /// values: for texts that users type there is ``filter(validating:_:)``.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        stoppingForMisuse { try filter(.text(predicateFormat, args)) }
    }

    /// The values that fulfil a condition that is a text which may be wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong, shows
    ///   the line of the text and marks the place.
    public func filter(
        validating predicateFormat: String, _ args: Any...
    ) throws -> Results<Value> {
        try filter(.text(predicateFormat, args))
    }

    /// The values that fulfil a condition that is a text which may be wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong, shows
    ///   the line of the text and marks the place.
    public func filter(
        validating predicateFormat: String, arguments: [Any]
    ) throws -> Results<Value> {
        try filter(.text(predicateFormat, arguments))
    }

    /// The values that fulfil texts with arguments.
    package func filter(_ predicate: FormatPredicate) throws -> Results<Value> {
        try _aggregatedResults.applying(predicate.parsed())
    }
}

/// Runs what a program's own text asks for; stops with the message if the text is wrong.
package func stoppingForMisuse<Result>(_ body: () throws -> Result) -> Result {
    do {
        return try body()
    } catch {
        misuse((error as? Realm.Error)?.message ?? "\(error)")
    }
}
