import TestSupport
import Testing

@testable import TravertineDocuments

/// After a bad document the next one is read, if its beginning is certain; in no case is anything
/// inside a bad document taken for a document.
@Suite("After bad documents")
struct BadDocumentTests {
    /// What a stream gives: keys of documents, -1 for errors, and 0 if the rest is cut off.
    private func keys(
        _ text: String, pieceByteCount: Int,
        lookAheadByteCountMax: Int = DocumentStream.documentByteCountMax
    ) throws -> [Int] {
        var rest = Array(text.utf8)[...]
        var stream = DocumentStream(.extendedJSON) {
            defer { rest = rest.dropFirst(pieceByteCount) }
            return Array(rest.prefix(pieceByteCount))
        }
        stream.lookAheadByteCountMax = lookAheadByteCountMax
        var keys: [Int] = []
        while true {
            do {
                guard let document = try stream.next() else { break }
                keys.append(document["_id"]?.intValue ?? 99)
            } catch is DocumentError {
                keys.append(-1)
            }
            try #require(keys.count < 100)
        }
        #expect(stream.documentCount == keys.count)
        return keys + (stream.isCutOff ? [0] : [])
    }

    private func expect(_ expected: [Int], _ text: String) throws {
        for count in [1, 3, 64, 1 << 20] {
            let found = try keys(text, pieceByteCount: count)
            #expect(found == expected, "\(count): \(text)")
        }
    }

    // MARK: JSON Lines

    @Test("in JSON Lines a bad document is its line")
    func lines() throws {
        try expect([1, -1, 3], "{\"_id\": 1}\n{\"_id\": 2, \"a\": ?}\n{\"_id\": 3}\n")
        try expect([-1, 3], "{\"_id\": 2, \"a\": {\"b\" 1}}\n{\"_id\": 3}\n")
        try expect([1, -1, 3], "{\"_id\": 1}\r\n{\"_id\": 2,}\r\n{\"_id\": 3}\r\n")
        try expect([-1, 3], "{\"a\": [}\n{\"_id\": 3}")
        try expect([-1, -1, 3], "{\"_id\": 1,,}\n\n{\"_id\": 2,,}\n{\"_id\": 3}")
        // Without its end, as a crash leaves it; also several, and the last one.
        try expect([1, -1, 3, 4], "{\"_id\": 1}\n{\"_id\": 2, \"a\n{\"_id\": 3}\n{\"_id\": 4}")
        try expect([-1, 3], "{\"_id\": 2, \"a\": [1, {\"_id\": 7}\n\n{\"_id\": 3}\n")
        try expect([-1, -1, 3], "{\"_id\": 1, \"a\n{\"_id\": 2, \"b\": 4\n{\"_id\": 3}\n")
        try expect([1, -1], "{\"_id\": 1}\n{\"_id\": 2, \"a\": [\n")
        try expect([1, -1], "{\"_id\": 1}\n{\"_id\": 2, \"a\n")
        // What is no document at all.
        try expect(
            [1, -1, -1, -1, 3], "{\"_id\": 1}\nFailure (a.js:1)\n  at [b]\n  at c\n{\"_id\": 3}\n")
        try expect([1, -1, 3], "{\"_id\": 1} nonsense {\"_id\": 2}\n{\"_id\": 3}\n")
    }

    @Test("space after a bad document is searched for as many bytes as a document may have")
    func space() throws {
        for (byteCount, expected) in [(900, [-1, 3]), (1100, [-1, 0])] {
            let bad = "{\n  \"a\": \"x\n}\n"
            let space = String(repeating: " ", count: byteCount)
            for text in ["\(bad)\(space){\"_id\": 3}\n", "\(bad){\(space)\"_id\": 3}\n"] {
                let found = try keys(text, pieceByteCount: 64, lookAheadByteCountMax: 1000)
                #expect(found == expected, "\(byteCount)")
            }
        }
    }

    // MARK: Documents on several lines

