#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of a predicate text, and which of them were used.
struct PredicateArguments {
    private let values: [Any?]
    private var isUsed: [Bool]
    private var next = 0

    /// The message of what an argument can't be.
    struct Refusal: Error {
        var message: String
    }

    /// An array as the only argument is one value where the text has one placeholder, and else
    /// holds the arguments. Swift passes an array of `Any` as so many arguments.
    ///
    /// - Parameter hasNumbers: whether the text names arguments by their numbers.
    init(_ arguments: [Any?], placeholderCount: Int, hasNumbers: Bool) {
        if placeholderCount != 1, arguments.count == 1, let array = arguments[0] as? [Any?] {
            values = array
        } else if placeholderCount == 1, !hasNumbers, arguments.count > 1 {
            values = [arguments]
        } else {
            values = arguments
        }
        isUsed = Array(repeating: false, count: values.count)
    }

    /// What is wrong if not all arguments were used.
    var messageForUnused: String? {
        let usedCount = isUsed.count { $0 }
        guard usedCount < values.count else { return nil }
        let given = values.count == 1 ? "1 argument is" : "\(values.count) arguments are"
        return "\(given) given, but the text uses \(usedCount == 0 ? "none" : "\(usedCount)")."
    }

    // MARK: Values

    /// What a `%@`, `%d`, `%f` or `$0` is.
    mutating func content(
        for token: PredicateToken
    ) throws(Refusal) -> PredicateTerm.Content {
        let argument = try take(token)
        let content = try Self.content(argument, token)
        guard token.kind == .placeholder, token.text != "@" else { return content }
        guard case .operand(.constant(let value)) = content,
            let number = value.number(isInteger: token.text == "d")
        else {
            throw Refusal(
                message: "\(token.description) takes "
                    + "\(token.text == "d" ? "an integer" : "a number"), and the argument is "
                    + "\(ValueText.withType(argument)).")
        }
        return .operand(.constant(number))
    }

    private static func content(
        _ argument: Any?, _ token: PredicateToken
    ) throws(Refusal) -> PredicateTerm.Content {
        guard let argument, !isNone(argument) else { return .operand(.constant(.none)) }
        if let shape = argument as? any GeoShape { return .shape(ShapeConstant(shape)) }
        if let object = embeddedObject(argument) { return .embedded(object) }
        if let elements = PredicateElements.elements(of: argument) {
            return .list(try values(of: elements, token))
        }
        guard let value = AnyRealmValue(argument: argument) else {
            throw Refusal(
                message: "A value of type \(type(of: argument)) can't be an argument for "
                    + "\(token.description).")
        }
        return .operand(.constant(value))
    }

    private static func values(
        of elements: [Any], _ token: PredicateToken
    ) throws(Refusal) -> [AnyRealmValue] {
        var values: [AnyRealmValue] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard let value = AnyRealmValue(argument: element) else {
                throw Refusal(
                    message: "Element \(index) of the argument for \(token.description) has the "
                        + "type \(type(of: element)), which is no value that is stored.")
            }
            values.append(value)
        }
        return values
    }

    /// The embedded object that an argument is, or is stored as.
    private static func embeddedObject(_ argument: Any) -> ObjectBase? {
        if let value = argument as? any FailableCustomPersistable {
            return embeddedObject(value.persistableValue)
        }
        guard let object = (argument as? any RealmCollectionValue)?._object, !(object is Object)
        else { return nil }
        return object
    }

    // MARK: Paths

    /// The path that a `%K` or `$K0` is.
    mutating func path(for token: PredicateToken) throws(Refusal) -> String {
        let argument = try take(token)
        if let argument, let path = argument as? String ?? (argument as? Substring).map(String.init)
        {
            return path
        }
        throw Refusal(
            message: "\(token.description) takes a property's name, and the argument is "
                + "\(ValueText.withType(argument)).")
    }

    private mutating func take(_ token: PredicateToken) throws(Refusal) -> Any? {
        let isNumbered = token.kind == .argument || token.kind == .pathArgument
        let index = isNumbered ? Int(token.text) ?? .max : next
        if !isNumbered { next += 1 }
        guard index < values.count else {
            let given =
                switch values.count {
                case 0: "no arguments are"
                case 1: "1 argument is"
                default: "\(values.count) arguments are"
                }
            throw Refusal(message: "There is no argument for \(token.description): \(given) given.")
        }
        isUsed[index] = true
        return values[index]
    }
}

