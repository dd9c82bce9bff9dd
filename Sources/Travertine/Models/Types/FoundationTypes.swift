#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Data: _Scalar, _Indexable {
    /// Bytes.
    public static var _propertyType: PropertyType { .data }

    /// No bytes.
    public static func _defaultValue() -> Data { Data() }

    /// The bytes with this stored form.
    public static func _from(_ raw: _RawValue) -> Data? {
        if case .bytes(let bytes) = raw { return Data(bytes) }
        return nil
    }

    /// Calls `body` with the bytes.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        withUnsafeBytes { body(.bytes($0)) }
    }

    /// Arrays of bytes.
    public static func _from(any value: Any) -> Data? { (value as? [UInt8]).map { Data($0) } }
}

extension Date: _Scalar, _Indexable {
    /// Points in time; stored as the seconds since 2001, so that what is read equals what was set.
    public static var _propertyType: PropertyType { .date }

    /// The present moment, as RealmSwift has it.
    public static func _defaultValue() -> Date { Date() }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Date {
        Date(timeIntervalSinceReferenceDate: Double._read(object, fieldOffset))
    }

    /// The date with this stored form.
    public static func _from(_ raw: _RawValue) -> Date? {
        Double._from(raw).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// Calls `body` with the stored form.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        timeIntervalSinceReferenceDate._withRaw(body)
    }
}

extension UUID: _Scalar, _Indexable, _PrimaryKey {
    /// Universally unique identifiers.
    public static var _propertyType: PropertyType { .UUID }

    /// A new identifier.
    public static func _defaultValue() -> UUID { UUID() }

    /// The identifier with this stored form.
    public static func _from(_ raw: _RawValue) -> UUID? {
        guard case .bytes(let bytes) = raw, bytes.count == 16 else { return nil }
        var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
        return UUID(uuid: uuid)
    }

    /// Calls `body` with the sixteen bytes.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        withUnsafeBytes(of: uuid) { body(.bytes($0)) }
    }

    /// The usual text form.
    public static func _from(any value: Any) -> UUID? {
        (value as? String).flatMap { UUID(uuidString: $0) }
    }
}

extension Data: RealmCollectionValue, _PrimaryKey {}
extension Date: RealmCollectionValue {}
extension UUID: RealmCollectionValue {}
