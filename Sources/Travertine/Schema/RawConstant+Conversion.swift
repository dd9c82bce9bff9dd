import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stored forms of values that are given as any type.
extension RawConstant {
    /// The stored form of a value as a property of a type has it, converted if need be; nil if it
    /// has another type.
    init?(_ value: Any, orNilOf type: PropertyType) {
        if isNone(value) {
            self = .null
        } else {
            self.init(value, of: type)
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
            self.init(key, orNilOf: property.type.type)
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
}

extension RawConstant {
    /// The stored form of a value that has the type which properties of a type mostly have, without
    /// looking for a conformance; nil for all others, which must be converted.
    init?(exactly value: Any, of type: PropertyType) {
        let dynamicType = Swift.type(of: value)
        switch type {
        case .int:
            guard dynamicType == Int.self, let value = value as? Int else { return nil }
            self = .word(Int64(value))
        case .double:
            guard dynamicType == Double.self, let value = value as? Double else { return nil }
            self = value._withRaw { RawConstant($0) }
        case .bool:
            guard dynamicType == Bool.self, let value = value as? Bool else { return nil }
            self = value._withRaw { RawConstant($0) }
        case .string:
            guard dynamicType == String.self, let value = value as? String else { return nil }
            self = value._withRaw { RawConstant($0) }
        case .date:
            guard dynamicType == Date.self, let value = value as? Date else { return nil }
            self = value._withRaw { RawConstant($0) }
        default: return nil
        }
    }
}

extension RawConstant {
    /// The stored form of a value that a primary key can have.
    static func of(_ value: Any) -> RawConstant {
        if isNone(value) { return .null }
        // A cast unwraps an optional by itself.
        if let scalar = value as? any _Scalar { return scalar._withRaw { RawConstant($0) } }
        if let own = value as? any FailableCustomPersistable { return .of(own.persistableValue) }
        misuse("No primary key is \(ValueText.withType(value)).")
    }
}
