/// What a column is of: all that a value depends on beside the bytes of its row (N2).
///
/// A property that a row's layout lacks reads as its stored default, null as that or as nil by
/// whether it may be nil; the type's record decides that, and differs between versions that
/// share a node.
struct ColumnSubject: Hashable, Sendable {
    let property: UInt32
    let type: PropertyType
    let isOptional: Bool
    let defaultValue: RawConstant
    /// Whether the rows were verified. A realm that verifies what it reads takes nothing from one
    /// that does not.
    let isVerified: Bool

    /// Nil for a property that has no columns.
    init?(_ slot: Int, _ table: TableState) {
        let property = table.properties[slot]
        guard property.collection == .none, !property.isVarying else { return nil }
        switch property.type {
        case .int, .bool, .date, .double, .float, .object: break
        case .string, .data, .any, .objectId, .decimal128, .UUID, .linkingObjects: return nil
        }
        self.property = property.number
        type = property.type
        isOptional = property.storedType.isOptional
        defaultValue = RawConstant(table.type.defaultValue(at: slot))
        isVerified = table.session.configuration.verification != .none
    }

    var kind: Column.Kind {
        switch type {
        case .double, .float, .date: .double
        default: .integer
        }
    }
}
