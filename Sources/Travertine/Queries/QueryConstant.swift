/// A value in a query, in its stored form.
enum QueryConstant: Hashable {
    case null
    case word(Int64)
    case bytes([UInt8])
    /// An object of a type.
    case link(type: UInt32, key: UInt64)
    /// An object that is in no realm: equal to nothing.
    case unmanaged

    /// The stored form of a value as a property of a type has it, numbers converted; nil if it has
    /// another type.
    init?(_ value: Any, _ type: PropertyType) {
        let converted: Any? =
            switch type {
            case .int: Int64._makeElement(from: value) ?? Self.enumeration(value)
            case .string: String._makeElement(from: value) ?? Self.enumeration(value)
            case .bool: value as? Bool
            case .double: Double._makeElement(from: value)
            case .float: Float._makeElement(from: value)
            case .objectId: ObjectId._makeElement(from: value)
            default: value
            }
        if isNone(value) {
            self = .null
        } else {
            guard let converted else { return nil }
            self = .of(converted)
        }
    }

    /// As above, without a cast for the types that keys mostly have.
    init?<Key>(key: Key, _ type: PropertyType) {
        if Key.self == Int.self, type == .int {
            self = .word(Int64(unsafeBitCast(key, to: Int.self)))
        } else if Key.self == String.self, type == .string {
            self = .bytes(Array(unsafeBitCast(key, to: String.self).utf8))
        } else {
            self.init(key, type)
        }
    }

    private static func enumeration(_ value: Any) -> Any? {
        value is any PersistableEnum || value is any FailableCustomPersistable ? value : nil
    }

    /// Calls `body` with the stored form.
    func withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        switch self {
        case .null, .unmanaged: body(.null)
        case .word(let word): body(.word(word))
        case .bytes(let bytes): bytes.withUnsafeBytes { body(.bytes($0)) }
        case .link(_, let key): body(.word(Int64(bitPattern: key)))
        }
    }
}

extension _Scalar {
    fileprivate var scalarConstant: QueryConstant {
        _withRaw { raw in
            switch raw {
            case .null: .null
            case .word(let word): .word(word)
            case .bytes(let bytes): .bytes(Array(bytes))
            }
        }
    }
}

extension QueryConstant {
    private static func of(_ mixed: AnyRealmValue) -> QueryConstant {
        if let bytes = MixedCode.encode(plain: mixed) { return .bytes(bytes) }
        guard case .object(let object) = mixed, object.core != nil else { return .unmanaged }
        return .bytes(
            MixedCode.encode(objectOfType: object.table.stored.number, key: object.key))
    }

    /// The stored form of a value of any type that a property can have.
    static func of(_ value: Any) -> QueryConstant {
        if isNone(value) { return .null }
        // A cast unwraps an optional by itself.
        if let scalar = value as? any _Scalar { return scalar.scalarConstant }
        if let mixed = value as? AnyRealmValue { return .of(mixed) }
        if let object = value as? ObjectBase {
            return object.core == nil
                ? .unmanaged : .link(type: object.table.stored.number, key: object.key)
        }
        preconditionFailure("A query can't compare with \(value) of type \(type(of: value)).")
    }
}
