/// Makes bytes of a text whose order is that of the text under options.
enum SortKey {
    /// The bytes of a text: folded, and each number in it as a 0 digit, the count of its digits,
    /// and these. A longer number is greater, and other characters keep their places before and
    /// after digits.
    static func bytes(
        of text: UnsafeRawBufferPointer, _ options: SortDescriptor.Options
    ) -> [UInt8] {
        var folding: StringOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        let folded = TextFolding.withFolded(text, folding) { Array($0) }
        return options.contains(.numeric) ? numeric(folded) : folded
    }

    private static func numeric(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: isDigit) else { return text }
        var key: [UInt8] = []
        key.reserveCapacity(text.count + 8)
        var position = 0
        while position < text.count {
            guard isDigit(text[position]) else {
                key.append(text[position])
                position += 1
                continue
            }
            while position < text.count, text[position] == zero { position += 1 }
            let start = position
            while position < text.count, isDigit(text[position]) { position += 1 }
            key.append(zero)
            var count = position - start
            // As many of the greatest byte as it takes, so that counts of any size keep their
            // order.
            while count >= 255 {
                key.append(255)
                count -= 255
            }
            key.append(UInt8(count))
            key += text[start..<position]
        }
        return key
    }

    private static let zero = UInt8(ascii: "0")

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}
