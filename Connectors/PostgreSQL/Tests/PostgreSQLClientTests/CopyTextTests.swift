import PostgreSQLClient
import PostgreSQLServer
import Testing

struct CopyTextTests {
    private func text(_ body: (inout CopyText) throws -> Void) throws -> String {
        var text = CopyText()
        try body(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func aRowIsFieldsBetweenTabs() throws {
        let written = try text { row in
            row.append(1)
            row.appendNull()
            row.append(true)
            row.append(false)
            try row.append("a\tb\\c")
            row.append(bytea: [0, 0xab, 255])
            row.endRow()
            try row.append("")
            row.append(Int64.min)
            row.append(UInt64.max)
            row.append(0)
            row.endRow()
        }
        #expect(
            written == "1\t\\N\tt\tf\ta\\tb\\\\c\t\\\\x00abff\n"
                + "\t-9223372036854775808\t18446744073709551615\t0\n")
    }

    @Test func numbersHaveTheSpellingsOfTheServer() throws {
        let numbers: [(Double, String)] = [
            (0, "0.0"), (-0.0, "-0.0"), (.nan, "NaN"), (.infinity, "Infinity"),
            (-.infinity, "-Infinity"), (0.1, "0.1"), (1e300, "1e+300"),
            (-1.7976931348623157e308, "-1.7976931348623157e+308"),
            (.leastNonzeroMagnitude, "5e-324"),
        ]
        for (number, spelling) in numbers {
            #expect(try text { $0.append(number) } == spelling)
        }
        #expect(try text { $0.append(Float(0.1)) } == "0.1")
        #expect(try text { $0.append(Float.nan) } == "NaN")
    }

    @Test func aTextWithNULIsRefusedAndLeavesNothing() throws {
        let written = try text { row in
            row.append(1)
            #expect(try failure { try row.append("abc\u{0}def") } == .nulCharacter)
            try row.append("instead")
            row.endRow()
            #expect(try failure { try row.append("\u{0}") } == .nulCharacter)
            row.append(2)
        }
        #expect(written == "1\tinstead\n2")
    }

    @Test func theBufferIsUsedAgain() throws {
        var text = CopyText()
        for _ in 0..<1_000 { try text.append("some text") }
        text.removeAll()
        let start = text.bytes.withUnsafeBytes { $0.baseAddress }
        for _ in 0..<1_000 { try text.append("some text") }
        #expect(text.bytes.withUnsafeBytes { $0.baseAddress } == start)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRowIsReadAsItWasWritten(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let texts = (0..<20).map { _ in random.text(characterCountMax: 30) }
        var text = CopyText()
        for value in texts { try text.append(value) }
        text.endRow()
        let fields = try text.bytes.withUnsafeBytes { bytes in
            try CopyFields.decode(bytes)
        }
        #expect(fields == texts.map { Array($0.utf8) })
    }

    /// Texts are looked at eight bytes at a time.
    @Test(arguments: ["\\", "\t", "\n", "\r", "\u{1}", "\u{E}", "[", "]", "é", "\u{80}", "🦊"])
    func aCharacterIsWrittenAtEachPlaceOfAText(character: String) throws {
        for length in 0..<20 {
            for place in 0...length {
                let value =
                    String(repeating: "a", count: place) + character
                    + String(repeating: "\\", count: (length - place) % 3)
                    + String(repeating: "b", count: length - place)
                var text = CopyText()
                try text.append(value)
                let fields = try text.bytes.withUnsafeBytes { try CopyFields.decode($0) }
                #expect(fields == [Array(value.utf8)])
                #expect(!text.bytes.contains { [0x09, 0x0a, 0x0d].contains($0) })
                let withNUL = value + "\u{0}" + value
                #expect(try failure { try text.append(withNUL) } == .nulCharacter)
            }
        }
    }

    @Test func aFieldThatEndsInTheMiddleIsAnError() throws {
        let error = try failure {
            try Array("a\tb\\\n".utf8).withUnsafeBytes { _ = try CopyFields.decode($0) }
        }
        guard case .malformedValue = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