    @Test("an indented document ends with its bracket in the first column, and counts once")
    func indented() throws {
        let good = "{\n  \"_id\": 3\n}\n"
        for bad in [
            "{\n  \"_id\": 2,\n  \"inner\": {\"_id\": 7},\n  \"a\": ?\n}\n",
            "{\n  \"a\": ?,\n  \"list\": [\n    {\"_id\": 7},\n    {\n      \"_id\": 8\n    }\n  ]\n}\n",
            "{\n\t\"a\" 1,\n\n\t\"b\": {\n\t\t\"_id\": 7\n\t}\n}\r\n",
            "{ \"a\": ?,\n  \"list\": [\n  {\"_id\": 7}\n  ]\n}\n",
            "{\n  \"a\": \"x\ny\"\n}\n".replacing("x\ny", with: "x\u{1}}"),
        ] {
            try expect([3, -1, 3], good + bad + good)
            try expect([-1, 3, 3], bad + good + good)
        }
    }

    @Test("a document whose brackets match ends with the line that closes it")
    func brackets() throws {
        for bad in [
            "{\"a\": ?, \"list\": [\n{\"_id\": 7},\n{\"_id\": 8}\n]}\n",
            "{\"list\": [\n{\"_id\": 7}\n{\"_id\": 8}\n]}\n",
            "{\"list\": [{\"_id\": 6}\n{\"_id\": 7}\n]}\n",
            "{\n\"a\": ?,\n\"b\":\n{\"_id\": 7}\n}\n", "{\n\"a\": ?\n}\n",
            "{\n  \"a\": {\n    \"x\": ?\n}\n,  \"c\": [\n{\"_id\": 7}\n]\n}\n",
            "{\n  \"a\": \"x\",\n  \"b\": \"y,\n  \"c\": {\"_id\": 7}\n}\n",
        ] {
            try expect([1, -1, 9], "{\"_id\": 1}\n\(bad){\"_id\": 9}\n")
            try expect([-1, 9], "\(bad){\"_id\": 9}\n")
        }
        try expect([1, -1, 9], "{\"_id\": 1} {\n\"a\": ?\n}\n{\"_id\": 9}")
    }

    @Test("a document that is JSON, but no Extended JSON, ends where it ends, in an array too")
    func grammatical() throws {
        let bad = "{\"_id\": {\"$oid\": \"x\"}, \"a\": [\n{\"_id\": 7}\n]\n}"
        try expect([1, -1, 3], "{\"_id\": 1}\(bad){\"_id\": 3}")
        try expect([1, -1, 3], "[{\"_id\": 1}, \(bad), {\"_id\": 3}]")
        try expect([-1, 3], "[\(bad)\n,{\"_id\": 3}]")
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        try expect([-1, 3], "{\"a\": \(deep)} {\"_id\": 3}")
        try expect([-1, 3], "{\"a\": {\"_id\": 7}, \"a\": {\"_id\": 8}}\n{\"_id\": 3}")
        // Half of a surrogate pair is no text, but JSON by its grammar.
        try expect([-1, 3], "[{\"a\": [{\"_id\": 7}, \"\\ud800\"]}, {\"_id\": 3}]")
        try expect([-1], "[\(bad)]")
        try expect([-1, -1, 0], "[\(bad) {\"_id\": 3}]")
    }

    // MARK: Where there is no end

    @Test("where the end is not certain, the rest is skipped and nothing in it is read")
    func uncertain() throws {
        for bad in [
            // Quotes that are open at the end of a line.
            "{\"a\": \"x\"y\", \"b\": [\n{\"_id\": 7}\n]}\n",
            "{\n\"a\": \"x,\n\"b\": [\n{\"_id\": 7}\n]\n}\n",
            // Brackets that do not match, so that the last one may close something else.
            "{\n  \"a\": [\n  {\"_id\": 7}\n}\n",
            "{\n\"a\": ],\n\"b\": [\n{\"_id\": 7}\n]\n}\n",
            // Lines that only begin like documents.
            "{\"a\": ?,\n{\"_id\": 7}, \"b\": [ {\"c\": \"x\"\" } ] }\n",
            // Something after the last bracket.
            "{\n  \"a\": ?\n}, {\n  \"_id\": 8\n}\n",
            "{\n\"x\":\n\"k\": 5}, \"c\": [\n{\"_id\": 7}\n]\n}\n",
            // Without its end.
            "{\n  \"a\": ?\n{\n  \"_id\": 7\n}\n",
        ] {
            try expect([1, -1, 0], "{\"_id\": 1}\n\(bad){\"_id\": 9}\n")
            try expect([-1, 0], "\(bad){\"_id\": 9}\n")
        }
        // An inner bracket is missing, so that the next one seems to be the end.
        try expect([-1, -1, 0], "{\n\"x\":\n\"k\": 5\n}\n,\"c\": [\n{\"_id\": 7}\n]\n}\n")
    }

