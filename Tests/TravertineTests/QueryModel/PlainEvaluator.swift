import Foundation
import RealmSwift

@testable import Travertine

/// Evaluates queries over a plain model, an object and a value after the other.
///
/// It is written from the rules of `Documentation/Queries.md` alone, which its comments cite, and
/// shares no code with the library's evaluation: it is what the library is compared with. It takes
/// the shortest way that is obviously right and has no regard for time.
struct PlainEvaluator {
    /// A question to which the rules give no answer; tests skip it.
    struct Unclear: Error {
        var what: String
        init(_ what: String) { self.what = what }
    }

    /// A value, and where it comes from.
    struct Item {
        enum Origin: Equatable {
            case constant
            /// An aggregate or the result of arithmetic.
            case computed
            /// A property of a declared type, or an element of one.
            case declared(PropertyType)
            /// A value of any type.
            case mixed
        }

        var value: WorldValue
        var origin: Origin
        /// The type of the objects that the property links to.
        var target: String?

        init(_ value: WorldValue, _ origin: Origin, target: String? = nil) {
            self.value = value
            self.origin = origin
            self.target = target
        }
    }

    let data: WorldData
    let origins: WorldOrigins

    init(_ data: WorldData) {
        self.data = data
        origins = WorldOrigins(data)
    }

    /// The objects that a query finds, in order.
    func keys(in source: WorldSource, _ expression: QueryExpression) throws -> [WorldKey] {
        var keys = try source.keys(in: data, origins).filter {
            try holds(expression.predicate, for: $0)
        }
        for descriptor in expression.descriptors { keys = try arranged(keys, descriptor) }
        return keys
    }

    /// Whether an object fulfils a condition.
    func holds(_ predicate: Predicate, for key: WorldKey) throws -> Bool {
        try holds(predicate, at: Item(.link(key), .declared(.object), target: key.type))
    }

    private func holds(_ predicate: Predicate, at item: Item) throws -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .not(let condition): return try !holds(condition, at: item)  // Q20
        // Every part is evaluated, so that an unclear one is found whatever the others say.
        case .and(let conditions):
            return try conditions.map { try holds($0, at: item) }.allSatisfy { $0 }
        case .or(let conditions):
            return try conditions.map { try holds($0, at: item) }.contains(true)
        case .comparison(let comparison): return try holds(comparison, at: item)
        case .words(let path, let query):
            return try values(of: path, at: item).contains {
                guard case .string(let text) = $0.value else { return false }
                return PlainFullText(tokenizer: data.tokenizer(path)).matches(query, text)
            }
        case .isWithin(let path, let shape):
            return try values(of: path, at: item).contains {
                guard case .link(let key) = $0.value,
                    let point = PlainPlaces.point(data.objects[key]?.values ?? [:])
                else { return false }
                return try PlainPlaces.contains(shape, point)
            }
        }
    }

    private func holds(_ comparison: Comparison, at item: Item) throws -> Bool {
        let left = try values(of: comparison.left, at: item)
        let right = try values(of: comparison.right, at: item)
        func isMatch(_ value: Item) throws -> Bool {
            if comparison.operation == .isBetween {  // Q9
                guard right.count == 2 else { throw Unclear("BETWEEN without two values") }
                return try !right.contains { $0.value.isNull }
                    && compares(value, .greaterOrEqual, right[0], comparison.options)
                    && compares(value, .lessOrEqual, right[1], comparison.options)
            }
            let operation = comparison.operation == .isIn ? .equal : comparison.operation  // Q8
            return try right.contains {
                try compares(value, operation, $0, comparison.options)
            }
        }
        switch comparison.quantifier {  // Q1
        case .any: return try left.contains(where: isMatch)
        case .all: return try left.allSatisfy(isMatch)
        case .none: return try !left.contains(where: isMatch)
        }
    }
}

// MARK: Operands

