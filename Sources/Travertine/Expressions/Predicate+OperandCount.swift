extension Predicate {
    /// How many operands have numbers: see `QueryProblem`. Words and shapes have none, their paths
    /// do.
    var operandCount: Int {
        switch self {
        case .constant: 0
        case .not(let inner): inner.operandCount
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.operandCount }
        case .comparison(let comparison):
            comparison.left.operandCount + comparison.right.operandCount
        case .words, .isWithin: 1
        }
    }
}

extension Operand {
    /// How many operands have numbers in this one.
    var operandCount: Int {
        switch self {
        case .constant, .list, .path, .aggregate: 1
        case .subqueryCount(_, let predicate): 1 + predicate.operandCount
        case .arithmetic(_, let left, let right): left.operandCount + right.operandCount
        }
    }
}

extension QueryExpression {
    /// How many operands and names have numbers.
    var operandCount: Int {
        descriptors.reduce(predicate.operandCount) { count, descriptor in
            if case .filtered(let condition) = descriptor { return count + condition.operandCount }
            return count + descriptor.names.count
        }
    }
}
