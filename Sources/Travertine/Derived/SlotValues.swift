/// The values of an object by slot, as what is derived from a row reads them.
protocol SlotValues {
    /// Whether there is an object.
    static var isPresent: Bool { get }
    /// The value of a slot; null for a missing object.
    func value(at slot: Int) -> _RawValue
}

/// No object: there was none before a change, or there is none after it.
struct NoValues: SlotValues {
    static var isPresent: Bool { false }
    @inline(__always)
    func value(at slot: Int) -> _RawValue { .null }
}

/// The values of a row.
struct RowValues: SlotValues {
    let table: TableState
    let row: UnsafeRawBufferPointer
    let binding: LayoutBinding

    static var isPresent: Bool { true }
    @inline(__always)
    func value(at slot: Int) -> _RawValue { table.value(at: slot, in: row, binding) }
}

/// The values of a row with another one in one slot.
struct ChangedRowValues: SlotValues {
    let values: RowValues
    let slot: Int
    let raw: _RawValue

    static var isPresent: Bool { true }
    @inline(__always)
    func value(at slot: Int) -> _RawValue { slot == self.slot ? raw : values.value(at: slot) }
}

/// The values of a row of a stored type that no session has a table of.
struct StoredRowValues: SlotValues {
    let row: UnsafeRawBufferPointer
    let binding: LayoutBinding
    let defaults: StoredDefaults
    let type: StoredObjectType

    static var isPresent: Bool { true }

    func value(at slot: Int) -> _RawValue {
        guard let raw = binding.value(at: slot, in: row) else { return defaults[slot] }
        if case .null = raw, !type.properties[slot].isOptional { return defaults[slot] }
        return raw
    }
}
