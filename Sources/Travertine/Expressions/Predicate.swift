/// A condition on objects or values, by names. It knows no schema: `ConditionResolver` binds the
/// names.
///
/// `where`, predicates as text and the command line all make one of these. Its `description` is
/// predicate text that parses to an equal value. Make chains with `all(_:)` and `any(_:)`, which
/// keep that form canonical.
indirect enum Predicate: Hashable {
    case constant(Bool)
    case not(Predicate)
    /// Two or more conditions, none of which is `and` itself.
    case and([Predicate])
    /// Two or more conditions, none of which is `or` itself.
    case or([Predicate])
    case comparison(Comparison)
    /// A string has what a full-text query says.
    case words(PropertyPath, FullTextQuery)
    /// A stored point lies in a shape.
    case isWithin(PropertyPath, ShapeConstant)

    /// All of the conditions.
    static func all(_ conditions: [Predicate]) -> Predicate {
        let flat = conditions.flatMap { condition in
            if case .and(let parts) = condition { parts } else { [condition] }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(true) : .and(flat)
    }

    /// At least one of the conditions.
    static func any(_ conditions: [Predicate]) -> Predicate {
        let flat = conditions.flatMap { condition in
            if case .or(let parts) = condition { parts } else { [condition] }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(false) : .or(flat)
    }

    /// Compares a property with a value.
    static func compare(
        _ path: PropertyPath, _ operation: Comparison.Operation, _ value: AnyRealmValue
    ) -> Predicate {
        .comparison(Comparison(.path(path), operation, .constant(value)))
    }
}

/// How two operands are compared.
struct Comparison: Hashable {
    enum Operation: Hashable, CaseIterable {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
        /// Equal to an element of a list of constants or of a collection.
        case isIn
        /// At least the first and at most the second of two constants.
        case isBetween
        case contains
        case beginsWith
        case endsWith
        /// Matches a pattern of `?` and `*`.
        case like
    }

    /// How many of the left operand's values must compare so; where it is no collection it has one.
    enum Quantifier: Hashable, CaseIterable {
        case any
        case all
        case none
    }

    var left: Operand
    var operation: Operation
    var right: Operand
    /// Of comparisons of texts.
    var options: StringOptions
    var quantifier: Quantifier

    init(
        _ left: Operand, _ operation: Operation, _ right: Operand, options: StringOptions = [],
        quantifier: Quantifier = .any
    ) {
        self.left = left
        self.operation = operation
        self.right = right
        self.options = options
        self.quantifier = quantifier
    }
}
