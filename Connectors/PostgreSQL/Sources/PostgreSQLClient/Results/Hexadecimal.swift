/// The form in which `bytea` is read and written: `\x` and two digits for each byte.
enum Hexadecimal {
    static let digits: StaticString = "0123456789abcdef"

    /// The bytes; nil if the text does not have that form.
    static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 2, text.count.isMultiple(of: 2), text[0] == 0x5c, text[1] == 0x78
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2 - 1)
        for offset in stride(from: 2, to: text.count, by: 2) {
            guard let high = digit(text[offset]), let low = digit(text[offset + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x61...0x66: character - 0x61 + 10
        case 0x41...0x46: character - 0x41 + 10
        default: nil
        }
    }
}
