import Foundation
import Testing

@testable import StudioServer

@Suite("JSON for the page")
struct JSONTests {
    @Test("every text reads back as it was")
    func textsReadBack() throws {
        let texts = ["", "a\"b\\c/", "\u{0}\u{1F}\n\r\t", "€ 😀 \u{2028}", "</script>"]
        let bytes = JSON.array(texts.map { .string($0) }).bytes
        let read = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String]
        #expect(read == texts)
    }

    @Test("members keep their order, and numbers that JSON lacks are null")
    func shapes() {
        let value = JSON.object([
            ("b", .number(-1)), ("a", .array([.null, .bool(true), .double(.nan), .double(0.5)])),
            ("c", .raw(Array("{}".utf8))),
        ])
        #expect(
            String(decoding: value.bytes, as: UTF8.self)
                == #"{"b":-1,"a":[null,true,null,0.5],"c":{}}"#)
    }
}
