import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts constants to what they are compared with (Q3 and *What is refused*).
struct ConstantAdapter {
    /// The type of the values on the other side; nil where they are of any type.
    private let type: PropertyType?
    private let other: ConditionResolver.Resolved
    private let table: TableState

    init(_ other: ConditionResolver.Resolved, _ table: TableState) {
        self.other = other
        self.table = table
        type =
            switch other {
            case .constant, .list: nil
            case .path(let reader): reader.type.type == .any ? nil : reader.type.type
            case .computed(_, let type): type == .any ? nil : type
            }
    }

    /// Whether values are integers that are compared with integers, and so stay what they are.
    func keeps(_ values: [AnyRealmValue]) -> Bool {
        type == .int
            && values.allSatisfy {
                if case .int = $0 { return true }
                return false
            }
    }

    func adapted(_ value: AnyRealmValue) throws(QueryProblem) -> AnyRealmValue {
        guard let type else { return value }
        // A property would store the number; what is computed is compared exactly.
        if case .computed = other, type.isNumeric, value.propertyType?.isNumeric ?? false {
            return value
        }
        switch (type, value) {
        case (_, .none): return value
        case (.int, .int), (.int, .float), (.int, .double), (.int, .decimal128): return value
        case (.int, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.double, .int), (.double, .double): return value
        case (.double, .float(let number)): return .double(Double(number))
        case (.double, .decimal128(let number)): return .double(number.doubleValue)
        case (.double, .bool(let flag)): return .double(flag ? 1 : 0)
        case (.float, .int(let number)):
            // As the property would store it.
            return .float(Float(number))
        case (.float, .float): return value
        case (.float, .double(let number)): return .float(Float(number))
        case (.float, .decimal128(let number)): return .float(Float(number.doubleValue))
        case (.float, .bool(let flag)): return .float(flag ? 1 : 0)
        case (.decimal128, .decimal128): return value
        case (.decimal128, .int(let number)): return .decimal128(Decimal128(number))
        case (.decimal128, .double(let number)): return .decimal128(Decimal128(number))
        case (.decimal128, .float(let number)): return .decimal128(Decimal128(number))
        case (.decimal128, .bool(let flag)): return .decimal128(Decimal128(flag ? 1 : 0))
        case (.bool, .bool): return value
        case (.bool, .int(0)), (.bool, .double(0)): return .bool(false)
        case (.bool, .int(1)), (.bool, .double(1)): return .bool(true)
        case (.string, .string), (.data, .data), (.date, .date), (.objectId, .objectId),
            (.UUID, .uuid):
            return value
        case (.date, .string(let text)):
            if let date = Self.date(text) { return .date(date) }
        case (.objectId, .string(let text)):
            if let id = try? ObjectId(string: text) { return .objectId(id) }
        case (.UUID, .string(let text)):
            if let id = UUID(uuidString: text) { return .uuid(id) }
        case (.object, .object(let object)): return try adapted(object)
        default: break
        }
        throw QueryProblem(
            message: "Expected \(type.article) \(type)\(owner), found \(Operand.constant(value)) "
                + "(\(value.typeText))."
                + advice(value))
    }

    /// " for property 'age' of 'Person'", where the other side is one.
    private var owner: String {
        guard case .path(let reader) = other, !reader.path.steps.isEmpty else { return "" }
        return " for '\(reader.path)' of '\(table.className)'"
    }

    private func advice(_ value: AnyRealmValue) -> String {
        if type == .object, value.propertyType != nil {
            return " Compare a property of the object: its primary key, say."
        }
        if case .list = value { return PredicateHints.list }
        return type == .date ? PredicateHints.date : ""
    }

    private func adapted(_ object: Object) throws(QueryProblem) -> AnyRealmValue {
        // Objects themselves are of several classes where results or a collection have such.
        guard case .path(let reader) = other, !reader.path.steps.isEmpty,
            let target = reader.target, !reader.isVarying,
            let type = table.session.identity(of: object)?.type, type != target.stored.number
        else { return .object(object) }
        throw QueryProblem(
            message: "Expected a '\(target.className)'\(owner), found a "
                + "'\(object.table.className)'.")
    }

    /// The point in time of a text of ISO 8601, with or without time of day.
    private static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: .iso8601) { return date }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        if let date = try? Date(text, strategy: style) { return date }
        return try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day())
    }
}

extension PropertyType {
    fileprivate var article: String {
        switch self {
        case .int, .object, .objectId: "an"
        default: "a"
        }
    }
}
