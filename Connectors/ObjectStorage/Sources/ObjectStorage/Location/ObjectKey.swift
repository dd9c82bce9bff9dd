/// The rules for keys.
///
/// S3 takes any 1 to 1024 bytes of UTF-8. Refused besides is what one of its interfaces, or a
/// proxy, does not carry unchanged: segments `.` and `..`, and control characters, which XML 1.0
/// cannot express.
enum ObjectKey {
    /// The longest key, with the store's prefix, in bytes of UTF-8.
    static let byteCountMax = 1024

    /// Why a whole key is refused, to follow a noun; nil if it is not.
    static func objection(to key: String) -> String? {
        if key.isEmpty { return "is empty" }
        if key.utf8.count > byteCountMax { return "is longer than \(byteCountMax) bytes" }
        if key.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return "has a control character"
        }
        if key.unicodeScalars.contains(where: { $0.value == 0xFFFE || $0.value == 0xFFFF }) {
            return "has a character that XML cannot express"
        }
        // By bytes: a combining mark after a slash makes one character with it.
        let segments = key.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isRelative = segments.contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
        if isRelative { return "has a segment '.' or '..'" }
        return nil
    }
}
