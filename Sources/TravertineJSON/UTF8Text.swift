/// Makes strings of bytes that are UTF-8, and refuses all others.
///
/// The standard library's validating initialiser is generic throughout and looks types up at run
/// time, which costs more than the check; this one reads eight bytes at once while they are ASCII.
public enum UTF8Text {
    /// The string; nil if the bytes are not UTF-8.
    @inlinable @inline(__always)
    public static func string(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard isValid(bytes) else { return nil }
        return String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    /// Whether the bytes are UTF-8.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        var offset = 0
        while offset < count {
            if offset + 8 <= count,
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    & 0x8080_8080_8080_8080 == 0
            {
                offset += 8
            } else if bytes[offset] < 0x80 {
                offset += 1
            } else {
                let length = sequenceLength(bytes, at: offset)
                if length == 0 { return false }
                offset += length
            }
        }
        return true
    }

    /// Where the first bytes are that are not UTF-8; nil if all are.
    public static func invalidOffset(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset < bytes.count {
            let length = bytes[offset] < 0x80 ? 1 : sequenceLength(bytes, at: offset)
            if length == 0 { return offset }
            offset += length
        }
        return nil
    }

    /// The bytes of the scalar that begins here, which is not ASCII; 0 if it is none.
    ///
    /// Refuses longer forms than needed, surrogates, and what is beyond U+10FFFF, all of which
    /// shows in the first two bytes.
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let first = bytes[offset]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard first >= 0xC2, first <= 0xF4, offset + length <= bytes.count else { return 0 }
        let second = bytes[offset + 1]
        let least: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
        let greatest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
        guard least <= second, second <= greatest else { return 0 }
        for index in 2..<max(length, 2) where bytes[offset + index] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
