import Testing

@testable import TravertineJSON

@Suite("JSON is scanned word by word")
struct JSONScannerTests {
    private func scan<Value>(
        _ text: String, _ body: (inout JSONScanner) throws(JSONFailure) -> Value
    ) -> Result<Value, JSONFailure> {
        scan(Array(text.utf8), body)
    }

    /// What `body` reads of bytes, all of which it must read.
    private func scan<Value>(
        _ bytes: [UInt8], _ body: (inout JSONScanner) throws(JSONFailure) -> Value
    ) -> Result<Value, JSONFailure> {
        bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONFailure) in
                var scanner = JSONScanner(buffer)
                let value = try body(&scanner)
                try scanner.requireEnd()
                return value
            }
        }
    }

    @Test(
        "a number is an integer of 64 bits, the nearest double, or too large",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("9007199254740993", .integer(1 << 53 + 1)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("9223372036854775809", .tooLarge), ("123456789012345678901234567890", .tooLarge),
            ("1.5", .double(1.5)), ("1e2", .double(100)), ("0.1", .double(0.1)),
            ("-1.25E-3", .double(-0.00125)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("1e309", .tooLarge),
            ("0.30000000000000004", .double(0.1 + 0.2)),
        ] as [(String, JSONNumber)])
    func numbers(text: String, expected: JSONNumber) throws {
        #expect(
            try scan(text) { (scanner) throws(JSONFailure) in try scanner.number() }.get()
                == expected)
        let written = try scan(text) { (scanner) throws(JSONFailure) in try scanner.numberText() }
            .get()
        #expect(written == text)
    }

    @Test(
        "what is no number is refused with its place",
        arguments: [
            ("-", 0), ("01", 0), ("-01", 0), ("1.", 2), ("1e", 2), ("1e+", 3), (".5", 0), ("+1", 0),
        ])
    func noNumbers(text: String, offset: Int) {
        for result in [
            scan(text) { (scanner) throws(JSONFailure) in _ = try scanner.number() },
            scan(text) { (scanner) throws(JSONFailure) in try scanner.skipNumber() },
        ] {
            #expect(throws: JSONFailure.self, "\(text)") { try result.get() }
            if case .failure(let failure) = result { #expect(failure.offset == offset, "\(text)") }
        }
    }

    @Test("a whole number has 64 bits and no sign")
    func wholeNumbers() {
        func whole(_ text: String) -> UInt64? {
            try? scan(text) { (scanner) throws(JSONFailure) in try scanner.wholeNumber() }.get()
        }
        #expect(whole("0") == 0)
        #expect(whole("18446744073709551615") == .max)
        for text in ["18446744073709551616", "-1", "1.0", "1e2", "01", ""] {
            #expect(whole(text) == nil, "\(text)")
        }
    }

    @Test("a text is the same however it is read, with escapes at any place")
    func texts() throws {
        for length in 0..<20 {
            for place in 0...length {
                var text =
                    String(repeating: "é", count: length / 2)
                    + String(repeating: "a", count: length)
                text.insert(
                    contentsOf: "\"\\\n\u{1}😀", at: text.index(text.startIndex, offsetBy: place))
                var json: [UInt8] = []
                JSONText.append(text, to: &json)
                let read = try scan(json) { (scanner) throws(JSONFailure) in try scanner.string() }
                    .get()
                #expect(read == text)
                let bytes = try scan(json) { (scanner) throws(JSONFailure) in
                    try scanner.textBytes()
                }.get()
                #expect(bytes == Array(text.utf8))
                try scan(json) { (scanner) throws(JSONFailure) in try scanner.skipText() }.get()
            }
        }
    }

    @Test(
        "what is no text is refused with its place, in the same way by all that read one",
        arguments: [
            (#""abc"#, "a text does not end", 0), (#""a\"#, "a text does not end", 2),
            (#""a\x""#, "there is no such escape", 2), ("\"a\u{1}\"", "must be escaped", 2),
            ("\"\\n\u{1}\"", "must be escaped", 3), (#""\n"#, "a text does not end", 0),
            (#""\u12g4""#, "four hexadecimal digits expected", 5),
            ("abc", "expected before a text, \"a\" found", 0),
        ])
    func noTexts(text: String, reason: String, offset: Int) {
        for result in [
            scan(text) { (scanner) throws(JSONFailure) in _ = try scanner.string() },
            scan(text) { (scanner) throws(JSONFailure) in _ = try scanner.textBytes() },
            scan(text) { (scanner) throws(JSONFailure) in try scanner.skipText() },
        ] {
            guard case .failure(let failure) = result else {
                Issue.record("\(text)")
                continue
            }
            #expect(failure.reason.contains(reason), "\(text): \(failure)")
            #expect(failure.offset == offset, "\(text): \(failure)")
        }
    }

    @Test("bytes that are not UTF-8 are refused, with an escape before them or without")
    func notUTF8() {
        for text in [[0x22, 0xFF, 0x22], [0x22, 0x5C, 0x6E, 0xC3, 0x22]] as [[UInt8]] {
            let read = scan(text) { (scanner) throws(JSONFailure) in _ = try scanner.string() }
            let skipped = scan(text) { (scanner) throws(JSONFailure) in try scanner.skipText() }
            for result in [read, skipped] {
                #expect(throws: JSONFailure("a text is not UTF-8", offset: 1)) { try result.get() }
            }
        }
    }

    @Test("half of a surrogate pair is none of a text, but JSON by its grammar")
    func surrogates() {
        for text in [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#] {
            let read = scan(text) { (scanner) throws(JSONFailure) in _ = try scanner.string() }
            #expect(throws: JSONFailure("a surrogate without its pair", offset: 1)) {
                try read.get()
            }
            #expect(throws: Never.self) {
                try scan(text) { (scanner) throws(JSONFailure) in try scanner.skipText() }.get()
            }
        }
    }

    @Test("a value is skipped whatever is in it, up to so many levels")
    func skipping() {
        func skip(_ text: String, depthMax: Int = .max) -> JSONFailure? {
            let result = scan(text) { (scanner) throws(JSONFailure) in
                try scanner.skipValue(depthMax: depthMax)
            }
            guard case .failure(let failure) = result else { return nil }
            return failure
        }
        #expect(skip(#" {"a": [1, {"b": null}, "x"], "a": true, "": [[], {}]} "#) == nil)
        #expect(skip("[[1]]", depthMax: 2) == nil)
        #expect(skip("[[[]]]", depthMax: 2) == JSONFailure("more than 2 levels", offset: 2))
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(skip(deep) == nil)
        #expect(skip("[1 2]") == JSONFailure(#""," or "]" expected, "2" found"#, offset: 3))
        #expect(skip("{\"a\": 1,}")?.reason == #"a name in quotes expected, "}" found"#)
        #expect(skip("[1,")?.reason == "a value expected, the end found")
        #expect(skip("[1] 2") == JSONFailure("text after the value", offset: 4))
    }

    @Test("the end of a value is found in more bytes, missed in fewer, and none in others")
    func ends() {
        let text = Array(#"{"a": ["\ud800\n", -1.5e3, true, null, {}]}"#.utf8)
        for count in 0..<text.count {
            let end = text[..<count].withUnsafeBytes { JSONEnd.find(in: $0) }
            #expect(end == .beyond, "\(count)")
        }
        #expect((text + [0x20, 0x7D]).withUnsafeBytes { JSONEnd.find(in: $0) } == .at(text.count))
        #expect(Array("{a: 1} ".utf8).withUnsafeBytes { JSONEnd.find(in: $0) } == .nowhere)
    }
}
