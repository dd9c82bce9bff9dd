import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Results {
    /// What a least or greatest value is taken from.
    func accumulateBounds<Value: MinMaxType>(_ name: String, _: Value.Type) -> _AggregateAccumulator
    {
        accumulate(name) { type in
            require(
                type == Value._accumulatedType,
                "Cannot take the least or greatest value of '\(name)' as \(Value.self): it is "
                    + "\(type).")
        }
    }

    /// What a sum or mean is made of. A floating-point number can be that of any numbers.
    func accumulateNumbers<Value: AddableType>(_ name: String, _: Value.Type)
        -> _AggregateAccumulator
    {
        let isReal = Value._accumulatedType == .double || Value._accumulatedType == .float
        return accumulate(name) { type in
            require(
                type == Value._accumulatedType || isReal && type != .date,
                "Cannot add up '\(name)' as \(Value.self): it is \(type).")
        }
    }

    private func accumulate(
        _ name: String, _ check: (PropertyType) -> Void
    ) -> _AggregateAccumulator {
        state.read(_AggregateAccumulator()) {
            require(
                state.source?.element == nil,
                "Cannot aggregate '\(name)': the elements are values, which have no properties.")
            var accumulator = _AggregateAccumulator()
            if state.source != nil || state.descriptors.leavesOutRows {
                let rows = try state.all()
                let readers = state.tables.map { AggregatedProperty(reader(name, $0, check)) }
                for row in rows where !row.isElement {
                    let binding = try state.table(of: row).binding(of: row.bytes)
                    try readers[Int(row.part)].add(row.bytes, binding, to: &accumulator)
                }
                return accumulator
            }
            for part in [state] + state.derived {
                let property = AggregatedProperty(reader(name, part.table, check))
                if part.predicate == nil,
                    let summary = try property.summary(of: part.table)
                {
                    accumulator.add(summary)
                    continue
                }
                try part.forEachMatch { _, row in
                    try property.add(row, try part.table.binding(of: row), to: &accumulator)
                    return true
                }
            }
            return accumulator
        }
    }

    private func reader(
        _ name: String, _ table: TableState, _ check: (PropertyType) -> Void
    ) -> PropertyReader {
        let reader = AggregatedProperty.reader(name, table)
        check(reader.type.type)
        return reader
    }
}

/// A property whose values are added as reading it gives them.
struct AggregatedProperty {
    private let reader: PropertyReader
    let type: PropertyType
    /// The numbers of a narrow integer type: for any other one, reading gives zero, or nil.
    private let range: ClosedRange<Int64>?

    init(_ reader: PropertyReader) {
        self.reader = reader
        type = reader.type.type
        range = reader.narrowRange
    }

    /// What all values of a table amount to, from columns; nil if these don't have the property.
    func summary(of table: TableState) throws -> PropertySummary? {
        guard let slot = reader.directSlot, !QueryPlanning.isScanOnly else { return nil }
        let session = table.session
        let access = try session.access
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        return try PropertySummary.of(slot, table, access, range: range)
    }

    /// The reader of a number or date by its name; stops for what can't be aggregated.
    static func reader(_ name: String, _ table: TableState) -> PropertyReader {
        let reader = PropertyReader.required(KeyPathSteps.path(of: name), table)
        let type = reader.type.type
        require(
            !reader.hasManyValues,
            "Cannot aggregate '\(name)': it leads through or to a collection.")
        require(
            type == .decimal128 || type.shape == .word && type != .object && type != .bool,
            "Cannot aggregate '\(name)': it is \(type), not a number or a date.")
        return reader
    }

    @inline(__always)
    func add(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding,
        to accumulator: inout _AggregateAccumulator
    ) throws {
        add(try reader.value(row, binding), to: &accumulator)
    }

    /// The slot, if the property is one of the row itself.
    var directSlot: Int? { reader.directSlot }

