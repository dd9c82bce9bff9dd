/// Conditions of the former predicates, as the planner takes them.
extension Condition {
    /// What an index can find of a predicate; the rest is `other`.
    init(_ former: FormerPredicate, _ table: TableState) {
        func reader(_ names: [String]) -> PropertyReader { PropertyReader(names, table) }
        switch former {
        case .constant(let value): self = .constant(value)
        case .not(let operand): self = .not(Condition(operand, table))
        case .and(let left, let right): self = .and([left, right].map { Condition($0, table) })
        case .or(let left, let right): self = .or([left, right].map { Condition($0, table) })
        case .compare(_, _, .collection): self = .other(RowTest())
        case .compare(let names, let comparison, let constant):
            self = .comparison(reader(names), Comparison.Operation(comparison), constant)
        case .isIn(let names, let constants):
            let hasCollection = constants.contains {
                if case .collection = $0 { return true }
                return false
            }
            self = hasCollection ? .other(RowTest()) : .isIn(reader(names), constants)
        case .text(let names, let comparison, let text, let options):
            let operation: Comparison.Operation =
                switch comparison {
                case .equals: .equal
                case .contains: .contains
                case .starts: .beginsWith
                case .ends: .endsWith
                case .like: .like
                }
            self = .text(reader(names), operation, text, options)
        case .words(let names, let text): self = .words(reader(names), text)
        case .compareProperties, .isWithin, .count: self = .other(RowTest())
        }
    }
}

extension Comparison.Operation {
    fileprivate init(_ comparison: FormerPredicate.Comparison) {
        self =
            switch comparison {
            case .equal: .equal
            case .notEqual: .notEqual
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            }
    }
}
