import TravertineStore

extension [ResultsDescriptor] {
    /// The descriptors with one more. What is sorted again keeps the former order among equals, so
    /// that two sorts in a row are one.
    func adding(_ descriptor: ResultsDescriptor) -> [ResultsDescriptor] {
        guard case .sorted(let new) = descriptor, case .sorted(let former) = last else {
            return self + [descriptor]
        }
        let names = Set(new.map(\.keyPath))
        return dropLast() + [.sorted(new + former.filter { !names.contains($0.keyPath) })]
    }

    /// Whether rows are left out.
    var hasDistinct: Bool {
        contains {
            if case .distinct = $0 { return true }
            return false
        }
    }
}

/// Takes the first of rows that have equal values.
struct DistinctRows {
    /// The name that means the element itself.
    static let itself = "self"

    private let tables: [TableState]
    /// The readers of each table; none where objects themselves are compared.
    private let readers: [[PropertyReader]]

    init(_ names: [String], _ tables: [TableState]) {
        self.tables = tables
        let names = names.contains(Self.itself) ? [] : names
        readers = tables.map { table in names.map { Self.reader($0, table) } }
    }

    private static func reader(_ keyPath: String, _ table: TableState) -> PropertyReader {
        let reader = PropertyReader.required(
            PropertyPath(names: keyPath.split(separator: ".")), table)
        require(
            !reader.hasManyValues,
            "Cannot make key path '\(keyPath)' distinct: it leads through or to a collection.")
        return reader
    }

    /// The first of each rows with equal values, in the order of the rows.
    func first(of rows: [FoundRow]) throws -> [FoundRow] {
        var seen: Set<[UInt8]> = []
        return try rows.filter { seen.insert(try identity(of: $0)).inserted }
    }

    /// Bytes that are the same for rows with equal values.
    private func identity(of row: FoundRow) throws -> [UInt8] {
        if row.isElement { return [] }
        let part = Int(row.part)
        var key = IndexKey()
        if readers[part].isEmpty {
            key.append(UInt64(row.part))
            key.append(row.key)
            return key.bytes
        }
        let binding = try tables[part].binding(of: row.bytes)
        for reader in readers[part] {
            key.append(
                try reader.value(row.bytes, binding), type: reader.type.type,
                prefixByteCountMax: .max)
        }
        return key.bytes
    }
}

extension IndexKey {
    /// Bytes that are the same for equal values of a type.
    static func identity(of raw: _RawValue, _ type: PropertyType) -> [UInt8] {
        var key = IndexKey()
        key.append(raw, type: type, prefixByteCountMax: .max)
        return key.bytes
    }
}
