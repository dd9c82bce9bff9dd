extension Predicate: CustomStringConvertible {
    /// The predicate as text that parses to an equal one.
    ///
    /// Objects and a user's own shapes have no text that can be parsed: they are printed as
    /// `obj("Type", key)` and `shape("Type")`, which the parser refuses. So is what is nested more
    /// deeply than `PredicateParser.depthMax`.
    var description: String { PredicatePrinter().text(of: self) }
}

extension Comparison: CustomStringConvertible {
    /// The comparison as text that parses to an equal one: see `Predicate.description`.
    var description: String { PredicatePrinter().text(of: self) }
}
