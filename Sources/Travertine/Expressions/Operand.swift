/// One side of a comparison.
indirect enum Operand: Hashable {
    /// A value; lists and dictionaries are compared by their contents.
    case constant(AnyRealmValue)
    /// The constants of `IN` and `BETWEEN`.
    case list([AnyRealmValue])
    /// The values of a property.
    case path(PropertyPath)
    /// One value made of all values at the end of a path.
    case aggregate(Aggregate, PropertyPath)
    /// The number of elements of a collection that fulfil a condition on the element.
    case subqueryCount(PropertyPath, Predicate)
    case arithmetic(ArithmeticOperation, Operand, Operand)
}

/// What is made of many values. nil values are skipped, except that `count` counts them.
enum Aggregate: Hashable, CaseIterable {
    case count
    case least
    case greatest
    case sum
    case mean
}

enum ArithmeticOperation: Hashable, CaseIterable {
    case add
    case subtract
    case multiply
    case divide
}
