import TravertineStore

/// Whole expressions: a condition, and what is done with what it finds.
extension Results {
    /// The results of an expression; throws every problem that it has.
    func applying(_ expression: QueryExpression) throws(QueryProblems) -> Results {
        let narrowed =
            expression.predicate == .constant(true)
            ? state : try state.narrowed(by: expression.predicate)
        let descriptors = try narrowed.checked(expression)
        return Results(descriptors.reduce(narrowed) { $0.arranged(by: $1) })
    }
}

extension ResultsState {
    /// The descriptors of an expression, with the objects of its conditions as they are here;
    /// throws what is wrong with them. Names are numbered after the operands of the predicate.
    fileprivate func checked(
        _ expression: QueryExpression
    ) throws(QueryProblems) -> [ResultsDescriptor] {
        var descriptors = expression.descriptors
        var problems: [QueryProblem] = []
        var number = expression.predicate.operandCount
        func check(_ body: () throws(QueryProblem) -> Void) {
            do throws(QueryProblem) {
                try body()
            } catch {
                problems.append(QueryProblem(message: error.message, operand: number))
            }
            number += 1
        }
        for (index, descriptor) in expression.descriptors.enumerated() {
            switch descriptor {
            case .sorted(let sorting):
                for item in sorting {
                    check { () throws(QueryProblem) in try checkOrder(by: item) }
                }
            case .distinct(let names):
                for name in names {
                    check { () throws(QueryProblem) in try checkDistinct(by: name) }
                }
            case .limited: break
            case .filtered(let condition):
                for table in tables {
                    var resolver = ConditionResolver(table, element: source?.element)
                    _ = resolver.condition(condition)
                    problems += resolver.problems.map { $0.moved(by: number) }
                }
                do throws(QueryProblems) {
                    descriptors[index] = .filtered(try condition.withObjects(of: session))
                } catch {
                    problems += error.problems.map { $0.moved(by: number) }
                }
                number += condition.operandCount
            }
        }
        if !problems.isEmpty { throw QueryProblems(problems: problems) }
        return descriptors
    }

    /// As `arranged(by:)`, after a look at the names: a wrong one stops where it is written, and
    /// not where the results are first read.
    func arranged(byNamesOf descriptor: ResultsDescriptor) -> ResultsState {
        let arranged = arranged(by: descriptor)
        do throws(QueryProblem) {
            switch descriptor {
            case .sorted(let sorting): for item in sorting { try checkOrder(by: item) }
            case .distinct(let names): for name in names { try checkDistinct(by: name) }
            case .limited, .filtered: break
            }
        } catch {
            misuse(error.message)
        }
        return arranged
    }

    private func checkOrder(by descriptor: SortDescriptor) throws(QueryProblem) {
        guard let element = source?.element else {
            return try RowSorter.check(descriptor, tables)
        }
        try checkIsItself(descriptor.keyPath)
        try RowSorter.checkIsString(element.type.type, descriptor)
    }

    private func checkDistinct(by name: String) throws(QueryProblem) {
        if source?.element != nil { return try checkIsItself(name) }
        try DistinctRows.check(name, tables)
    }

    /// Throws for a property of elements that are values.
    private func checkIsItself(_ name: String) throws(QueryProblem) {
        if name != DistinctRows.itself { throw Self.valuesHaveNoProperty(name) }
    }

    /// The problem with sorting values by a property.
    static func valuesHaveNoProperty(_ name: String) -> QueryProblem {
        QueryProblem(
            message:
                "'\(name)' is a property, and the elements of this collection are values: they "
                + "are sorted and made distinct as they are, by \"self\".")
    }
}

extension QueryProblem {
    /// The problem of a condition whose operands have numbers after others.
    fileprivate func moved(by number: Int) -> QueryProblem {
        QueryProblem(message: message, operand: operand.map { $0 + number })
    }
}
