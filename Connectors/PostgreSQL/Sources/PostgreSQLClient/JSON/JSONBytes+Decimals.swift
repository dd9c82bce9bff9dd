extension JSONBytes {
    /// Appends JSON in which numbers that a double would round are decimals of Extended JSON.
    ///
    /// A number with a fraction or an exponent stays as it is if the double that is nearest has the
    /// same digits in its shortest form; so every number that was made of a double stays one.
    static func append(
        keepingDecimalsOf text: UnsafeRawBufferPointer, to bytes: inout [UInt8]
    ) {
        var (place, isInString) = (0, false)
        while place < text.count {
            let byte = text[place]
            if isInString {
                // What is escaped is not looked at, so that no quote of it ends the string.
                let end = min(text.count, place + (byte == UInt8(ascii: "\\") ? 2 : 1))
                bytes.append(contentsOf: text[place..<end])
                isInString = byte != UInt8(ascii: "\"")
                place = end
            } else if byte == UInt8(ascii: "-") || isDigit(byte) {
                let end = text[place...].firstIndex { !isPartOfNumber($0) } ?? text.count
                append(number: text[place..<end], to: &bytes)
                place = end
            } else {
                isInString = byte == UInt8(ascii: "\"")
                bytes.append(byte)
                place += 1
            }
        }
    }

    private static func append(
        number text: Slice<UnsafeRawBufferPointer>, to bytes: inout [UInt8]
    ) {
        let isInteger = text.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
        let nearest = Double(String(decoding: text, as: UTF8.self))
        if isInteger || nearest.map({ digits("\($0)".utf8) == digits(text) }) == true {
            bytes.append(contentsOf: text)
            return
        }
        bytes.append(contentsOf: #"{"$numberDecimal":""#.utf8)
        bytes.append(contentsOf: text)
        bytes.append(contentsOf: #""}"#.utf8)
    }

    /// The digits of a number, without an exponent, and without zeros at either end.
    private static func digits(_ text: some Sequence<UInt8>) -> [UInt8] {
        let mantissa = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var digits = mantissa.filter(isDigit).drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return Array(digits)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        isDigit(byte) || "+-.eE".utf8.contains(byte)
    }
}