extension AnyRealmValue {
    /// The value of an argument: whatever can be stored, raw values of enums, what custom types are
    /// stored as, and lists and dictionaries of these. Nil for what can't be stored.
    init?(argument: Any) { self.init(argument: argument, depth: 1) }

    private init?(argument: Any, depth: Int) {
        // The usual types first: casts to protocols take longer.
        if type(of: argument) == Int.self, let value = argument as? Int {
            self = .int(value)
            return
        }
        if type(of: argument) == String.self, let value = argument as? String {
            self = .string(value)
            return
        }
        if isNone(argument) {
            self = .none
            return
        }
        switch argument {
        case let value as any FailableCustomPersistable:
            self.init(argument: value.persistableValue, depth: depth)
        case let value as any RawRepresentable:
            self.init(argument: value.rawValue, depth: depth)
        case let value as any StringProtocol:
            self = .string(String(value))
        case let value as any RealmCollectionValue where value._object is Object:
            guard let object = value._object as? Object else { return nil }
            self = .object(object)
        case let value as any BinaryInteger:
            guard let value = Int(exactly: value) else { return nil }
            self = .int(value)
        default:
            self.init(collection: argument, depth: depth)
        }
    }

    /// A list or a dictionary, or another value without a type of this library.
    private init?(collection argument: Any, depth: Int) {
        let elements = PredicateElements.elements(of: argument)
        let entries = argument as? [String: Any]
        guard elements != nil || entries != nil else {
            self.init(any: argument)
            return
        }
        guard depth <= MixedCode.depthMax else { return nil }
        var values: [AnyRealmValue] = []
        for element in elements ?? Array((entries ?? [:]).values) {
            guard let value = AnyRealmValue(argument: element, depth: depth + 1) else { return nil }
            values.append(value)
        }
        self =
            entries.map {
                .fromDictionary(Dictionary(uniqueKeysWithValues: zip($0.keys, values)))
            } ?? .fromArray(values)
    }

    /// The number for `%d` or `%f`; nil for one that is none.
    fileprivate func number(isInteger: Bool) -> AnyRealmValue? {
        switch self {
        case .bool: self
        case .int(let value): isInteger ? self : .double(Double(value))
        case .double(let value) where isInteger: Int(exactly: value).map { .int($0) }
        case .float(let value) where isInteger: Int(exactly: value).map { .int($0) }
        case .float, .double: self
        case .decimal128 where !isInteger: self
        default: nil
        }
    }
}

/// A range: it is no list, as it may have any number of elements.
private protocol ArgumentRange {}

extension Range: ArgumentRange {}
extension ClosedRange: ArgumentRange {}

/// The elements of an argument that is a list: an array, a set, or a collection of a realm.
enum PredicateElements {
    /// Whether the elements of an argument are values by themselves.
    static func isList(_ argument: Any) -> Bool {
        switch argument {
        case is any StringProtocol, is Data, is [String: Any], is AnyRealmValue,
            is Map<String, AnyRealmValue>, is any FailableCustomPersistable,
            is any RawRepresentable, is any ArgumentRange:
            false
        case let value: value is any Sequence && !(value is any _Scalar)
        }
    }

    /// The elements; nil for anything else. Those of a map are its values.
    static func elements(of argument: Any) -> [Any]? {
        guard isList(argument) else { return nil }
        if let collection = argument as? any UntypedCollection {
            switch collection.contents {
            case .values(let values): return values
            case .entries(let entries): return entries.map(\.1)
            }
        }
        return (argument as? any Sequence).map { elements($0) }
    }

    private static func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
}
