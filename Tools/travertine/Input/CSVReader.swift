import TravertineJSON

/// Reads comma-separated values (RFC 4180): a header line with the names, then a record a line.
///
/// A field in quotes may hold the delimiter, line ends and doubled quotes. A record becomes a JSON
/// object whose members are all strings, in the order of the header. Empty lines are skipped.
/// For objects, a field in which nothing is written is null, as `export` writes nil.
struct CSVReader: RecordReader {
    private var lines: LineReader
    private let delimiter: UInt8
    private let columns: [[UInt8]]
    private let fieldPlaces: [Int?]
    private let hasNulls: Bool

    /// Reads from `lines`, and gives these fields of each record.
    ///
    /// - Parameters:
    ///   - columns: the names, if the file has no header line.
    ///   - hasNulls: whether an empty field without quotes is null, and not an empty text.
    /// - Throws: for a missing or bad header, and for a name that is there twice.
    init(
        _ lines: LineReader, delimiter: UInt8, columns: [String]?, fields: [String],
        hasNulls: Bool
    ) throws {
        var lines = lines
        self.delimiter = delimiter
        self.hasNulls = hasNulls
        if let columns {
            self.columns = columns.map { Array($0.utf8) }
        } else {
            self.columns = try Self.readHeader(&lines, delimiter)
        }
        self.lines = lines
        for (place, name) in self.columns.enumerated() {
            if self.columns[..<place].contains(name) {
                throw CommandError(
                    ExitStatus.badData,
                    "line 1: the header has the column “\(String(decoding: name, as: UTF8.self))” "
                        + "twice. Rename one of them.")
            }
        }
        let names = self.columns
        fieldPlaces = fields.map { names.firstIndex(of: Array($0.utf8)) }
        for (field, place) in zip(fields, fieldPlaces) where place == nil {
            let known = names.map { String(decoding: $0, as: UTF8.self) }
            throw CommandError(
                ExitStatus.badData,
                "the file has no column “\(field)”. It has: \(known.joined(separator: ", ")).")
        }
    }

    var byteCount: UInt64 { lines.byteCount }
    var totalByteCount: UInt64? { lines.totalByteCount }

    mutating func next() throws -> Result<InputRecord, InvalidRecord>? {
        while true {
            guard let row = try Self.readRow(&lines, delimiter) else { return nil }
            switch row.content {
            case .failure(let reason):
                return .failure(InvalidRecord(line: row.line, reason: reason.text))
            case .success(let cells):
                if cells.count == 1, cells[0] == nil { continue }
                return record(cells, line: row.line)
            }
        }
    }

    private func record(_ cells: [[UInt8]?], line: Int) -> Result<InputRecord, InvalidRecord> {
        guard cells.count == columns.count else {
            return .failure(
                InvalidRecord(
                    line: line,
                    reason: "the record has \(cells.count) fields, the header \(columns.count)"))
        }
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (place, cell) in cells.enumerated() {
            let text = cell ?? []
            guard String(validating: text, as: UTF8.self) != nil else {
                return .failure(
                    InvalidRecord(line: line, reason: "field \(place + 1) is not UTF-8"))
            }
            if place > 0 { json.append(UInt8(ascii: ",")) }
            JSONText.append(utf8: columns[place], to: &json)
            json.append(UInt8(ascii: ":"))
            if hasNulls, cell == nil {
                json.append(contentsOf: "null".utf8)
            } else {
                JSONText.append(utf8: text, to: &json)
            }
        }
        json.append(UInt8(ascii: "}"))
        let fields = fieldPlaces.map { place in
            place.map { InputRecord.Field.text(cells[$0] ?? []) }
        }
        return .success(InputRecord(line: line, json: json, fields: fields))
    }

    private static func readHeader(
        _ lines: inout LineReader, _ delimiter: UInt8
    ) throws -> [[UInt8]] {
        guard let row = try readRow(&lines, delimiter) else {
            throw CommandError(
                ExitStatus.badData,
                "the file is empty: a CSV file begins with a header line. For a file without one, "
                    + "give the names with --columns.")
        }
        switch row.content {
        case .failure(let reason):
            throw CommandError(ExitStatus.badData, "line \(row.line): \(reason.text)".asSentence)
        case .success(let cells): return cells.map { $0 ?? [] }
        }
    }
}
