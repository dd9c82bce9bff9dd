extension JSONObjectScanner {
    /// The text of a string whose quotes are taken off and whose escapes were scanned before.
    static func unescaped(_ escaped: ArraySlice<UInt8>) throws(JSONSyntaxError) -> [UInt8] {
        guard escaped.contains(UInt8(ascii: "\\")) else { return Array(escaped) }
        var result: [UInt8] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0c)
            case UInt8(ascii: "n"): result.append(0x0a)
            case UInt8(ascii: "r"): result.append(0x0d)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                let column = rest.startIndex
                guard let scalar = scalar(&rest) else {
                    throw JSONSyntaxError(column: column, reason: "half of a surrogate pair")
                }
                result.append(contentsOf: String(scalar).utf8)
            default: result.append(kind)
            }
        }
        return result
    }

    /// The scalar of four hexadecimal digits, or of a surrogate pair; nil for half of a pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        let first = codeUnit(&rest)
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else {
            return nil
        }
        let second = codeUnit(&rest)
        guard UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(
            0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
    }

    private static func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.reduce(0) { $0 << 4 | UInt16(ByteText.hexDigitValue($1) ?? 0) }
    }
}
