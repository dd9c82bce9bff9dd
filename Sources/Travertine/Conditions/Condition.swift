/// A predicate that is bound to the properties of one table: what the planner looks at and what
/// tests of rows are made of.
///
/// The readers belong to the session of the table.
indirect enum Condition {
    case constant(Bool)
    case not(Condition)
    case and([Condition])
    case or([Condition])
    /// Any value compares so with a constant; the operation is one of the six of values.
    case comparison(PropertyReader, Comparison.Operation, RawConstant)
    /// Any value is one of the constants.
    case isIn(PropertyReader, [RawConstant])
    /// Any value is at least the first and at most the second constant.
    case isBetween(PropertyReader, RawConstant, RawConstant)
    /// Any value is a text that has another one in it; the operation is one of texts, or equality
    /// with options.
    case text(PropertyReader, Comparison.Operation, String, StringOptions)
    /// A text has what a full-text query says.
    case words(PropertyReader, FullTextQuery)
    case isWithin(PropertyReader, ShapeConstant)
    /// What no index helps with.
    case other(RowTest)
}
