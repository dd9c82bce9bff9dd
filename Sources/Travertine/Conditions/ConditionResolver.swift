import TravertineStore

/// Binds the names of a predicate to the properties of one table, checks types, and converts
/// constants. It goes on after a problem, so that all are found.
struct ConditionResolver {
    let table: TableState
    /// The element that the condition is on, where that is no object.
    let element: ScannedElement?
    private(set) var problems: [QueryProblem] = []
    /// The number of the next operand, in the order of the text.
    private var operandCount = 0

    init(_ table: TableState, element: ScannedElement? = nil) {
        self.table = table
        self.element = element
    }

    /// The condition; throws every problem.
    static func condition(
        _ predicate: Predicate, _ table: TableState, element: ScannedElement? = nil
    ) throws(QueryProblems) -> Condition {
        var resolver = ConditionResolver(table, element: element)
        let condition = resolver.condition(predicate)
        if !resolver.problems.isEmpty { throw QueryProblems(problems: resolver.problems) }
        return condition
    }

    // MARK: The tree

    mutating func condition(_ predicate: Predicate) -> Condition {
        switch predicate {
        case .constant(let value): return .constant(value)
        case .not(let operand): return .not(condition(operand))
        case .and(let parts): return .and(parts.map { condition($0) })
        case .or(let parts): return .or(parts.map { condition($0) })
        case .comparison(let comparison): return condition(comparison)
        case .words(let path, let text):
            return checked { resolver throws(QueryProblem) in
                let reader = try resolver.reader(path)
                guard reader.type.type == .string else {
                    throw QueryProblem(
                        message: "TEXT finds words in strings, and '\(path)' is "
                            + "\(reader.type.type).")
                }
                return .words(reader, text)
            }
        case .isWithin(let path, let shape):
            return checked { resolver throws(QueryProblem) in
                let reader = try resolver.reader(path)
                guard let target = reader.target, StoredPoint(target) != nil else {
                    throw QueryProblem(
                        message: "'\(path)' is no point: its class must store a string 'type' and "
                            + "a list of doubles 'coordinates', as CanonicalGeoPoint does.")
                }
                return .isWithin(reader, shape)
            }
        }
    }

    /// What a leaf with one operand is resolved to; false if there is a problem.
    private mutating func checked(
        _ body: (inout ConditionResolver) throws(QueryProblem) -> Condition
    ) -> Condition {
        let operand = operandCount
        operandCount += 1
        do throws(QueryProblem) {
            return try body(&self)
        } catch {
            note(error, operand)
            return .constant(false)
        }
    }

    private mutating func note(_ problem: QueryProblem, _ operand: Int) {
        var problem = problem
        problem.operand = problem.operand ?? operand
        problems.append(problem)
    }

    // MARK: Operands

    /// The operand, and its number; nil if it has a problem, which is noted.
    private mutating func resolved(_ operand: Operand) -> (value: Resolved, number: Int)? {
        let number = operandCount
        do throws(QueryProblem) {
            switch operand {
            case .constant(let value):
                operandCount += 1
                return (.constant(value), number)
            case .list(let values):
                operandCount += 1
                return (.list(values), number)
            case .path(let path):
                operandCount += 1
                return (.path(try reader(path)), number)
            case .aggregate(let aggregate, let path):
                operandCount += 1
                return (try self.aggregate(aggregate, path), number)
            case .subqueryCount(let path, let predicate):
                operandCount += 1
                return (try subquery(path, predicate), number)
            case .arithmetic(let operation, let left, let right):
                let left = resolved(left)
                let right = resolved(right)
                guard let left, let right else { return nil }
                return (try arithmetic(operation, left, right), number)
            }
        } catch {
            // What is inside a subquery that can't be resolved is counted all the same.
            if case .subqueryCount(_, let predicate) = operand, operandCount == number + 1 {
                operandCount += predicate.operandCount
            }
            note(error, number)
            return nil
        }
    }

