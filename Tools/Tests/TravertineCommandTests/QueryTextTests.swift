import TestSupport
import Testing
import Travertine
import TravertineDocuments

@testable import TravertineCommand

@Suite("the text of queries and of what they find")
struct QueryTextTests {
    @Test(
        "the type is split off",
        arguments: [
            ("City", "City", ""), ("  City \n", "City", ""),
            ("City where a > 1", "City", "a > 1"), ("City WHERE(a > 1)", "City", "(a > 1)"),
            ("City SORT(a ASC)", "City", "SORT(a ASC)"), ("City limit(3)", "City", "limit(3)"),
            ("'Old Town' where a > 1", "Old Town", "a > 1"), ("\"it's\"", "it's", ""),
            ("where where where == 1", "where", "where == 1"),
        ])
    func split(text: String, type: String, predicate: String) throws {
        let query = try QueryText(text)
        #expect(query.type == type && query.predicate == predicate)
    }

    @Test(
        "a name of a type is written so that it is read back", arguments: ["City", "a b", "it's"])
    func written(name: String) throws {
        #expect(try QueryText(QueryText.written(type: name)).type == name)
    }

    @Test("no text stops the program")
    func noTrap() {
        for text in ["", "'", "\"\"", "City where", "City 'x", "\u{301}", "City\u{0}x", "é é"] {
            _ = try? QueryText(text)
        }
    }

    @Test(
        "CSV has quotes where they are needed",
        arguments: [
            (["a", "b"], "a,b"), (["a,b", "c\"d"], "\"a,b\",\"c\"\"d\""), ([nil, ""], ",\"\""),
            (["a\nb"], "\"a\nb\""), ([nil], "\"\""),
        ] as [([String?], String)])
    func csv(fields: [String?], line: String) {
        #expect(String(decoding: CSVText.line(fields), as: UTF8.self) == line + "\r\n")
    }

    @Test(
        "values are shown",
        arguments: [
            (.null, "nil"), (.int64(-5), "-5"), (.double(0.5), "0.5"), (.bool(true), "true"),
            (.string("a\nb"), "a\\nb"), (.array([.int32(1)]), "[1]"),
            (.datetime(BSONDateTime(milliseconds: 1500)), "1970-01-01T00:00:01.500Z"),
            (.datetime(BSONDateTime(milliseconds: 0)), "1970-01-01T00:00:00Z"),
        ] as [(AnyBSON, String)])
    func values(value: AnyBSON, text: String) {
        #expect(CellText.shown(value) == text)
    }

    @Test("texts are cut to the width that they have on a terminal")
    func widths() {
        #expect(TextWidth.of("Zürich") == 6 && TextWidth.of("東京") == 4)
        #expect(TextWidth.of("e\u{301}") == 1)
        #expect(TextWidth.cut("Lisboa", to: 6) == "Lisboa")
        #expect(TextWidth.cut("Lisboa", to: 4) == "Lis…")
        #expect(TextWidth.cut("東京都", to: 4) == "東…")
    }

    @Test(
        "a table fits its width: texts are cut, numbers are not, columns that don't fit are named")
    func table() {
        let row: [AnyBSON] = [.string("a long name of a town"), .int32(123_456_789), .null]
        var wide = ResultTable(["name", "people", "note"], width: 80)
        var lines = wide.add(row) + wide.finish()
        #expect(
            lines == [
                "name                      people  note",
                "─────────────────────  ─────────  ────",
                "a long name of a town  123456789  nil",
            ])
        var narrow = ResultTable(["name", "people", "note"], width: 30)
        lines = narrow.add(row) + narrow.finish()
        #expect(lines.last == "a long name …  123456789  nil" && lines.count == 3, "\(lines)")
        var narrower = ResultTable(["name", "people", "note"], width: 20)
        lines = narrower.add(row) + narrower.finish()
        #expect(
            lines.suffix(2) == [
                "a long n…  123456789", "(not shown: note; choose with --columns)",
            ], "\(lines)")
        var empty = ResultTable(["name"], width: 20)
        #expect(empty.finish() == ["(no objects)"])
    }

    @Test("rows after the first ones keep the widths")
    func longTable() {
        var table = ResultTable(["n"], width: 80)
        var lines: [String] = []
        for number in 0..<600 { lines += table.add([.string("row \(number)")]) }
        lines += table.add([.string("a longer row")])
        lines += table.finish()
        #expect(lines.count == 603 && lines.last == "a long…")
    }

    @Test(
        "words of a command line lose their quotes",
        arguments: [
            ("City", "City"), ("\"City where na", "City where na"), ("'a \"b\"'", "a \"b\""),
            (#"a\ b"#, "a b"), (#""a\"b\n""#, #"a"b\n"#), ("", ""), ("\\", ""),
        ])
    func unquoted(word: String, text: String) {
        #expect(ShellWord.unquoted(word) == text)
    }

    @Test("a continuation is nothing that bash expands, and one line")
    func literals() throws {
        let text = "T where `a` $(touch made) \"$HOME\" '*' <(b) é_1"
        let literal = try #require(ShellWord.candidate(text, isForBash: true))
        let run = try CommandRun(
            found: "bash", ["-c", "IFS=$'\\n' compgen -W \"$0\" -- T", literal])
        #expect(run.output == text + "\n", "\(run.errors)")
        #expect(ShellWord.candidate(text, isForBash: false) == text)
        #expect(ShellWord.candidate("a\nb", isForBash: true) == nil)
    }

    @Test("a query is completed: types, words, properties along links, names that are no words")
    func completion() throws {
        let workspace = Workspace()
        let realm = try QueriedPlaces.open(in: workspace)
        let completion = QueryCompletion(realm)
        #expect(completion.candidates(for: "QueriedC") == ["QueriedCountry"])
        #expect(completion.candidates(for: "queriedc") == ["QueriedCountry"])
        #expect(completion.candidates(for: "QueriedTown wh") == ["QueriedTown where"])
        #expect(
            completion.candidates(for: "QueriedTown where country.na")
                == ["QueriedTown where country.name"])
        #expect(
            completion.candidates(for: "QueriedTown where id == 1 AN")
                == ["QueriedTown where id == 1 AND", "QueriedTown where id == 1 ANY"])
        #expect(completion.candidates(for: "QueriedTown SORT(lat") == ["QueriedTown SORT(latitude"])
        #expect(completion.candidates(for: "QueriedTown where names.@co").count == 1)
        #expect(completion.candidates(for: "nothing where a").isEmpty)
        #expect(QueryCompletion.written(property: "inner size") == "#\"inner size\"")
        #expect(QueryCompletion.written(property: "in") == "#in")
        #expect(QueryCompletion.written(property: "größe_2") == "größe_2")
    }
}
