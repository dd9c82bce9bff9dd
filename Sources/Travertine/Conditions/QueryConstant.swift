import TravertineStore

/// A value in a query, in its stored form.
enum QueryConstant: Hashable {
    case null
    case word(Int64)
    case bytes([UInt8])

    /// The stored form of a value as a property of a type has it, converted if need be; nil if it
    /// has another type.
    init?(_ value: Any, _ type: PropertyType) {
        if isNone(value) {
            self = .null
        } else {
            guard let stored = StoredDefault(value, of: type) else { return nil }
            self.init(stored)
        }
    }

    /// A default in its stored form.
    init(_ stored: StoredDefault) {
        self =
            switch stored {
            case .null: .null
            case .word(let word): .word(word)
            case .bytes(let bytes): .bytes(bytes)
            }
    }

    /// The stored form of a primary key: of what setting the property to it would make of it, or of
    /// the stored value itself; nil if it has another type.
    init?(_ key: Any, of property: ClassInfo.Property) {
        if !isNone(key), let type = property.valueType as? any RealmCollectionValue.Type,
            let value = type._makeElement(from: key), !isNone(value)
        {
            self = .of(value)
        } else {
            self.init(key, property.type.type)
        }
    }

    /// As above, without a cast for the types that keys mostly have.
    init?<Key>(key: Key, of property: ClassInfo.Property) {
        let type = property.type.type
        if Key.self == Int.self, type == .int {
            self = .word(Int64(unsafeBitCast(key, to: Int.self)))
        } else if Key.self == String.self, type == .string {
            self = .bytes(Array(unsafeBitCast(key, to: String.self).utf8))
        } else {
            self.init(key, of: property)
        }
    }

    /// Calls `body` with the stored form.
    func withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        switch self {
        case .null: body(.null)
        case .word(let word): body(.word(word))
        case .bytes(let bytes): bytes.withUnsafeBytes { body(.bytes($0)) }
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
    /// The stored form of a value that a primary key can have.
    static func of(_ value: Any) -> QueryConstant {
        if isNone(value) { return .null }
        // A cast unwraps an optional by itself.
        if let scalar = value as? any _Scalar { return scalar.scalarConstant }
        if let own = value as? any FailableCustomPersistable { return .of(own.persistableValue) }
        misuse("No primary key is \(ValueText.withType(value)).")
    }
}
