/// Lines of CSV as RFC 4180 has them.
enum CSVText {
    /// A line with its end; nil is an empty field, an empty text a pair of quotes.
    static func line(_ fields: [String?]) -> [UInt8] {
        // A line of one empty field would be an empty line.
        let isSingle = fields.count == 1
        let texts = fields.map { field in
            guard let field else { return isSingle ? "\"\"" : "" }
            return field.isEmpty || field.utf8.contains(where: mustQuote) ? quoted(field) : field
        }
        return Array((texts.joined(separator: ",") + "\r\n").utf8)
    }

    private static func mustQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0a || byte == 0x0d
    }

    private static func quoted(_ text: String) -> String {
        var result: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { result.append(byte) }
            result.append(byte)
        }
        return String(decoding: result + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