extension PlainEvaluator {
    /// The values of an operand.
    func values(of operand: Operand, at item: Item) throws -> [Item] {
        switch operand {
        case .constant(let value): return [Item(plain(value), .constant)]
        case .list(let values): return values.map { Item(plain($0), .constant) }
        case .path(let path): return try values(of: path, at: item)
        case .aggregate(let aggregate, let path):
            return [Item(try value(of: aggregate, path, at: item), .computed)]
        case .subqueryCount(let path, let condition):  // Q13
            let count = try values(of: path, at: item).filter {
                try !$0.value.isNull && holds(condition, at: $0)
            }.count
            return [Item(.int(count), .computed)]
        case .arithmetic(let operation, let left, let right):  // Q14
            let seconds = try values(of: right, at: item)
            return try values(of: left, at: item).flatMap { first in
                seconds.map { second in
                    guard let one = PlainNumber(first.value),
                        let other = PlainNumber(second.value),
                        let result = PlainNumber.result(one, operation, other)
                    else { return Item(.null, .computed) }
                    return Item(result.value, .computed)
                }
            }
        }
    }

    /// A constant as a value of the model. An object of no realm, or of another one, is equal to
    /// nothing (Q17).
    private func plain(_ value: AnyRealmValue) -> WorldValue {
        switch value {
        case .none: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal(value)
        case .uuid(let value): .uuid(value)
        case .object(let object): .link(World.key(of: object))
        case .list(let list): .list(list.map { plain($0) })
        case .dictionary(let map):
            .dictionary(
                Dictionary(uniqueKeysWithValues: map.map { ($0.key, plain($0.value)) }))
        }
    }

    /// Q12.
    private func value(
        of aggregate: Aggregate, _ path: PropertyPath, at item: Item
    ) throws -> WorldValue {
        if aggregate == .count {
            return .int(try values(path.steps[...], at: item, countsLinks: true).count)
        }
        let values = try values(of: path, at: item).map(\.value)
        let numbers = values.compactMap { PlainNumber($0) }
        switch aggregate {
        case .count, .least, .greatest:
            let sign = aggregate == .least ? -1 : 1
            let dates = values.compactMap { value -> Date? in
                if case .date(let date) = value { date } else { nil }
            }
            if !dates.isEmpty && !numbers.isEmpty { throw Unclear("dates among numbers") }
            if let first = dates.first {
                return .date(
                    dates.dropFirst().reduce(first) { ($0 < $1) == (sign > 0) ? $1 : $0 })
            }
            let comparable = numbers.filter { !$0.isNaN }
            guard let first = comparable.first else { return .null }
            return comparable.dropFirst().reduce(first) {
                PlainNumber.order($1, $0) == sign ? $1 : $0
            }.value
        case .sum: return sum(numbers).value
        case .mean:
            if numbers.isEmpty { return .null }
            switch sum(numbers) {
            case .int(let sum): return .double(Double(sum) / Double(numbers.count))
            case .double(let sum): return .double(sum / Double(numbers.count))
            case .decimal(let sum): return .decimal(sum / Decimal128(numbers.count))
            }
        }
    }

    /// Integers and doubles are added exactly, decimals in their order, and then all together.
    private func sum(_ numbers: [PlainNumber]) -> PlainNumber {
        var integers: Int128 = 0
        var doubles: [Double] = []
        var decimals: [Decimal128] = []
        for number in numbers {
            switch number {
            case .int(let value): integers += Int128(value)
            case .double(let value): doubles.append(value)
            case .decimal(let value): decimals.append(value)
            }
        }
        let doubleSum = PlainSum.of(doubles)
        if !decimals.isEmpty {
            let sum = decimals.reduce(Decimal128(), +) + Decimal128(integers)
            return .decimal(doubles.isEmpty ? sum : sum + Decimal128(doubleSum))
        }
        if !doubles.isEmpty { return .double(doubleSum + Double(integers)) }
        return Int(exactly: integers).map { .int($0) } ?? .double(Double(integers))
    }
}

// MARK: Comparing

