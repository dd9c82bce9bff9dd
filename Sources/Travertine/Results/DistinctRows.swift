import TravertineStore

/// Takes the first of rows that have equal values.
final class DistinctRows: RowStage {
    /// The name that means the element itself.
    static let itself = "self"

    private let state: ResultsState
    /// The paths to the properties; none where objects themselves are compared.
    private let paths: [PropertyPath]
    /// The readers of the properties in each table that was found so far.
    private var readers: [UInt32: [PropertyReader]] = [:]
    /// The values of one property.
    private var values: DistinctValues?
    /// The keys of several properties, or of objects.
    private var seen: Set<[UInt8]> = []
    private var key = IndexKey()

    init(_ names: [String], _ state: ResultsState) {
        self.state = state
        paths = names.contains(Self.itself) ? [] : names.map { KeyPathSteps.path(of: $0) }
        super.init()
        for (part, table) in state.tables.enumerated() {
            readers[UInt32(part)] = paths.map { Self.reader($0, table) }
        }
        if paths.count == 1 { values = readers[0]?.first.map { DistinctValues($0.type.type) } }
    }

    private static func reader(_ path: PropertyPath, _ table: TableState) -> PropertyReader {
        do throws(QueryProblem) {
            return try checkedReader(path, table)
        } catch {
            misuse(error.message)
        }
    }

    private static func checkedReader(
        _ path: PropertyPath, _ table: TableState
    ) throws(QueryProblem) -> PropertyReader {
        let reader = try PropertyReader(path, table)
        if reader.hasManyValues {
            throw QueryProblem(
                message: "Cannot make key path '\(path)' distinct: it leads through or to a "
                    + "collection.")
        }
        return reader
    }

    /// Throws what keeps a name from making rows of tables distinct.
    static func check(_ name: String, _ tables: [TableState]) throws(QueryProblem) {
        if name == itself { return }
        let path = try KeyPathSteps.checkedPath(of: name)
        for table in tables { _ = try checkedReader(path, table) }
    }

    /// Whether no row before had the same values.
    override func takes(_ row: FoundRow) throws -> Bool {
        if row.isElement { return seen.insert([]).inserted }
        key.removeAll()
        if paths.isEmpty {
            key.append(UInt64(row.part))
            key.append(row.key)
            return seen.insert(key.bytes).inserted
        }
        let table = state.table(of: row)
        let binding = try table.binding(of: row.bytes)
        let readers = readers[row.part] ?? paths.map { Self.reader($0, table) }
        self.readers[row.part] = readers
        if values != nil {
            let value = try readers[0].value(row.bytes, binding, row.key)
            return values?.number(of: value).isNew ?? true
        }
        for reader in readers {
            key.append(
                try reader.value(row.bytes, binding, row.key), type: reader.type.type,
                prefixByteCountMax: .max)
        }
        return seen.insert(key.bytes).inserted
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
