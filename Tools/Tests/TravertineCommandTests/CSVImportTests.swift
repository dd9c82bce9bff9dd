import TestSupport
import Testing

@Suite("import of CSV")
struct CSVImportTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    @Test("records become JSON objects of strings, in the order of the header")
    func objects() throws {
        let run = try workspace.importFile("a.csv", "name,id\nUlm,7\nLinz,9\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try workspace.contents() == [
                "7\t{\"name\":\"Ulm\",\"id\":\"7\"}", "9\t{\"name\":\"Linz\",\"id\":\"9\"}",
            ])
    }

    @Test("quoted fields may hold commas, doubled quotes and line ends")
    func quoting() throws {
        let run = try workspace.importFile(
            "a.csv", "id,text\r\n1,\"a, \"\"b\"\"\"\r\n2,\"two\nlines\"\r\n3,\"\"\r\n",
            "--value", "text")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.contents() == ["1\ta, \"b\"", "2\ttwo\\nlines", "3\t"])
    }

    @Test("a byte order mark is not part of the first name")
    func byteOrderMark() throws {
        let run = try workspace.importFile("a.csv", "\u{feff}id\n1\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.keys() == ["1"])
    }

    @Test("a quoted field that spans lines does not shift the line numbers of errors")
    func lineNumbers() throws {
        let run = try workspace.importFile("a.csv", "id,text\n1,\"x\ny\nz\"\n2\n")
        #expect(run.status == 65)
        #expect(run.errors.contains("line 5: the record has 1 fields, the header 2"))
        #expect(try workspace.keys() == ["1"])
    }

    @Test(
        "bad rows are named by the line they begin on",
        arguments: [
            ("2,a\"b", "field 2: a quote within"),
            ("2,\"a\"b", "field 2: something follows the closing quote"),
            ("2,a,b", "3 fields, the header 2"),
            ("2,\"never closed\n\n", "still open at the end of the file"),
        ])
    func badRow(row: String, reason: String) throws {
        let run = try workspace.importFile("a.csv", "id,text\n1,x\n\(row)")
        #expect(run.status == 65)
        #expect(run.errors.contains("line 3: "), "\(run.errors)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(try workspace.keys() == ["1"])
    }

    @Test("a header that names a column twice is refused before anything is stored")
    func duplicateHeader() throws {
        let run = try workspace.importFile("a.csv", "id,x,id\n1,2,3\n")
        #expect(run.status == 65)
        #expect(run.errors.contains("“id” twice"), "\(run.errors)")
        #expect(try workspace.run("stat", "store").status == 66)
    }

    @Test("a missing key column is refused, with the names that there are")
    func missingColumn() throws {
        let run = try workspace.importFile("a.csv", "number,name\n1,x\n")
        #expect(run.status == 65)
        #expect(run.errors.contains("no column “id”. It has: number, name."), "\(run.errors)")
    }

    @Test("an empty file has no header")
    func emptyFile() throws {
        let run = try workspace.importFile("a.csv", "")
        #expect(run.status == 65)
        #expect(run.errors.contains("header"))
    }

    @Test("--columns names the columns of a file without a header")
    func columns() throws {
        let run = try workspace.importFile(
            "a.csv", "1;x\n2;y\n", "--columns", "id,name", "--delimiter", ";", "--value", "name")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.contents() == ["1\tx", "2\ty"])
    }

    @Test("a .tsv file has tabs between its fields")
    func tabs() throws {
        _ = try workspace.importFile("a.tsv", "id\tname\n1\tx, y\n", "--value", "name")
        #expect(try workspace.contents() == ["1\tx, y"])
    }

    @Test("--resume-from still reads the header")
    func resuming() throws {
        let run = try workspace.importFile(
            "a.csv", "id,name\n1,x\n2,y\n3,z\n", "--resume-from", "3")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.keys() == ["2", "3"])
    }
}
