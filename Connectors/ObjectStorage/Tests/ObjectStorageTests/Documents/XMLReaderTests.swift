import Testing

@testable import ObjectStorage

@Suite("The XML reader")
struct XMLReaderTests {
    private func read(_ text: String) throws -> XMLElement {
        try XMLReader.document(Array(text.utf8))
    }

    @Test("Elements, text, attributes and comments are read")
    func document() throws {
        let root = try read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment -->
            <a xmlns="http://example" b='>'><b>one</b><c/><b>t<!-- - -->w<![CDATA[<&o>]]></b ></a>

            """)
        #expect(root.name == "a")
        #expect(root.all("b").map(\.text) == ["one", "tw<&o>"])
        #expect(root["c"] == XMLElement(name: "c"))
        #expect(root["d"] == nil)
    }

    @Test("The predefined entities and character references are replaced")
    func references() throws {
        #expect(try read("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F642;</a>").text == "<>&\"'A🙂")
    }

    @Test(
        "What S3 never sends is refused",
        arguments: [
            "", " ", "text", "<a>", "<a", "<a></b>", "</a>", "<a/><b/>", "<a/>text", "<a>&foo;</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///x\"><a/>",
            "<a><?php ?></a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&amp</a>",
            "<a b></a>", "<a b=c/>", "<a b='1' b='2'/>", "<a b='<'/>", "<a b='1'c='2'/>", "<1/>",
            "<a>]]></a>", "<a><!-- -- --></a>", "<a><![CDATA[</a>", "<a>\u{1}</a>", "<a b='1/>",
            "<a>&#+65;</a>", "<a></a", "<a>\u{FFFE}</a>",
        ])
    func refused(text: String) {
        #expect(throws: XMLReader.Failure.self) { try read(text) }
    }

    @Test("A document that is not UTF-8 is refused")
    func notUTF8() {
        let bytes = Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)
        #expect(throws: XMLReader.Failure.self) { try XMLReader.document(bytes) }
    }

    @Test("Depth, number of elements and size are limited")
    func limits() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(throws: Never.self) { try read(nested(XMLReader.depthMax)) }
        #expect(throws: XMLReader.Failure.self) { try read(nested(XMLReader.depthMax + 1)) }
        #expect(throws: XMLReader.Failure.self) { try read(nested(100_000)) }
        let many = String(repeating: "<b/>", count: XMLReader.elementCountMax)
        #expect(throws: XMLReader.Failure.self) { try read("<a>\(many)</a>") }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: XMLReader.byteCountMax + 1)
        #expect(throws: XMLReader.Failure.self) { try XMLReader.document(large) }
    }

    @Test("Damaged documents are read or refused, and never stop the program")
    func damage() {
        var generator = SeededGenerator(seed: announcedSeed())
        let document = Array(
            """
            <?xml version="1.0"?><a b="c&amp;"><!-- d --><e>&#65;<![CDATA[f]]></e><g/></a>
            """.utf8)
        for _ in 0..<3_000 {
            var bytes = document
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 2: bytes.removeSubrange(index...)
                default: bytes.insert(document.randomElement(using: &generator)!, at: index)
                }
                if bytes.isEmpty { break }
            }
            _ = try? XMLReader.document(bytes)
        }
    }
}
