#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoredProperty {
    /// A value of the property as messages have it, cut if it is long.
    func text(of value: RawConstant) -> String {
        ValueText.quoted(
            value.withRaw { raw -> Any? in
                if case .null = raw { return nil }
                return collection == .none ? plainValue(raw) : nil
            })
    }

    /// A value of the property that is all in its field: nil for links, and for values of any type.
    /// Null gives 0 or what is empty.
    func plainValue(_ raw: _RawValue) -> Any? { Self.plainValue(raw, of: type) }

    /// As above, of any property of a type.
    static func plainValue(_ raw: _RawValue, of type: PropertyType) -> Any? {
        switch type {
        case .int: Int._from(raw)
        case .bool: Bool._from(raw)
        case .string: String._from(raw)
        case .data: Data._from(raw)
        case .date: Date._from(raw)
        case .float: Float._from(raw)
        case .double: Double._from(raw)
        case .objectId: ObjectId._from(raw)
        case .decimal128: Decimal128._from(raw)
        case .UUID: UUID._from(raw)
        case .object, .any, .linkingObjects: nil
        }
    }
}