    /// Adds a value as the row has it.
    @inline(__always)
    func add(_ raw: _RawValue, to accumulator: inout _AggregateAccumulator) {
        if let range, case .word(let word) = raw, !range.contains(word) {
            return accumulator.add(reader.type.isOptional ? .null : .word(0), type)
        }
        accumulator.add(raw, type)
    }
}

extension _AggregatedCollection {
    /// The values as reading each object gives them: of unmanaged ones, and of values of any type.
    private func read<Value: _HasPersistedType>(_ name: String, _: Value.Type)
        -> _AggregateAccumulator
    where Value.PersistedType: MinMaxType {
        var accumulator = _AggregateAccumulator()
        for element in _aggregatedElements {
            guard let found = element._object?.value(forKeyPath: name) else { continue }
            let stored =
                (found as? Value)?._persisted ?? Value.PersistedType._accumulable(found)
                ?? persisted(found).flatMap { Value.PersistedType._accumulable($0) }
            stored?._accumulate(into: &accumulator)
        }
        return accumulator
    }

    /// What is stored for a value of a custom type.
    private func persisted(_ value: Any) -> Any? { (value as? any _HasPersistedType)?._persisted }

    fileprivate func bounds<Value: _HasPersistedType>(_ name: String, _ type: Value.Type)
        -> _AggregateAccumulator
    where Value.PersistedType: MinMaxType {
        realm == nil || Value.PersistedType._accumulatedType == .any
            ? read(name, type) : _aggregatedResults.accumulateBounds(name, Value.PersistedType.self)
    }

    fileprivate func numbers<Value: _HasPersistedType>(_ name: String, _ type: Value.Type)
        -> _AggregateAccumulator
    where Value.PersistedType: AddableType {
        realm == nil || Value.PersistedType._accumulatedType == .any
            ? read(name, type)
            : _aggregatedResults.accumulateNumbers(name, Value.PersistedType.self)
    }

    /// The least value of a property, or nil if there is none, or none that `Value` can hold.
    /// `Value` must be its type.
    public func min<Value: _HasPersistedType>(ofProperty name: String) -> Value?
    where Value.PersistedType: MinMaxType {
        bounds(name, Value.self).least()
    }

    /// The greatest value of a property, or nil if there is none, or none that `Value` can hold.
    /// `Value` must be its type.
    public func max<Value: _HasPersistedType>(ofProperty name: String) -> Value?
    where Value.PersistedType: MinMaxType {
        bounds(name, Value.self).greatest()
    }

    /// The sum of a property; 0 for none. `Value` must be its type, or `Double` or `Float`. Stops
    /// if it has no value for the sum, as `+` does: that of small integers can be an `Int`.
    public func sum<Value: _HasPersistedType>(ofProperty name: String) -> Value
    where Value.PersistedType: AddableType {
        numbers(name, Value.self).sum()
    }

    /// The mean of a property, or nil if there is no value. `Value` must be its type, or `Double`
    /// or `Float`.
    public func average<Value: _HasPersistedType>(ofProperty name: String) -> Value?
    where Value.PersistedType: AddableType {
        numbers(name, Value.self).mean()
    }
}

extension Results where Element: ObjectBase {
    /// The least value of a property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        min(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The least value of an optional property, or nil if there is none.
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        min(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The greatest value of a property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        max(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The greatest value of an optional property, or nil if there is none.
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        max(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The sum of a property; 0 for none. Stops if its type has no
    /// value for the sum.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        sum(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The sum of an optional property, nil counting nothing; 0 for none. Stops if its type has no
    /// value for the sum.
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: AddableType {
        sum(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of a property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        numbers(KeyPathTracer.requiredName(of: keyPath), Value.self).mean()
    }

    /// The mean of an optional property, or nil if there is no value.
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value?>) -> Double?
    where Value.PersistedType: AddableType {
        numbers(KeyPathTracer.requiredName(of: keyPath), Value.self).mean()
    }

    /// The mean of a decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128>) -> Decimal128? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of an optional decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128?>) -> Decimal128? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }
}
