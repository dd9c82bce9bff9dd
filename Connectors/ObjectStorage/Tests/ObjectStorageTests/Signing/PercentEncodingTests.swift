import Testing

@testable import ObjectStorage

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("All bytes but the unreserved ones are encoded, with upper-case digits")
    func encoding() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("a b/c+é") == "a%20b%2Fc%2B%C3%A9")
        #expect(PercentEncoding.encode("a b/c", keepsSlashes: true) == "a%20b/c")
    }

    @Test("Decoding reverses encoding for any text")
    func roundTrip() {
        var generator = SeededGenerator(seed: announcedSeed())
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<20, using: &generator) {
                let number = UInt32.random(in: 1...0x2_FFFF, using: &generator)
                text.unicodeScalars.append(Unicode.Scalar(number) ?? "x")
            }
            #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        }
    }

    @Test("A percent sign without two digits is refused", arguments: ["%", "%4", "a%zz", "%4g"])
    func incomplete(text: String) { #expect(PercentEncoding.decode(text) == nil) }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() { #expect(PercentEncoding.decode("%FF%FE") == nil) }

    @Test("A plus sign is a space only where that is asked for")
    func plus() {
        #expect(PercentEncoding.decode("a+b%2B") == "a+b+")
        #expect(PercentEncoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
    }
}
