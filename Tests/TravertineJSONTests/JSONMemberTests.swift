import Testing
import TravertineJSON

@Suite("Members of an object are found without a tree")
struct JSONMemberTests {
    private func members(_ text: String) throws -> [(name: String, value: String)] {
        let bytes = Array(text.utf8)
        return try JSONMember.members(of: bytes).map {
            ($0.name, String(decoding: bytes[$0.value], as: UTF8.self))
        }
    }

    @Test("values are as they were written, and names may come twice")
    func values() throws {
        let found = try members(
            #" {"id": 9007199254740993, "\u0061": [1, {}] ,"id":"\ud800", "n":-0e1 } "#)
        #expect(found.map(\.name) == ["id", "a", "id", "n"])
        #expect(found.map(\.value) == ["9007199254740993", "[1, {}]", #""\ud800""#, "-0e1"])
        #expect(try members(" {} ").isEmpty)
    }

    @Test("the text of a value has no escapes, and half of a surrogate pair is refused there")
    func strings() throws {
        let bytes = Array(#"{"a": "x\n\u00e9", "b": "plain", "c": "\ud800"}"#.utf8)
        let members = try JSONMember.members(of: bytes)
        #expect(try members[0].string(in: bytes) == Array("x\né".utf8))
        #expect(try members[1].string(in: bytes) == Array("plain".utf8))
        #expect(throws: JSONFailure.self) { try members[2].string(in: bytes) }
    }

    @Test(
        "what is no object is refused",
        arguments: [
            ("[1]", "an object expected, \"[\" found", 0),
            ("", "an object expected, the end found", 0),
            ("{} x", "text after the value", 3), (#"{"a"}"#, "\":\" expected after a name", 4),
        ])
    func refusals(text: String, reason: String, offset: Int) {
        let failure = #expect(throws: JSONFailure.self) {
            try JSONMember.members(of: Array(text.utf8))
        }
        #expect(failure?.reason.hasPrefix(reason) == true, "\(failure as Any)")
        #expect(failure?.offset == offset)
    }

    @Test("a member has 511 levels at most")
    func depth() throws {
        func nested(_ count: Int) -> String {
            "{\"a\": " + String(repeating: "[", count: count) + String(repeating: "]", count: count)
                + "}"
        }
        #expect(try members(nested(511)).count == 1)
        #expect(throws: JSONFailure("more than 511 levels", offset: 517)) {
            try members(nested(512))
        }
    }
}
