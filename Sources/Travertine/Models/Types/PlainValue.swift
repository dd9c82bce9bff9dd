#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of any type that is neither a link nor a collection, as an enum with a case for each
/// type.
protocol PlainValue {
    static func plainInteger(_ value: Int64) -> Self
    static func bool(_ value: Bool) -> Self
    static func float(_ value: Float) -> Self
    static func double(_ value: Double) -> Self
    static func string(_ value: String) -> Self
    static func data(_ value: Data) -> Self
    static func date(_ value: Date) -> Self
    static func objectId(_ value: ObjectId) -> Self
    static func decimal128(_ value: Decimal128) -> Self
    static func uuid(_ value: UUID) -> Self
}

extension PlainValue {
    /// The value with a stored form; nil for null, for links and collections, and for a form that
    /// belongs to another type.
    init?(_ raw: _RawValue, _ type: PropertyType) {
        let value: Self? =
            switch type {
            case .int: Int64._from(raw).map { .plainInteger($0) }
            case .bool: Bool._from(raw).map { .bool($0) }
            case .float: Float._from(raw).map { .float($0) }
            case .double: Double._from(raw).map { .double($0) }
            case .string: String._from(raw).map { .string($0) }
            case .data: Data._from(raw).map { .data($0) }
            case .date: Date._from(raw).map { .date($0) }
            case .objectId: ObjectId._from(raw).map { .objectId($0) }
            case .decimal128: Decimal128._from(raw).map { .decimal128($0) }
            case .UUID: UUID._from(raw).map { .uuid($0) }
            case .object, .linkingObjects, .any: nil
            }
        guard let value else { return nil }
        self = value
    }

    /// The value that `MixedCode` has encoded; nil for none, and for bytes that are no plain value.
    init?(mixed bytes: UnsafeRawBufferPointer) {
        guard let tag = bytes.first, tag > 0, let type = PropertyType(rawValue: Int(tag) - 1)
        else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[1...])
        guard type.shape == .word else {
            self.init(.bytes(payload), type)
            return
        }
        guard payload.count == 8 else { return nil }
        self.init(.word(Int64(littleEndian: payload.loadUnaligned(as: Int64.self))), type)
    }
}

extension AnyRealmValue: PlainValue {
    static func plainInteger(_ value: Int64) -> AnyRealmValue { .int(Int(value)) }
}

extension StoredValue: PlainValue {
    static func plainInteger(_ value: Int64) -> StoredValue { .int(value) }
}
