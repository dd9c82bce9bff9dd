import Testing
import TravertineJSON

@Suite("UTF-8")
struct UTF8TextTests {
    @Test("all sequences of one to three bytes, and the edges of four, are judged as Swift judges")
    func shortSequences() {
        var validCount = 0
        func check(_ bytes: [UInt8]) {
            let text = bytes.withUnsafeBytes { UTF8Text.string($0) }
            let expected = String(validating: bytes, as: UTF8.self)
            if text != expected { Issue.record("\(bytes)") }
            if text != nil { validCount += 1 }
        }
        for first in UInt8.min ... .max {
            check([first])
            for second in UInt8.min ... .max { check([first, second]) }
        }
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
        ]
        for first in edges {
            for second in edges {
                for third in edges {
                    check([first, second, third])
                    for fourth in edges { check([first, second, third, fourth]) }
                }
            }
        }
        #expect(validCount > 15_000)
    }

    @Test("a bad byte is found wherever it stands among ASCII")
    func places() {
        for length in 0..<40 {
            for place in 0..<length {
                var bytes = [UInt8](repeating: 0x61, count: length)
                #expect(bytes.withUnsafeBytes { UTF8Text.isValid($0) })
                bytes[place] = 0xE9
                #expect(!bytes.withUnsafeBytes { UTF8Text.isValid($0) })
            }
        }
    }
}
