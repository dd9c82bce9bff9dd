/// What a column is of: all that a value depends on beside the bytes of its row (C-Q2).
///
/// A property that a row's layout lacks reads as its stored default, null as that or as nil by
/// whether it may be nil; the type's record decides that, and differs between versions that
/// share a node.
struct ColumnSubject: Hashable, Sendable {
    /// How texts are folded.
    let folding: StringOptions
    let property: UInt32
    let type: PropertyType
    let isOptional: Bool
    let defaultValue: RawConstant
    /// Whether the rows were verified. A realm that verifies what it reads takes nothing from one
    /// that does not.
    let isVerified: Bool

    /// Nil for a property that has no columns.
    init?(_ source: ColumnSource, _ table: TableState) {
        let slot = source.slot
        let property = table.properties[slot]
        guard property.collection == .none, !property.isVarying else { return nil }
        switch property.type {
        case .int, .bool, .date, .double, .float, .object, .string: break
        case .data, .any, .objectId, .decimal128, .UUID, .linkingObjects: return nil
        }
        folding = source.folding
        self.property = property.number
        type = property.type
        isOptional = property.storedType.isOptional
        defaultValue = RawConstant(table.type.defaultValue(at: slot))
        isVerified = table.session.configuration.verification != .none
    }

    var isText: Bool { type == .string }

    /// What it takes in memory, about.
    var byteCount: Int {
        if case .bytes(let bytes) = defaultValue { return 128 + bytes.count }
        return 96
    }

    var kind: Column.Kind {
        switch type {
        case .double, .float, .date: .double
        default: .integer
        }
    }
}

/// A property of one table as columns have it: its texts as they are or folded.
struct ColumnSource: Equatable {
    let slot: Int
    var folding: StringOptions = []
}
