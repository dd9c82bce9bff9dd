import TravertineStore

/// Operands by themselves: their types, and the forms that comparisons read.
extension ConditionResolver {
    /// One side of a comparison, resolved.
    enum Resolved {
        case constant(AnyRealmValue)
        case list([AnyRealmValue])
        case path(PropertyReader)
        /// With the type of the values.
        case computed(OperandReader, PropertyType)
    }

    func reader(
        _ path: PropertyPath, countsElements: Bool = false, keepsStorage: Bool = false
    ) throws(QueryProblem) -> PropertyReader {
        try PropertyReader(
            path, table, countsElements: countsElements, element: element,
            keepsStorage: keepsStorage)
    }

    func aggregate(
        _ aggregate: Aggregate, _ path: PropertyPath
    ) throws(QueryProblem) -> Resolved {
        let reader = try reader(path, countsElements: aggregate == .count)
        let type = reader.type.type
        guard reader.hasManyValues || type == .any else {
            throw QueryProblem(
                message: "'\(path)' leads to no collection, and only of one "
                    + "\(aggregate.text) can be taken.")
        }
        if aggregate == .count {
            return .computed(AggregateOperand(aggregate, reader), .int)
        }
        let isDate = type == .date && (aggregate == .least || aggregate == .greatest)
        guard isDate || type.isNumeric || type == .any else {
            throw QueryProblem(
                message: "\(aggregate.text) is taken of numbers"
                    + (type == .date ? "" : ", @min and @max of dates too")
                    + ", and '\(path)' is \(type).")
        }
        return .computed(
            AggregateOperand(aggregate, reader),
            aggregate == .mean && type != .decimal128 && type != .any ? .double : type)
    }

    /// The element that the condition of a subquery is on; nil for objects.
    func collectionElement(
        _ path: PropertyPath
    ) throws(QueryProblem) -> ScannedElement? {
        let reader = try reader(path)
        if reader.type.type == .object { return nil }
        return ScannedElement(reader.type)
    }

    func arithmetic(
        _ operation: ArithmeticOperation, _ left: (value: Resolved, number: Int),
        _ right: (value: Resolved, number: Int)
    ) throws(QueryProblem) -> Resolved {
        for side in [left, right] where !(type(of: side.value)?.isNumeric ?? true) {
            throw QueryProblem(
                message: "Arithmetic is done with numbers, and this is \(text(of: side.value)).",
                operand: side.number)
        }
        if case .list = left.value {
            throw QueryProblem(message: "A list is no number.", operand: left.number)
        }
        if case .list = right.value {
            throw QueryProblem(message: "A list is no number.", operand: right.number)
        }
        let types = [type(of: left.value), type(of: right.value)]
        let type: PropertyType =
            types.contains(.decimal128)
            ? .decimal128 : types.contains(.any) ? .any : types == [.int, .int] ? .int : .double
        return .computed(
            ArithmeticOperand(operation, operand(left.value), operand(right.value)), type)
    }

    /// The declared type of an operand's values; nil for nil.
    func type(of resolved: Resolved) -> PropertyType? {
        switch resolved {
        case .constant(let value): value.propertyType
        case .list: nil
        case .path(let reader): reader.type.type == .any ? nil : reader.type.type
        case .computed(_, let type): type == .any ? nil : type
        }
    }

    private func text(of resolved: Resolved) -> String {
        switch resolved {
        case .constant(let value): "\(value) (\(value.typeText))"
        case .list: "a list"
        case .path(let reader): "'\(reader.path)', which is \(reader.type.type)"
        case .computed(_, let type): "\(type)"
        }
    }

    /// The general form of an operand.
    func operand(_ resolved: Resolved) -> OperandReader {
        switch resolved {
        case .constant(let value): ConstantOperand([OwnedValue(value, table.session)])
        case .list(let values): ConstantOperand(values.map { OwnedValue($0, table.session) })
        case .path(let reader): PathOperand(keeping(reader))
        case .computed(let operand, _): operand
        }
    }

    /// A reader that keeps the storage of values of any type, in which collections are.
    private func keeping(_ reader: PropertyReader) -> PropertyReader {
        guard reader.type.type == .any, !reader.isVarying,
            let other = try? self.reader(reader.path, keepsStorage: true)
        else { return reader }
        return other
    }
}
