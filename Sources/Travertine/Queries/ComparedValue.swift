import TravertineStore

/// A value in a condition.
enum ComparedValue {
    /// A value as it is stored: enums by their raw values, custom types by what they are stored as.
    case constant(AnyRealmValue)
    /// An embedded object, which is compared by its properties.
    case embedded(EmbeddedObject)

    init<Value>(_ value: Value?) {
        guard let value else {
            self = .constant(.none)
            return
        }
        // Without a cast for the types that are compared most.
        if Value.self == Int.self {
            self = .constant(.int(unsafeBitCast(value, to: Int.self)))
        } else if Value.self == String.self {
            self = .constant(.string(unsafeBitCast(value, to: String.self)))
        } else {
            self = Self.of(value)
        }
    }

    var constant: AnyRealmValue? { if case .constant(let value) = self { value } else { nil } }

    private static func of(_ value: Any) -> ComparedValue {
        if isNone(value) { return .constant(.none) }
        switch value {
        case let value as AnyRealmValue: return .constant(value)
        case let value as any _Scalar:
            if let constant = constant(value) { return .constant(constant) }
        case let value as any FailableCustomPersistable: return of(value.persistableValue)
        case let value as Object: return .constant(.object(value))
        case let value as EmbeddedObject: return .embedded(value)
        case let value as any ObjectView: return of(value.seenObject)
        default: break
        }
        misuse("A query can't compare with \(ValueText.withType(value)).")
    }

    private static func constant<Value: _Scalar>(_ value: Value) -> AnyRealmValue? {
        value._withRaw { AnyRealmValue($0, Value._propertyType) }
    }
}

/// A projection of any class, as a value in a condition.
private protocol ObjectView {
    var seenObject: ObjectBase { get }
}

extension Projection: ObjectView {
    fileprivate var seenObject: ObjectBase { rootObject }
}
