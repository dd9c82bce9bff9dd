import TravertineJSON

/// Reads JSON Lines: one JSON object a line. Empty lines are skipped.
struct JSONLinesReader: RecordReader {
    private var lines: LineReader
    private let fieldNames: [[UInt8]]
    private var isFirst = true

    /// Reads from `lines`, and gives these fields of each object.
    init(_ lines: LineReader, fields: [String]) {
        self.lines = lines
        fieldNames = fields.map { Array($0.utf8) }
    }

    var byteCount: UInt64 { lines.byteCount }
    var totalByteCount: UInt64? { lines.totalByteCount }
    var unit: String { lines.unit }

    mutating func next() throws -> Result<InputRecord, InvalidRecord>? {
        while let line = try lines.next() {
            let text = Self.trimmed(line)
            if text.isEmpty { continue }
            if isFirst { try checkForm(text) }
            isFirst = false
            return Self.record(text, number: lines.lineNumber, fieldNames)
        }
        return nil
    }

    /// The record that a text is, with the fields of these names.
    static func record(
        _ text: [UInt8], number: Int, _ fieldNames: [[UInt8]]
    ) -> Result<InputRecord, InvalidRecord> {
        do throws(JSONFailure) {
            var fields = [InputRecord.Field?](repeating: nil, count: fieldNames.count)
            for member in try JSONMember.members(of: text) {
                // By bytes: `String` takes "é" of one scalar and of two for equal.
                for (place, wanted) in fieldNames.enumerated()
                where member.name.utf8.elementsEqual(wanted) {
                    if fields[place] != nil {
                        throw JSONFailure(
                            "the field “\(member.name)” occurs twice",
                            offset: member.value.lowerBound)
                    }
                    fields[place] = try field(member, text)
                }
            }
            return .success(InputRecord(line: number, json: text, fields: fields))
        } catch {
            return .failure(
                InvalidRecord(line: number, reason: "\(error.reason) (column \(error.offset + 1))"))
        }
    }

    private static func field(
        _ member: JSONMember, _ text: [UInt8]
    ) throws(JSONFailure) -> InputRecord.Field {
        let value = text[member.value]
        switch value.first {
        case UInt8(ascii: "\""): return .text(try member.string(in: text))
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .nested(Array(value))
        case UInt8(ascii: "n"): return .null
        default: return .text(Array(value))
        }
    }

    /// Refuses an object that is written over several lines, by its first line: each line would be
    /// a bad record.
    private func checkForm(_ text: [UInt8]) throws {
        guard text == [UInt8(ascii: "{")] else { return }
        let file = lines.name == "standard input" ? "" : " " + lines.name
        throw CommandError(
            ExitStatus.badData,
            """
            \(lines.name) is JSON over several lines, and JSON Lines or an array is needed. To \
            convert it:
              jq -c '.'\(file) > records.jsonl
            Or make objects of its documents: --documents reads this form.
            """)
    }

    /// The line without white space around it, as an array that starts at 0.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
        guard let first = line.firstIndex(where: { !isSpace($0) }),
            let last = line.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(line[first...last])
    }
}
