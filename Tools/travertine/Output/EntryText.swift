import TravertineJSON

/// A key and its value on one line.
enum EntryText {
    /// Key, tab, value; without a value only the key.
    static func line(key: [UInt8], value: [UInt8]?, isHex: Bool) -> String {
        let text = ByteText.shown(key, isHex: isHex)
        guard let value else { return text }
        return text + "\t" + ByteText.shown(value, isHex: isHex)
    }

    /// A JSON object.
    static func json(key: [UInt8], value: [UInt8]?, isHex: Bool) -> String {
        var text: [UInt8] = [UInt8(ascii: "{")]
        append("key", key, isHex: isHex, to: &text)
        if let value {
            text.append(UInt8(ascii: ","))
            append("value", value, isHex: isHex, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends `"name":"text"`, or `"nameHex":"digits"` if the bytes are not UTF-8.
    private static func append(
        _ name: String, _ bytes: [UInt8], isHex: Bool, to target: inout [UInt8]
    ) {
        let isText = !isHex && String(validating: bytes, as: UTF8.self) != nil
        JSONText.append(name: isText ? name : name + "Hex", to: &target)
        JSONText.append(utf8: isText ? bytes : Array(ByteText.hex(bytes).utf8), to: &target)
    }
}