    private mutating func subquery(
        _ path: PropertyPath, _ predicate: Predicate
    ) throws(QueryProblem) -> Resolved {
        let element = try collectionElement(path)
        let reader = try reader(path, keepsStorage: element?.type.type == .any)
        guard reader.hasManyValues, let target = reader.target ?? element.map({ _ in table })
        else {
            throw QueryProblem(
                message: "SUBQUERY goes over a collection, and '\(path)' is \(reader.type.text).")
        }
        var inner = ConditionResolver(target, element: element)
        inner.operandCount = operandCount
        let condition = inner.condition(predicate)
        operandCount = inner.operandCount
        problems += inner.problems
        let own = RowTest.make(condition)
        return .computed(
            SubqueryOperand(reader, target, element) { table in
                if table === target { return own }
                let other = try? ConditionResolver.condition(predicate, table)
                return other.map { RowTest.make($0) }
            }, .int)
    }

    // MARK: Comparisons

    private mutating func condition(_ comparison: Comparison) -> Condition {
        let left = resolved(comparison.left)
        let problemCount = problems.count
        let right = resolved(comparison.right)
        guard let left, let right else {
            if let left { adviseQuotes(comparison.right, beside: left.value, from: problemCount) }
            return .constant(false)
        }
        do throws(QueryProblem) {
            return try condition(comparison, left, right)
        } catch {
            note(error, left.number)
            return .constant(false)
        }
    }

    /// Adds to the problem of a right side that is no property that it may be a text without
    /// quotes.
    private mutating func adviseQuotes(
        _ operand: Operand, beside left: Resolved, from problemCount: Int
    ) {
        guard case .path(let path) = operand, let names = path.names,
            problems.count == problemCount + 1
        else { return }
        switch type(of: left) {
        case .string, .date, .UUID, .objectId, nil:
            problems[problemCount].message += PredicateHints.quotes(
                around: names.joined(separator: "."))
        default: break
        }
    }

    private func condition(
        _ comparison: Comparison, _ left: (value: Resolved, number: Int),
        _ right: (value: Resolved, number: Int)
    ) throws(QueryProblem) -> Condition {
        try ComparisonCheck(comparison).check(
            left.value, right.value, numbers: (left.number, right.number))
        let (first, second) = try adapted(left, right)
        if comparison.quantifier == .any {
            switch (first, second) {
            case (.path(let reader), .constant(let value)):
                if let condition = ConstantComparison(reader, table.session).condition(
                    comparison.operation, value, comparison.options)
                {
                    return condition
                }
            case (.constant(let value), .path(let reader)):
                let operation = comparison.operation
                if operation.isOfTexts || operation == .isBetween { break }
                if let condition = ConstantComparison(reader, table.session).condition(
                    operation == .isIn ? .equal : operation.exchanged, value, comparison.options)
                {
                    return condition
                }
            case (.path(let reader), .list(let values)):
                if let condition = ConstantComparison(reader, table.session).condition(
                    comparison.operation, values, comparison.options)
                {
                    return condition
                }
            default: break
            }
        }
        let types = [type(of: left.value), type(of: right.value)]
        return .other(
            OperandTest(
                operand(first), comparison.operation, operand(second), comparison.options,
                comparison.quantifier,
                countsBools: types.contains(.bool) && types.contains { $0?.isNumeric ?? false }))
    }

    /// The sides with constants converted to the type of the other side.
    private func adapted(
        _ left: (value: Resolved, number: Int), _ right: (value: Resolved, number: Int)
    ) throws(QueryProblem) -> (Resolved, Resolved) {
        func adapt(
            _ side: (value: Resolved, number: Int), to other: Resolved
        ) throws(QueryProblem) -> Resolved {
            do throws(QueryProblem) {
                let adapter = ConstantAdapter(other, table)
                switch side.value {
                case .constant(let value): return .constant(try adapter.adapted(value))
                case .list(let values):
                    if adapter.keeps(values) { return side.value }
                    var adapted: [AnyRealmValue] = []
                    for value in values { adapted.append(try adapter.adapted(value)) }
                    return .list(adapted)
                case .path, .computed: return side.value
                }
            } catch {
                throw QueryProblem(message: error.message, operand: side.number)
            }
        }
        return (
            try adapt(left, to: right.value), try adapt(right, to: left.value)
        )
    }
}

extension PropertyType {
    /// Whether values of the type are numbers.
    var isNumeric: Bool {
        switch self {
        case .int, .double, .float, .decimal128: true
        default: false
        }
    }
}
