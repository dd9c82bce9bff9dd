#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EncryptionKey {
    /// The variable that programs of Travertine take a key from, as text.
    public static let environmentVariable = "TRAVERTINE_KEY"

    /// The bytes of a key as people keep it: 64 bytes, or the same as 128 hexadecimal digits or
    /// Base64, in which white space does not count; nil if it is none of these.
    public static func bytes(decoding contents: some Sequence<UInt8>) -> [UInt8]? {
        let contents = Array(contents)
        if contents.count == byteCount { return contents }
        let space = Set(" \t\r\n".utf8)
        let digits = contents.filter { !space.contains($0) }
        let found = hexadecimal(digits) ?? Data(base64Encoded: Data(digits)).map { Array($0) }
        return found?.count == byteCount ? found : nil
    }

    private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count == 2 * byteCount else { return nil }
        let values = digits.map { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).reduce(into: [UInt8]()) { bytes, place in
            guard let high = values[place], let low = values[place + 1] else { return }
            bytes.append(UInt8(high << 4 | low))
        }
    }
}
