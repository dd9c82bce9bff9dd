#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of any type: what a property holds whose type is not known beforehand.
///
/// ```swift
/// class Reading: Object {
///     @Persisted var value: AnyRealmValue
/// }
/// reading.value = .int(5)
/// reading.value = .list([.string("a"), .dictionary(["b": .none])])
/// ```
/// Lists and dictionaries can be nested up to 100 levels. In a managed object they are found and
/// changed in place, at any depth, at a cost that does not grow with the other elements.
/// Values of different types are different: `.int(1)` is not `.double(1)`.
public enum AnyRealmValue {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// A boolean.
    case bool(Bool)
    /// A 32-bit floating-point number.
    case float(Float)
    /// A 64-bit floating-point number.
    case double(Double)
    /// A string.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A link to an object of any type.
    case object(Object)
    /// A 12-byte identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A universally unique identifier.
    case uuid(UUID)
    /// Values under keys.
    case dictionary(Map<String, AnyRealmValue>)
    /// Values in order.
    case list(List<AnyRealmValue>)

    /// No value.
    public init() { self = .none }

    /// A dictionary of these values.
    public static func fromDictionary(_ values: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in values { map[key] = value }
        return .dictionary(map)
    }

    /// A list of these values.
    public static func fromArray(_ values: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: values)
        return .list(list)
    }
}

/// The value, if it has a type.
extension AnyRealmValue {
    /// The integer.
    public var intValue: Int? {
        if case .int(let value) = self { value } else { nil }
    }
    /// The boolean.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
    /// The 32-bit floating-point number.
    public var floatValue: Float? {
        if case .float(let value) = self { value } else { nil }
    }
    /// The 64-bit floating-point number.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }
    /// The string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }
    /// The bytes.
    public var dataValue: Data? {
        if case .data(let value) = self { value } else { nil }
    }
    /// The point in time.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }
    /// The 12-byte identifier.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The decimal number.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The universally unique identifier.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { value } else { nil }
    }
    /// The dictionary.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The list.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The object, if it is one of this class.
    public func object<Model: Object>(_ type: Model.Type) -> Model? {
        if case .object(let value) = self { value as? Model } else { nil }
    }

    /// The object without its class, if it is one that a realm has: its properties by name.
    public var dynamicObject: DynamicObject? {
        guard case .object(let value) = self else { return nil }
        if let dynamic = value as? DynamicObject { return dynamic }
        guard let session = value.session, !value.isInvalidated else { return nil }
        return session.dynamicObject(value.key, in: value.table)
    }

    /// The value itself; nil for none.
    var plain: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }

    /// What is added to messages of values that are refused.
    static let refusal = " A value of any type holds no set and no embedded object."

    /// A value made of anything that one can hold; nil for a set, an embedded object or a type that
    /// is not stored, and for what is nested so deep that the stack has no room for it.
    ///
    /// Numbers of JSON that Foundation has read are integers where they are whole.
    public init?(any value: Any?) {
        guard let value, !isNone(value) else {
            self = .none
            return
        }
        if let number = AnyRealmValue(boxed: value) {
            self = number
            return
        }
        // No value that is nested as deep as that can be stored.
        if PendingFillings.areNeeded { return nil }
        switch value {
        case let value as AnyRealmValue: self = value
        case let values as [String: Any]:
            var made: [String: AnyRealmValue] = [:]
            for (key, value) in values {
                guard let value = AnyRealmValue(any: value) else { return nil }
                made[key] = value
            }
            self = .fromDictionary(made)
        case let values as [Any]:
            let made = values.compactMap { AnyRealmValue(any: $0) }
            guard made.count == values.count else { return nil }
            self = .fromArray(made)
        case let value as Bool: self = .bool(value)
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as String: self = .string(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as Object: self = .object(value)
        case let value as ObjectId: self = .objectId(value)
        case let value as Decimal128: self = .decimal128(value)
        case let value as UUID: self = .uuid(value)
        case let value as Map<String, AnyRealmValue>: self = .dictionary(value)
        case let value as List<AnyRealmValue>: self = .list(value)
        case let value as any BinaryInteger:
            guard let value = Int(exactly: value) else { return nil }
            self = .int(value)
        default: return nil
        }
    }
}

extension AnyRealmValue {
    /// The number in an `NSNumber`, which casts to every type of numbers that has its value; nil
    /// for anything else. Foundation is not linked for its sake.
    private init?(boxed value: Any) {
        guard type(of: value) is AnyClass, let real = value as? Double else { return nil }
        if "\(type(of: value))".hasSuffix("Boolean") {
            self = .bool(real != 0)
        } else if let whole = value as? Int {
            self = .int(whole)
        } else {
            self = .double(real)
        }
    }
}

extension Date {
    fileprivate var isNaN: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension AnyRealmValue: Hashable {
    /// Whether both have the same type and value, NaN being equal to itself; of lists and
    /// dictionaries, managed or not, equal contents; of objects, whether they are the same one.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        left.isEqual(to: right, depth: 1)
    }

    /// - Parameter depth: how deeply nested the collection of the two is: unmanaged ones may hold
    ///   themselves, and what is deeper than anything that can be stored is equal to nothing.
    private func isEqual(to other: AnyRealmValue, depth: Int) -> Bool {
        switch (self, other) {
        case (.none, .none): true
        case (.int(let left), .int(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.float(let left), .float(let right)): left == right || left.isNaN && right.isNaN
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.string(let left), .string(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right || left.isNaN && right.isNaN
        case (.object(let left), .object(let right)): left.isSame(as: right)
        case (.objectId(let left), .objectId(let right)): left == right
        case (.decimal128(let left), .decimal128(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)):
            depth <= MixedCode.depthMax
                && left.isEqual(to: right) { $0.isEqual(to: $1, depth: depth + 1) }
        case (.list(let left), .list(let right)):
            depth <= MixedCode.depthMax
                && left.isEqual(to: right) { $0.isEqual(to: $1, depth: depth + 1) }
        default: false
        }
    }

    /// Hashes what `==` compares; of lists and dictionaries only that they are ones.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .object(let object) where object.session != nil: hasher.combine(object.key)
        case .dictionary: hasher.combine(1)
        case .list: hasher.combine(2)
        case .float(let value) where value.isNaN: hasher.combine(3)
        case .double(let value) where value.isNaN: hasher.combine(3)
        case .date(let value) where value.isNaN: hasher.combine(3)
        default:
            if let value = plain as? AnyHashable { hasher.combine(value) }
        }
    }
}

extension AnyRealmValue: CustomStringConvertible {
    /// The value as text; `none` for no value.
    public var description: String { ObjectBase.text(self, depth: 0) }
}

extension AnyRealmValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self = .none }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A 64-bit floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
}
