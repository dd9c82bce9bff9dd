/// Looks at eight bytes of a text at once.
@usableFromInline
enum JSONBytes {
    /// Whether a byte can't be in a text as it is: a quote, a backslash or a control character.
    @inlinable @inline(__always)
    static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether such a byte is among eight.
    ///
    /// A byte above 127 may count as one after a real one only, never hide one.
    @inlinable @inline(__always)
    static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- ones &* 0x20) & ~word)
        return found & tops != 0
    }

    /// The offset of the first such byte from an offset on; the count if there is none.
    @inlinable @inline(__always)
    static func firstSpecial(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset + 8 <= bytes.count,
            !hasSpecial(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        {
            offset += 8
        }
        while offset < bytes.count, !isSpecial(bytes[offset]) { offset += 1 }
        return offset
    }
}
