/// Reads JSON Lines or a JSON array, whichever the input begins as. Nothing is read before the
/// first record is asked for.
struct JSONReader: RecordReader {
    private var lines: LineReader
    private let fields: [String]
    private var reader: (any RecordReader)?

    /// Reads from the start of `lines`, and gives these fields of each object.
    init(_ lines: LineReader, fields: [String]) {
        self.lines = lines
        self.fields = fields
    }

    var byteCount: UInt64 { reader?.byteCount ?? 0 }
    var totalByteCount: UInt64? { lines.totalByteCount }
    var unit: String { reader?.unit ?? "line" }

    mutating func next() throws -> Result<InputRecord, InvalidRecord>? {
        if reader == nil {
            reader =
                try lines.firstByte() == UInt8(ascii: "[")
                ? JSONArrayReader(lines, fields: fields) : JSONLinesReader(lines, fields: fields)
        }
        return try reader?.next()
    }
}