    @Test("a text with line ends hides what it holds, if its own quotes are escaped")
    func rawLineEnds() throws {
        for bad in [
            "{\"a\": \"x\n{}\ny\"}\n", "{\"a\": \"x\n{\\\"_id\\\": 7}\ny\"}\n",
            "{\"a\": \"x\n{}\n", "{\"a\": \"x\n[]\n{}\ny\"}\n",
            "{\n  \"a\": \"x\n}\n{}\n  y\",\n  \"b\": 1\n}\n",
            // Even if they are not, where a line shows it.
            "{\"a\": \"x\n{\"_id\": 7}\ny\"}\n",
        ] {
            try expect([1, -1, 0], "{\"_id\": 1}\n\(bad){\"_id\": 9}\n")
        }
        // A text that ends on its line says nothing against the lines after it.
        try expect([-1, 9], "{\"a\": \"x\\n{}\", ?}\n{\"_id\": 9}\n")
    }

    @Test("comments and texts in other quotes that hide brackets make the end uncertain")
    func comments() throws {
        for bad in [
            "{\"a\": 1, \"b\": // }\n{\"_id\": 7}\n}\n",
            "{\"a\": 1, \"b\": # }\n{\"_id\": 7}\n}\n",
            "/* not these:\n{\"_id\": 7}\n*/\n", "{'a': '}',\n{\"_id\": 7}\n, 'c': '{' }\n",
            "{\n  \"a\": { // {\n  }\n}\n{\"_id\": 7}\n}\n", "{`}`:\n{\"_id\": 7}\n, `{`}\n",
            "{\"a\": 1, \"b\": // say \"}\n{\"_id\": 7}\n}\n",
        ] {
            try expect([1, -1, 0], "{\"_id\": 1}\n\(bad){\"_id\": 9}\n")
        }
        for bad in [
            "{\"a\": ?} // no", "{'_id': 2, 'name': 'x'}", "# a comment", "// another",
            "{\"a\": 1 /}",
            "a path: /tmp/x", "It can't be read",
        ] {
            try expect(
                [1, -1, 9],
                "{\"_id\": 1}\n\(bad)\n{\"_id\": 9}\n".replacing(
                    "{\"a\": ?} // no", with: "{\"a\": ? } // no"))
        }
    }

