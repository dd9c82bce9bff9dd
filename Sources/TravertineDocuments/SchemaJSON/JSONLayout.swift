import TravertineJSON

/// Writes JSON as schema files have it: two spaces for each level, one name or element on a line.
enum JSONLayout {
    /// The text of a value, with a line end.
    static func text(of value: JSONConstant) -> String {
        var bytes: [UInt8] = []
        append(value, level: 0, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ value: JSONConstant, level: Int, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): JSONText.append(text, to: &bytes)
        case .array(let elements):
            append(elements, "[", "]", level: level, to: &bytes) { element, bytes in
                append(element, level: level + 1, to: &bytes)
            }
        case .object(let members):
            append(members, "{", "}", level: level, to: &bytes) { member, bytes in
                JSONText.append(name: member.key, to: &bytes)
                bytes.append(UInt8(ascii: " "))
                append(member.value, level: level + 1, to: &bytes)
            }
        }
    }

    private static func append<Item>(
        _ items: [Item], _ opening: String, _ closing: String, level: Int,
        to bytes: inout [UInt8], _ body: (Item, inout [UInt8]) -> Void
    ) {
        bytes.append(contentsOf: opening.utf8)
        for (index, item) in items.enumerated() {
            bytes.append(contentsOf: (index == 0 ? "\n" : ",\n").utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * (level + 1)))
            body(item, &bytes)
        }
        if !items.isEmpty {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
        }
        bytes.append(contentsOf: closing.utf8)
    }
}
