import RealmSwift

@testable import Travertine

extension MeaningRow {
    /// The rules' numbers.
    static let rules = (1...20).map { "Q\($0)" }

    /// The examples of all rules.
    static var all: [MeaningRow] { values + texts + collections + objects }
}

/// Operands and values of examples.
extension MeaningRow {
    static func steps(_ steps: PropertyPath.Step...) -> PropertyPath { PropertyPath(steps) }

    static func compare(
        _ left: Operand, _ operation: Comparison.Operation, _ right: Operand,
        _ quantifier: Comparison.Quantifier = .any, _ options: StringOptions = []
    ) -> Predicate {
        .comparison(Comparison(left, operation, right, options: options, quantifier: quantifier))
    }

    static func list(_ values: Int...) -> WorldValue { .list(values.map { .int($0) }) }

    static func spot(_ id: Int) -> WorldValue { .link(WorldKey(type: "WorldSpot", id: id)) }

    static func count(_ names: String) -> Operand {
        .aggregate(.count, PropertyPath(names: names.split(separator: ".")))
    }

    static func total(_ aggregate: Aggregate, _ names: String) -> Operand {
        .aggregate(aggregate, PropertyPath(names: names.split(separator: ".")))
    }

    static func sum(
        _ operation: ArithmeticOperation, _ left: Operand, _ right: AnyRealmValue
    ) -> Operand {
        .arithmetic(operation, left, .constant(right))
    }

    static let large = 1 << 53
}
