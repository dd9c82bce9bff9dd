/// Refuses comparisons that have no meaning for the types of their sides.
struct ComparisonCheck {
    private let comparison: Comparison

    init(_ comparison: Comparison) { self.comparison = comparison }

    /// - Parameter numbers: the numbers of the operands.
    func check(
        _ left: ConditionResolver.Resolved, _ right: ConditionResolver.Resolved,
        numbers: (left: Int, right: Int)
    ) throws(QueryProblem) {
        try checkShapes(left, right, numbers)
        let sides = [(left, numbers.left), (right, numbers.right)]
        let operation = comparison.operation
        if !comparison.options.isEmpty {
            if operation.isOfOrder {
                throw QueryProblem(
                    message: "Order comparisons are by bytes: [c] and [d] go with ==, !=, IN, "
                        + "CONTAINS, BEGINSWITH, ENDSWITH and LIKE.", operand: numbers.left)
            }
            if operation == .like, comparison.options.contains(.diacriticInsensitive) {
                throw QueryProblem(
                    message: "LIKE has no option [d].", operand: numbers.left)
            }
            for (side, number) in sides { try check(side, number, isText: \.takesOptions) }
        }
        if operation.isOfTexts {
            for (side, number) in sides { try check(side, number, isText: \.isText) }
            if operation == .like {
                for (side, number) in sides { try check(side, number, isText: \.takesOptions) }
            }
        }
        if operation.isOfOrder {
            for (side, number) in sides { try checkOrder(side, number) }
        }
        if case .path(let first) = left, case .path(let second) = right {
            try checkTypes(first.type.type, second.type.type, numbers.right)
            if first.type.type == .object, let one = first.target, let other = second.target,
                one !== other, !first.isVarying, !second.isVarying
            {
                throw QueryProblem(
                    message: "'\(second.path)' leads to '\(other.className)' objects, and "
                        + "'\(first.path)' to '\(one.className)' objects.", operand: numbers.right)
            }
        } else if let one = declaredType(left), let other = declaredType(right) {
            try checkTypes(one, other, numbers.right)
        }
    }

    private func checkShapes(
        _ left: ConditionResolver.Resolved, _ right: ConditionResolver.Resolved,
        _ numbers: (left: Int, right: Int)
    ) throws(QueryProblem) {
        if case .list = left {
            throw QueryProblem(
                message: "A list of constants is on the right, after IN or BETWEEN.",
                operand: numbers.left)
        }
        switch (comparison.operation, right) {
        case (.isBetween, .list(let bounds)):
            if bounds.count != 2 {
                throw QueryProblem(
                    message: "BETWEEN takes two values, as in {1, 5}, and there are "
                        + "\(bounds.count).", operand: numbers.right)
            }
            if bounds.contains(.none) {
                throw QueryProblem(
                    message: "Nothing is between nil and a value.", operand: numbers.right)
            }
        case (.isBetween, _):
            throw QueryProblem(
                message: "BETWEEN takes a list of two constants, as in {1, 5}.",
                operand: numbers.right)
        case (.isIn, .list): break
        case (.isIn, .path(let reader)) where reader.hasManyValues: break
        case (.isIn, _):
            throw QueryProblem(
                message: "IN takes a list of constants, as in {1, 2, 3}, or a collection.",
                operand: numbers.right)
        case (_, .list):
            throw QueryProblem(
                message: "A list of constants goes with IN and BETWEEN." + PredicateHints.list,
                operand: numbers.right)
        default: break
        }
    }

    /// The declared type of a side that is no constant; nil where values of any type are.
    private func declaredType(_ side: ConditionResolver.Resolved) -> PropertyType? {
        switch side {
        case .constant, .list: nil
        case .path(let reader): reader.type.type == .any ? nil : reader.type.type
        case .computed(_, let type): type == .any ? nil : type
        }
    }

    private func checkTypes(
        _ one: PropertyType, _ other: PropertyType, _ number: Int
    ) throws(QueryProblem) {
        if one == other || one == .any || other == .any || one.isNumeric && other.isNumeric {
            return
        }
        let types = [one, other]
        if types.contains(.bool), types.contains(where: \.isNumeric) { return }
        throw QueryProblem(
            message: "The two sides can't be compared: one is \(one), the other \(other)."
                + (types.contains(.date) && types.contains(where: \.isNumeric)
                    ? PredicateHints.date : ""),
            operand: number)
    }

    private func check(
        _ side: ConditionResolver.Resolved, _ number: Int, isText: (PropertyType) -> Bool
    ) throws(QueryProblem) {
        var types: [PropertyType] = []
        switch side {
        case .constant(let value): if let type = value.propertyType { types = [type] }
        case .list(let values): types = values.compactMap(\.propertyType)
        case .path(let reader): types = [reader.type.type]
        case .computed(_, let type): types = [type]
        }
        if let other = types.first(where: { !isText($0) }) {
            throw QueryProblem(
                message: "Texts are compared here, and this is \(other).", operand: number)
        }
    }

    private func checkOrder(
        _ side: ConditionResolver.Resolved, _ number: Int
    ) throws(QueryProblem) {
        var type: PropertyType?
        switch side {
        case .constant(.list), .constant(.dictionary):
            throw QueryProblem(
                message: "Lists and dictionaries have no order.", operand: number)
        case .constant(let value): type = value.propertyType
        case .list(let values): type = values.lazy.compactMap(\.propertyType).first
        case .path(let reader): type = reader.type.type
        case .computed(_, let computed): type = computed
        }
        guard let type, type == .object || type == .bool || type == .linkingObjects else { return }
        if type == .bool, case .constant = side { return }
        if type == .bool, case .list = side { return }
        throw QueryProblem(
            message: "There is no order between \(type == .bool ? "bools" : "objects").",
            operand: number)
    }
}

extension PropertyType {
    fileprivate var isText: Bool { self == .string || self == .data || self == .any }
    fileprivate var takesOptions: Bool { self == .string || self == .any }
}

extension AnyRealmValue {
    /// The type of the value; nil for nil, lists and dictionaries.
    var propertyType: PropertyType? {
        switch self {
        case .none, .list, .dictionary: nil
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .object: .object
        case .objectId: .objectId
        case .decimal128: .decimal128
        case .uuid: .UUID
        }
    }

    /// The type as messages name it.
    var typeText: String {
        switch self {
        case .none: "nil"
        case .list: "list"
        case .dictionary: "dictionary"
        default: propertyType?.description ?? "nil"
        }
    }
}
