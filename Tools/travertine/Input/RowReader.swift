/// Reads the rows of a query: a line for each, which is a JSON object, or a JSON string that says
/// why there is none.
struct RowReader: RecordReader {
    private var lines: LineReader
    private let fieldNames: [[UInt8]]

    /// Reads from `lines`, and gives these fields of each row.
    init(_ lines: LineReader, fields: [String]) {
        self.lines = lines
        fieldNames = fields.map { Array($0.utf8) }
    }

    var byteCount: UInt64 { lines.byteCount }
    var totalByteCount: UInt64? { lines.totalByteCount }
    var unit: String { lines.unit }

    mutating func next() throws -> Result<InputRecord, InvalidRecord>? {
        var next = try lines.next()
        while let line = next, line.isEmpty { next = try lines.next() }
        guard let line = next else { return nil }
        if let reason = ServerQuery.refusal(in: line) {
            return .failure(InvalidRecord(line: lines.lineNumber, reason: reason))
        }
        return JSONLinesReader.record(Array(line), number: lines.lineNumber, fieldNames)
    }
}
