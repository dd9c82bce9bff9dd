import TravertineStore

extension Predicate {
    /// The condition as the type that rows are tested by.
    var former: FormerPredicate {
        switch self {
        case .constant(let value): .constant(value)
        case .not(let condition): .not(condition.former)
        case .and(let conditions):
            conditions.dropFirst().reduce(conditions[0].former) { .and($0, $1.former) }
        case .or(let conditions):
            conditions.dropFirst().reduce(conditions[0].former) { .or($0, $1.former) }
        case .comparison(let comparison): comparison.former
        case .words(let path, let words): .words(path.formerNames, words)
        case .isWithin(let path, let shape): .isWithin(path.formerNames, shape.shape)
        }
    }
}

extension Comparison {
    fileprivate var former: FormerPredicate {
        switch (left, right) {
        case (.path(let path), .constant(let value)):
            if let text = formerText, case .string(let value) = value {
                let condition = FormerPredicate.text(path.formerNames, text, value, options)
                return operation == .notEqual ? .not(condition) : condition
            }
            return .compare(path.formerNames, formerOperation, value.former)
        case (.path(let path), .path(let other)):
            return .compareProperties(path.formerNames, formerOperation, other.formerNames)
        case (.path(let path), .list(let values)):
            if operation == .isIn { return .isIn(path.formerNames, values.map(\.former)) }
            return .and(
                .compare(path.formerNames, .greaterOrEqual, values[0].former),
                .compare(path.formerNames, .lessOrEqual, values[1].former))
        case (.aggregate(.count, let path), .constant(.int(let count))):
            return .count(path.formerNames, formerOperation, count)
        default: misuse("There is no test of rows for this condition.")
        }
    }

    private var formerText: FormerPredicate.TextComparison? {
        switch operation {
        case .contains: .contains
        case .beginsWith: .starts
        case .endsWith: .ends
        case .like: .like
        case .equal, .notEqual: options.isEmpty ? nil : .equals
        default: nil
        }
    }

    private var formerOperation: FormerPredicate.Comparison {
        switch operation {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: misuse("There is no test of rows for this condition.")
        }
    }
}

extension PropertyPath {
    fileprivate var formerNames: [String] {
        steps.compactMap { step in
            switch step {
            case .property(let name): name
            case .position(let position): MixedPathStep.position(position).name
            case .key(let key): MixedPathStep.key(key).name
            case .each: MixedPathStep.any.name
            case .values: nil
            default: misuse("There is no test of rows for this path.")
            }
        }
    }
}

extension AnyRealmValue {
    fileprivate var former: QueryConstant {
        switch self {
        case .none: .null
        case .int(let value): .of(value)
        case .bool(let value): .of(value)
        case .float(let value): .of(value)
        case .double(let value): .of(value)
        case .string(let value): .of(value)
        case .data(let value): .of(value)
        case .date(let value): .of(value)
        case .object(let value): .of(value)
        case .objectId(let value): .of(value)
        case .decimal128(let value): .of(value)
        case .uuid(let value): .of(value)
        case .dictionary, .list: .collection(self)
        }
    }
}
