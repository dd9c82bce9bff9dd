import PostgreSQLClient
import PostgreSQLServer
import Testing

struct SQLIdentifierTests {
    @Test func namesAreQuoted() throws {
        #expect(try SQLIdentifier("people").quoted == "\"people\"")
        #expect(try SQLIdentifier("a\"b").quoted == "\"a\"\"b\"")
        #expect(try SQLIdentifier("a\"b").description == "\"a\"\"b\"")
    }

    @Test(arguments: ["", "\u{0}", "a\u{0}b"])
    func whatCannotBeANameIsRefused(name: String) throws {
        #expect(try failure { _ = try SQLIdentifier(name) } == .invalidIdentifier)
    }

    @Test func aLongNameIsCutBetweenCharactersAndStaysDistinct() throws {
        let whole = String(repeating: "x", count: 63)
        #expect(try SQLIdentifier(whole).name == whole)
        // The same on all machines and in all versions: tables are found again by it.
        #expect(
            try SQLIdentifier(whole + "x").name
                == String(repeating: "x", count: 46) + "_b96a5acbb56db825")
        for character in ["é", "€", "🦊"] {
            let long = String(repeating: character, count: 64)
            let names = try ["a", "b", ""].map { try SQLIdentifier(long + $0).name }
            #expect(Set(names).count == 3)
            for name in names {
                #expect(name.utf8.count <= SQLIdentifier.byteCountMax)
                #expect(name.utf8.count > SQLIdentifier.byteCountMax - 4)
                #expect(!name.contains("\u{FFFD}"))
                #expect(name.hasPrefix(character))
            }
        }
    }

    @Test func identifiersAreEqualIfTheirBytesAre() throws {
        let (one, two) = (try SQLIdentifier("é"), try SQLIdentifier("e\u{301}"))
        #expect(one.name == two.name)
        #expect(one != two)
        #expect(Set([one, two, one]).count == 2)
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func anyNameIsTheNameOfATable(seed: UInt64) throws {
        let connection = try SharedServer.connect()
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let table = try SQLIdentifier(random.text(characterCountMax: 50))
            let column = try SQLIdentifier(random.text(characterCountMax: 50))
            try connection.execute("CREATE TEMP TABLE \(table) (\(column) int)")
            let found = try connection.query(
                "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid "
                    + "WHERE pg_class.oid = $1::regclass AND attnum = 1",
                parameters: [.text(table.quoted)])
            #expect(try found.row(0).rawText(0) == Array(table.name.utf8))
            #expect(try found.row(0).rawText(1) == Array(column.name.utf8))
            try connection.execute(
                "INSERT INTO \(table) (\(column)) VALUES (1); DROP TABLE \(table)")
        }
    }
}
