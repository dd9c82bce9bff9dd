import SegmentLog

/// The bytes that hexadecimal digits stand for; spaces and new lines between them are left out.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { place in
        UInt8(digits[place] << 4 | digits[place + 1])
    }
}

extension SealNonce {
    /// The nonce with these 12 bytes.
    init(bytes: [UInt8]) {
        func number(_ places: Range<Int>) -> UInt64 {
            bytes[places].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(position: UInt32(number(0..<4)), number: number(4..<12))
    }
}
