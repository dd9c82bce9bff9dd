import TravertineStore

/// Sorts found rows by descriptors; equal ones stay in the order that they had.
///
/// Nil comes first, then NaN, then numbers; strings and data are ordered by their bytes, which for
/// strings is the order of their Unicode scalars.
struct RowSorter {
    private typealias Reader = (reader: PropertyReader, ascending: Bool)

    private let tables: [TableState]
    /// The readers of each table.
    private let readers: [[Reader]]

    init(_ descriptors: [SortDescriptor], _ tables: [TableState]) {
        self.tables = tables
        readers = tables.map { Self.readers(descriptors, $0) }
    }

    private static func readers(
        _ descriptors: [SortDescriptor], _ table: TableState
    ) -> [Reader] {
        descriptors.map { descriptor in
            let names = descriptor.keyPath.split(separator: ".").map { String($0) }
            let reader = PropertyReader.required(PropertyPath(names: names), table)
            require(
                !reader.hasManyValues && reader.type.type != .object,
                "Cannot sort on key path '\(descriptor.keyPath)': it leads "
                    + "\(reader.hasManyValues ? "through or to a collection" : "to an object").")
            return (reader, descriptor.ascending)
        }
    }

    private struct Item {
        /// The first value's place in the order; exact for numbers, the first bytes for strings.
        var prefix: UInt64
        var isNull: Bool
        var position: Int
    }

    /// The positions of the rows in sorted order.
    func order(_ rows: [FoundRow]) throws -> [Int] {
        guard let first = readers[0].first else { return Array(rows.indices) }
        var items: [Item] = []
        items.reserveCapacity(rows.count)
        for (position, row) in rows.enumerated() {
            let value = try value(row, 0)
            items.append(
                Item(
                    prefix: Self.prefix(value, first.reader.type.type), isNull: value.isNull,
                    position: position))
        }
        let isExact = first.reader.type.shape == .word && readers[0].count == 1
        var failure: (any Error)?
        items.sort { left, right in
            if left.isNull != right.isNull { return left.isNull == first.ascending }
            if left.prefix != right.prefix {
                return (left.prefix < right.prefix) == first.ascending
            }
            if isExact { return left.position < right.position }
            do {
                let order = try compare(rows[left.position], rows[right.position])
                return order == 0 ? left.position < right.position : order < 0
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        return items.map(\.position)
    }

    /// The value that a row is sorted by at a position.
    @inline(__always)
    private func value(_ row: FoundRow, _ position: Int) throws -> _RawValue {
        // An entry of a map that is nil.
        if row.isElement { return .null }
        let part = Int(row.part)
        return try readers[part][position].reader.value(
            row.bytes, try tables[part].binding(of: row.bytes))
    }

    private func compare(_ left: FoundRow, _ right: FoundRow) throws -> Int {
        for (position, (reader, ascending)) in readers[0].enumerated() {
            let order = Self.order(
                try value(left, position), try value(right, position), reader.type.type)
            if order != 0 { return ascending ? order : -order }
        }
        return 0
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

    private static func prefix(_ value: _RawValue, _ type: PropertyType) -> UInt64 {
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

    private static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return prefix
    }
}
