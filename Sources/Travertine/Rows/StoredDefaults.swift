/// What rows have that are older than a property, or have nil of one that can't be nil any more:
/// its stored default, or else zero. At addresses that last as long as this.
final class StoredDefaults {
    private let values: [_RawValue]
    private let memory: [UnsafeMutableRawBufferPointer]

    init(_ properties: [StoredProperty]) {
        var values: [_RawValue] = []
        var memory: [UnsafeMutableRawBufferPointer] = []
        for property in properties {
            property.defaultValue.withRaw { raw in
                if case .null = raw, !property.isOptional {
                    return values.append(.zero(property.storedType.shape))
                }
                guard case .bytes(let bytes) = raw else { return values.append(raw) }
                let copy = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: max(1, bytes.count), alignment: 8)
                copy.copyMemory(from: bytes)
                memory.append(copy)
                values.append(.bytes(UnsafeRawBufferPointer(rebasing: copy[0..<bytes.count])))
            }
        }
        self.values = values
        self.memory = memory
    }

    deinit {
        for copy in memory { copy.deallocate() }
    }

    /// The default of the property at a place.
    @inline(__always)
    subscript(place: Int) -> _RawValue { values[place] }
}

extension ArraySlice<RawConstant> {
    /// Calls `body` with the stored forms of values, all at once.
    func withRaws<Result>(
        _ raws: [_RawValue] = [], _ body: ([_RawValue]) -> Result
    ) -> Result {
        guard let first else { return body(raws) }
        return first.withRaw { dropFirst().withRaws(raws + [$0], body) }
    }
}