    @Test("a bad document of BSON ends where its length says if its values do")
    func lengths() throws {
        func keys(_ bytes: [UInt8]) throws -> [Int] {
            var stream = DocumentStream(.bson, bytes)
            var keys: [Int] = []
            while true {
                do {
                    guard let document = try stream.next() else { break }
                    keys.append(document["_id"]?.intValue ?? 99)
                } catch is DocumentError {
                    keys.append(-1)
                }
            }
            return keys + (stream.isCutOff ? [0] : [])
        }
        let good = try (["_id": 9] as Document).bson()
        let values: Document = [
            "a": 1, "b": .int64(2), "c": 1.5, "d": "text", "e": .null, "f": true,
            "g": .objectId(.generate()), "h": .decimal128(1), "i": [1, "x"], "j": ["_id": 7],
            "k": .binary(.init([1, 2])),
            "l": .regex(BSONRegularExpression(pattern: "a", options: "i")),
            "m": .javascriptWithScope(BSONCode("x", scope: ["_id": 7])), "n": .minKey,
            "o": .pointer(BSONPointer(collection: "a", id: .generate())), "p": .symbol("s"),
            "q": .timestamp(BSONTimestamp(seconds: 1, increment: 2)), "z": ["text": "x"],
        ]
        let bytes = try values.bson()
        // The last text is not UTF-8.
        var wrong = bytes
        wrong[try #require(wrong.lastIndex(of: UInt8(ascii: "x")))] = 0xFF
        #expect(try keys(wrong + good) == [-1, 9])
        // Lengths that end the document in its middle: what follows there is inside it.
        for count in 5..<bytes.count {
            var cut = bytes
            withUnsafeBytes(of: Int32(count).littleEndian) { cut.replaceSubrange(0..<4, with: $0) }
            #expect(try keys(cut + good) == [-1, 0], "\(count)")
        }
        // And beyond its end.
        var long = bytes
        withUnsafeBytes(of: Int32(bytes.count + good.count).littleEndian) {
            long.replaceSubrange(0..<4, with: $0)
        }
        #expect(try keys(long + good + good) == [-1, 0])
    }

    @Test("what is left of a document that ended too early is not read")
    func endedEarly() throws {
        try expect([99, -1, 0], "{\"a\": {\"b\": 1}}, \"c\": [\n{\"_id\": 7}\n]}\n{\"_id\": 9}\n")
        try expect([99, -1, 0], "{\"a\": {\"b\": 1}}\n, \"c\":\n{\"_id\": 7}}\n{\"_id\": 9}\n")
        try expect([1, -1, 0], "{\"_id\": 1}, {\n  \"b\": [\n    {\"_id\": 7}\n  ]\n}\n")
    }

    @Test("what a document that is cut off holds is not read")
    func cutOff() throws {
        for text in [
            "{\n  \"list\": [\n    {\"_id\": 7},\n    {\"_id\": 8}\n",
            "{\n  \"x\": ?,\n  \"list\": [\n    {\"_id\": 7}\n",
            "{\"x\": ?, \"list\": [\n{\"_id\": 7},\n{\"_id\"",
            "{\"list\":\n{\"_id\": 7}\n",
        ] {
            try expect([-1, 0], text)
            try expect([1, -1, 0], "{\"_id\": 1}\n" + text)
        }
        for text in ["[{\"_id\": 1}, {\"a\": ?, \"b\": {\"_id\": 7}}, {\"_id\": 3}]"] {
            try expect([1, -1, 0], text)
        }
    }

    @Test("whatever byte of a text is wrong, nothing inside a document is read as one")
    func damage() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("bad documents, seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<10_000 {
            let layout = Layout.allCases[random.below(Layout.allCases.count)]
            var text = (0..<4).map { _ in Self.document(&random, layout) }.joined(separator: "\n")
            var bytes = Array(text.utf8)
            let place = random.below(bytes.count)
            let byte = Array("{}[]\",: \nx1\\".utf8)[random.below(12)]
            switch random.below(3) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(byte, at: place)
            default: bytes[place] = byte
            }
            text = String(decoding: bytes, as: UTF8.self)
            var stream = DocumentStream(.extendedJSON, bytes)
            var isAtEnd = false
            while !isAtEnd {
                do {
                    let document = try stream.next()
                    isAtEnd = document == nil
                    #expect(document?["inner"] == nil, "seed \(seed): \(text)")
                } catch is DocumentError {}
            }
        }
    }

    private enum Layout: CaseIterable {
        case line
        case indented
        case unindented
        case compact
    }

    /// A document with others inside, each of which has the name "inner".
    private static func document(_ random: inout SeededRandom, _ layout: Layout) -> String {
        let newline = layout == .line ? " " : "\n"
        func object(_ members: [String], _ depth: Int) -> String {
            let indent = layout == .indented ? String(repeating: "  ", count: depth) : ""
            if layout == .compact, depth > 1 { return "{" + members.joined(separator: ", ") + "}" }
            return "{" + newline
                + members.map { indent + "  " + $0 }.joined(separator: "," + newline)
                + newline + indent + "}"
        }
        var members = ["\"root\": 1", "\"text\": \"a{[b]}\\\"c\""]
        for index in 0..<random.below(3) {
            members.append("\"o\(index)\": " + object(["\"inner\": 1", "\"a\": []"], 1))
        }
        for index in 0..<random.below(3) {
            let elements = (0..<random.below(3)).map { _ in object(["\"inner\": \"x\""], 2) }
            members.append(
                "\"l\(index)\": [" + newline + elements.joined(separator: "," + newline) + newline
                    + "]")
        }
        return object(members, 0)
    }

    @Test("many bad lines are skipped in time that grows with the text")
    func many() throws {
        // In turns with good ones, and many in a row.
        let bad = "{\"_id\": 1, \"a\n"
        let text = Array(
            (String(repeating: bad + "{\"_id\": 2}\n", count: 3_000)
                + String(repeating: bad, count: 3_000) + "{\"_id\": 2}\n").utf8)
        var stream = DocumentStream(.extendedJSON, text)
        var (badCount, goodCount, isAtEnd) = (0, 0, false)
        while !isAtEnd {
            do {
                isAtEnd = try stream.next() == nil
                if !isAtEnd { goodCount += 1 }
            } catch is DocumentError {
                badCount += 1
            }
        }
        #expect(badCount == 6_000 && goodCount == 3_001 && !stream.isCutOff)
    }
}