extension PlainEvaluator {
    /// Whether one value compares so with another.
    func compares(
        _ left: Item, _ operation: Comparison.Operation, _ right: Item, _ options: StringOptions
    ) throws -> Bool {
        let first = adapted(left, to: right)
        let second = adapted(right, to: left)
        let isMixed = left.origin == .mixed || right.origin == .mixed
        switch operation {
        case .equal: return isEqual(first, second, options, isMixed: isMixed)
        case .notEqual: return !isEqual(first, second, options, isMixed: isMixed)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if first.isNull && second.isNull {  // Q2
                return operation == .lessOrEqual || operation == .greaterOrEqual
            }
            guard let order = Self.order(first, second) else { return false }
            switch operation {
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            default: return order >= 0
            }
        case .contains, .beginsWith, .endsWith, .like:  // Q10
            switch (first, second) {
            case (.string(let text), .string(let part)):
                if operation == .like { return PlainText.isLike(text, part, options) }
                return PlainText.holds(
                    operation, Array(PlainText.folded(text, options).utf8),
                    Array(PlainText.folded(part, options).utf8))
            case (.data(let bytes), .data(let part)):
                return PlainText.holds(operation, Array(bytes), Array(part))
            default: return false
            }
        case .isIn, .isBetween: throw Unclear("a comparison of values by \(operation)")
        }
    }

    /// A constant as it is compared with a property of a declared type (Q3, and what is refused).
    private func adapted(_ item: Item, to other: Item) -> WorldValue {
        guard item.origin == .constant, case .declared(let type) = other.origin else {
            return item.value
        }
        switch (type, item.value) {
        case (.float, .int(let value)): return .float(Float(value))
        case (.float, .double(let value)): return .float(Float(value))
        case (.float, .decimal(let value)): return .float(Float(value.doubleValue))
        case (.UUID, .string(let text)): return UUID(uuidString: text).map { .uuid($0) } ?? .null
        case (.objectId, .string(let text)):
            return (try? ObjectId(string: text)).map { .objectId($0) } ?? .null
        case (.date, .string(let text)):
            return (try? Date(text, strategy: .iso8601)).map { .date($0) } ?? .null
        default: return item.value
        }
    }

    private func isEqual(
        _ left: WorldValue, _ right: WorldValue, _ options: StringOptions, isMixed: Bool
    ) -> Bool {
        if options.isEmpty { return isEqual(left, right, isMixed: isMixed) }
        switch (left, right) {
        case (.null, .null): return true
        case (.string(let first), .string(let second)):
            return Array(PlainText.folded(first, options).utf8)
                == Array(PlainText.folded(second, options).utf8)
        default: return false
        }
    }

    /// - Parameter isMixed: whether one of the two is of any type: then a bool is no number.
    private func isEqual(_ left: WorldValue, _ right: WorldValue, isMixed: Bool) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let first), .bool(let second)): return first == second
        case (.bool(let flag), let number), (let number, .bool(let flag)):  // Q3
            guard !isMixed, let number = PlainNumber(number) else { return false }
            return PlainNumber.order(.int(flag ? 1 : 0), number) == 0
        case (.link(let first), .link(let second)): return first == second  // Q17
        case (.list(let first), .list(let second)):  // Q6
            return first.count == second.count
                && zip(first, second).allSatisfy { isEqual($0, $1, isMixed: true) }
        case (.dictionary(let first), .dictionary(let second)):
            return first.count == second.count
                && first.allSatisfy { key, value in
                    second[key].map { isEqual(value, $0, isMixed: true) } ?? false
                }
        default: return Self.order(left, right) == 0
        }
    }

    /// -1, 0 or 1; nil for what has no order, nil among them.
    static func order(_ left: WorldValue, _ right: WorldValue) -> Int? {
        if let first = PlainNumber(left), let second = PlainNumber(right) {  // Q3, Q4
            return PlainNumber.order(first, second)
        }
        switch (left, right) {  // Q5
        case (.string(let first), .string(let second)):
            return PlainText.order(first.utf8, second.utf8)
        case (.data(let first), .data(let second)): return PlainText.order(first, second)
        case (.date(let first), .date(let second)):
            return first < second ? -1 : second < first ? 1 : 0
        case (.objectId(let first), .objectId(let second)):
            return first < second ? -1 : second < first ? 1 : 0
        case (.uuid(let first), .uuid(let second)):
            return PlainText.order(
                withUnsafeBytes(of: first.uuid) { Array($0) },
                withUnsafeBytes(of: second.uuid) { Array($0) })
        default: return nil
        }
    }
}
