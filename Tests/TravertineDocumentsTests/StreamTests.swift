import Testing

@testable import TravertineDocuments

@Suite("Streams of documents")
struct StreamTests {
    /// Pieces of every size give the same documents and errors.
    private func outcomes(
        _ format: DocumentStream.Format, _ bytes: [UInt8], pieceByteCount: Int
    ) throws -> [String] {
        var rest = bytes[...]
        var stream = DocumentStream(format) {
            defer { rest = rest.dropFirst(pieceByteCount) }
            return Array(rest.prefix(pieceByteCount))
        }
        var outcomes: [String] = []
        while true {
            do {
                guard let document = try stream.next() else { break }
                outcomes.append(document.description)
            } catch let error as DocumentError {
                outcomes.append(error.description)
            }
            try #require(outcomes.count < 1_000)
        }
        #expect(try stream.next() == nil)
        #expect(stream.documentCount == outcomes.count)
        return outcomes
    }

    private func check(
        _ format: DocumentStream.Format, _ bytes: [UInt8], _ expected: [String]
    ) throws {
        for count in [1, 2, 3, 7, 100, 1 << 20] {
            let found = try outcomes(format, bytes, pieceByteCount: count)
            #expect(found == expected, "\(count): \(found)")
        }
    }

    @Test("documents stand on lines, with any space between them, or in an array")
    func shapes() throws {
        let two = [#"{"a":1}"#, #"{"a":"é\"}"}"#]
        for text in [
            "{\"a\":1}\n{\"a\":\"é\\\"}\"}\n", " {\"a\":\n1}{\"a\":\"é\\u0022}\"}",
            "\n\n{\"a\":1}  {\"a\":\"é\\\"}\"}",
            "[{\"a\":1},{\"a\":\"é\\\"}\"}]", " [ {\"a\":1}\n,\n{\"a\":\"é\\\"}\"} ] \n",
        ] {
            try check(.extendedJSON, Array(text.utf8), two)
        }
        for text in ["", " \n", "[]", " [ ] "] { try check(.extendedJSON, Array(text.utf8), []) }
    }

    @Test("bad lines are named with their place in the stream and skipped")
    func badLines() throws {
        let text = """
            {"a":1}
            {"a":?}
            {"a":3
            {"a":4}
            7 8
              {"a": "x\u{1}y"}
            {"$oid":"1"} {"a":5}
            {"a":6} nonsense
            {"a":7}
            """
        try check(
            .extendedJSON, Array(text.utf8),
            [
                #"{"a":1}"#, "invalid JSON at line 2, column 6 (byte 13): a value expected",
                "invalid JSON at line 4, column 1 (byte 23): "
                    + "\",\" or \"}\" expected, \"{\" found",
                #"{"a":4}"#, "invalid JSON at line 5, column 1 (byte 31): a document expected",
                "invalid JSON at line 6, column 11 (byte 45): "
                    + "a control character in a text must be escaped",
                "invalid JSON at line 7, column 1 (byte 50): this is no value for \"$oid\"",
                #"{"a":5}"#,
                #"{"a":6}"#, "invalid JSON at line 8, column 9 (byte 79): \"null\" expected",
                #"{"a":7}"#,
            ])
    }

    @Test("a byte order mark at the beginning is skipped, and only there")
    func byteOrderMark() throws {
        try check(
            .extendedJSON, Array("\u{FEFF}{\"a\":1}\n\u{FEFF}{\"a\":2}\n{\"a\":3}".utf8),
            [
                #"{"a":1}"#, "invalid JSON at line 2, column 1 (byte 11): a value expected",
                #"{"a":3}"#,
            ])
        try check(
            .extendedJSON, Array("\u{FEFF}[{\"a\":1}]".utf8), [#"{"a":1}"#])
        try check(
            .extendedJSON, Array("\u{FEFF}{\"a\":?}".utf8),
            ["invalid JSON at line 1, column 6 (byte 8): a value expected"])
    }

    @Test("text in place of BSON is reported, with its byte order mark")
    func textForBSON() throws {
        for (text, advice) in [
            ("\u{FEFF}{\"a\":1}", "begin with a byte order mark, as text does"),
            ("{\"a\":1}", "this looks like JSON"), ("[{}]", "this looks like JSON"),
        ] {
            let found = try outcomes(.bson, Array(text.utf8), pieceByteCount: 3)
            #expect(found.count == 1 && found[0].contains(advice), "\(found)")
        }
        let document = try (["a": 1] as Document).bson()
        let found = try outcomes(.bson, [0xEF, 0xBB, 0xBF] + document, pieceByteCount: 3)
        #expect(found.count == 1 && found[0].contains("byte order mark"), "\(found)")
    }

    @Test("what is wrong in an array, or at the end, is the last thing")
    func badEnds() throws {
        for (text, reason) in [
            ("[{}", "does not end"), ("[{},", "does not end"), ("[", "does not end"),
            ("[{},]", "a value expected"), ("[{} {}]", "\",\" expected"), ("[{}] 1", "text after"),
            ("[] 1", "text after"), ("[1, {}]", "a document expected"),
            ("[{\"a\":?},{}]", "value"),
            ("{} {\"a\":1", "\",\" or \"}\" expected"), ("{} {\"a\":\"", "does not end"),
            ("{} {", "expected"),
        ] {
            for count in [1, 3, 100] {
                let found = try outcomes(.extendedJSON, Array(text.utf8), pieceByteCount: count)
                #expect(found.last?.contains(reason) == true, "\(text): \(found)")
                #expect(found.filter { $0.hasPrefix("invalid") }.count == 1, "\(text): \(found)")
            }
        }
    }

    @Test("BSON documents follow each other, and bad ones with a sound length are skipped")
    func bson() throws {
        let first = try (["a": 1] as Document).bson()
        let bad: [UInt8] = [8, 0, 0, 0, 0x20, 97, 0, 0]
        try check(
            .bson, first + bad + first + [9, 0],
            [
                #"{"a":1}"#, "invalid BSON at byte 16: there is no type 32", #"{"a":1}"#,
                "invalid BSON at byte 32: a document ends in its length",
            ])
        try check(.bson, [4, 0, 0, 0, 0], ["invalid BSON at byte 0: a document of 4 bytes"])
        try check(
            .bson, [0, 0, 0, 0x40, 0], ["invalid BSON at byte 0: a document of 1073741824 bytes"])
        try check(
            .bson, first + [9, 0, 0, 0, 1],
            [#"{"a":1}"#, "invalid BSON at byte 12: a document of 9 bytes has 5"])
        try check(.bson, [], [])
    }

    @Test("errors of the source come through, and the stream goes on where it was")
    func sourceErrors() throws {
        struct Interruption: Error {}
        var pieces: [[UInt8]?] = [Array("{\"a\"".utf8), nil, Array(":1}".utf8), []]
        var stream = DocumentStream(.extendedJSON) {
            guard let piece = pieces.removeFirst() else { throw Interruption() }
            return piece
        }
        #expect(throws: Interruption.self) { try stream.next() }
        #expect(try stream.next() == ["a": 1])
        #expect(stream.offset == 7 && stream.documentCount == 1)
        // An array, interrupted at every byte.
        let text = Array(" [ {\"a\":1} , {} ] ".utf8)
        for place in 0...text.count {
            var pieces: [[UInt8]?] = [Array(text[..<place]), nil, Array(text[place...]), []]
            if place == 0 { pieces.removeFirst() }
            var stream = DocumentStream(.extendedJSON) {
                guard let piece = pieces.isEmpty ? [] : pieces.removeFirst() else {
                    throw Interruption()
                }
                return piece
            }
            var documents: [Document] = []
            var isOver = false
            while !isOver {
                do {
                    if let document = try stream.next() {
                        documents.append(document)
                    } else {
                        isOver = true
                    }
                } catch is Interruption {}
            }
            #expect(documents == [["a": 1], [:]], "\(place)")
        }
    }

    @Test("a long document in small pieces is not begun anew for each of them")
    func longDocument() throws {
        let text = "{\"a\":[" + Array(repeating: "1", count: 100_000).joined(separator: ",") + "]}"
        var rest = Array(text.utf8)[...]
        var stream = DocumentStream(.extendedJSON) {
            defer { rest = rest.dropFirst(16) }
            return Array(rest.prefix(16))
        }
        #expect(try stream.next()?["a"]?.arrayValue?.count == 100_000)
        #expect(stream.attemptCount < 20)
    }
}
