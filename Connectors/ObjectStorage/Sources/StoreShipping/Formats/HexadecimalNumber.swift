/// A number of 64 bits that is written as 16 hexadecimal digits.
struct HexadecimalNumber: Hashable, Sendable {
    let value: UInt64

    init(_ value: UInt64) { self.value = value }

    /// The number of this text; nil if that is not 16 digits.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, let value = UInt64(text, radix: 16), text.first != "+" else {
            return nil
        }
        self.value = value
    }

    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension HexadecimalNumber: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = HexadecimalNumber(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not 16 hexadecimal digits")
        }
        self = number
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
