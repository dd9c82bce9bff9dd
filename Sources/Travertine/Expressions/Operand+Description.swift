/// Operands as predicate text.
extension Operand: CustomStringConvertible {
    /// The operand as a predicate text has it: see `Predicate.description`.
    var description: String { PredicatePrinter().text(of: self) }
}

extension PropertyPath: CustomStringConvertible {
    /// The path as a predicate text has it; `SELF` without steps.
    var description: String { PredicatePrinter().text(of: self) }
}

extension Aggregate {
    /// What a predicate text has after the path.
    var text: String {
        switch self {
        case .count: "@count"
        case .least: "@min"
        case .greatest: "@max"
        case .sum: "@sum"
        case .mean: "@avg"
        }
    }
}

extension ArithmeticOperation {
    /// The operator in a predicate text.
    var text: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        }
    }

    /// Operations of a higher rank come first.
    var rank: Int { self == .multiply || self == .divide ? 1 : 0 }
}

extension Comparison.Operation {
    /// The operator in a predicate text.
    var text: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .isIn: "IN"
        case .isBetween: "BETWEEN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        }
    }
}

extension Comparison.Quantifier {
    /// What a predicate text has before the comparison.
    var text: String {
        switch self {
        case .any: ""
        case .all: "ALL "
        case .none: "NONE "
        }
    }
}
