import PostgreSQLClient
import Testing

@testable import PostgreSQLSync

@Suite("Names that are all different")
struct NameAllocatorTests {
    @Test("a name that is taken gets a number")
    func numbers() throws {
        var names = NameAllocator(taken: ["a"])
        #expect(try names.name("a") == "a_2")
        #expect(try names.name("a") == "a_3")
        #expect(try names.name("a_2") == "a_2_2")
        #expect(try names.name("A") == "A")
        names.reserve("b")
        #expect(try names.name("b") == "b_2")
    }

    @Test("names that are too long differ, within the bytes that there are")
    func long() throws {
        var names = NameAllocator()
        let long = String(repeating: "é", count: 40)
        let made = try [long + "1", long + "2", long + "1"].map { try names.name($0) }
        #expect(Set(made).count == 3)
        #expect(made.allSatisfy { $0.utf8.count <= 63 })
    }

    @Test("a table also takes the name of the index of its primary key")
    func tables() throws {
        var names = NameAllocator(tables: ["a"])
        #expect(try names.table("a_pkey") == "a_pkey_2")
        let long = String(repeating: "x", count: 63)
        #expect(try names.table(long) == long)
        let index = String(repeating: "x", count: 58) + "_pkey"
        #expect(try names.table(index) != index)
    }

    @Test("an empty name, and one with U+0000, is none")
    func invalid() {
        var names = NameAllocator()
        #expect(throws: PostgreSQLError.invalidIdentifier) { try names.name("") }
        #expect(throws: PostgreSQLError.invalidIdentifier) { try names.name("a\0") }
    }

    @Test("a quotation mark is doubled, also before a combining accent")
    func quoted() {
        #expect("a\"b".quoted == "\"a\"\"b\"")
        let text = "\"\u{301}; DROP".quoted
        #expect(Array(text.utf8.prefix(3)) == [0x22, 0x22, 0x22])
    }
}
