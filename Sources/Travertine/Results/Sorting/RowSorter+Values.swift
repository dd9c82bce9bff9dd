/// The order of values, and their first eight bytes in it.
extension RowSorter {
    /// A value with its options applied, to be compared with others.
    struct WholeValue {
        private let raw: _RawValue
        private let key: [UInt8]?

        init(_ raw: _RawValue, _ options: SortDescriptor.Options) {
            self.raw = raw
            if case .bytes(let bytes) = raw, !options.isEmpty {
                key = SortKey.bytes(of: bytes, options)
            } else {
                key = nil
            }
        }

        func order(to other: WholeValue, _ type: PropertyType) -> Int {
            guard let key, let otherKey = other.key else {
                return RowSorter.order(raw, other.raw, type)
            }
            return key.withUnsafeBytes { key in otherKey.withUnsafeBytes { key.order(to: $0) } }
        }
    }

    /// Less than 0, 0, or more than 0: the order of two values of a type.
    static func order(_ left: _RawValue, _ right: _RawValue, _ type: PropertyType) -> Int {
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bytes(let left), .bytes(let right)):
            return left.order(to: right, type: type)
        default:
            let first = prefix(left, type)
            let second = prefix(right, type)
            return first == second ? 0 : first < second ? -1 : 1
        }
    }

    @inline(__always)
    static func prefix(_ value: _RawValue, _ type: PropertyType) -> UInt64 {
        switch value {
        case .null: return 0
        case .word(let word): return IndexKey.ordered(word, type: type)
        case .bytes(let bytes) where type == .decimal128 && bytes.count == 16:
            return UInt64(truncatingIfNeeded: Decimal128(stored: bytes).orderingKey >> 64)
        case .bytes(let bytes) where type == .any:
            return MixedCode.withNormal(bytes) { prefix(of: $0) }
        case .bytes(let bytes): return prefix(of: bytes)
        }
    }

    static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return prefix
    }
}
