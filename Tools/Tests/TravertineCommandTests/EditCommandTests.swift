import Foundation
import TestSupport
import Testing
import Travertine

@testable import TravertineCommand

@Suite("edit")
struct EditCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    private func edit(_ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(["edit", "places"] + arguments, in: workspace.directory, input: input)
    }

    private func towns() throws -> [String] {
        try workspace.run("query", "places", "QueriedTown", "--json").lines
    }

    @Test("set changes the named properties of one object and prints what changed")
    func set() throws {
        let run = try edit(
            "set QueriedTown 1 name='O Porto' people=nil latitude=1e1 names=[\"a\"]")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines == [
                "~ QueriedTown 1", "    name: Porto → O Porto", "    people: 231962 → nil",
                "    latitude: 41.15 → 10.0", "    names: [\"Oporto\",\"O Porto\"] → [\"a\"]",
            ])
        #expect(run.errors == "1 changed\n")
        #expect(
            try towns().first
                == #"{"id":1,"name":"O Porto","people":null,"latitude":10.0,"country":"PT","#
                + #""names":["a"],"note":null}"#)
        let document = try edit(#"set QueriedTown 1 {"people": 5, "names": []}"#, "--json")
        #expect(
            document.lines == [
                #"{"type":"QueriedTown","change":"modified","key":1,"properties":{"people":"#
                    + #"{"old":null,"new":5},"names":{"old":["a"],"new":[]}}}"#
            ], "\(document.errors)")
        #expect(try edit("set QueriedTown 1 people=5").errors == "no change\n")
        #expect(try workspace.run("fsck", "places", "--deep").status == 0)
    }

    @Test("links are keys of their targets, embedded objects documents")
    func links() throws {
        #expect(try edit("set QueriedTown 1 country=nil").status == 0)
        let linked = try edit("set QueriedTown 1 country=PT")
        #expect(
            linked.lines.last == "    country: nil → QueriedCountry PT", "\(linked.errors)")
        let number = try #require(try workspace.run("show", "places", "QueriedNote").lines.first)
        #expect(try edit("set QueriedTown 1 note=\(number)").status == 0)
        #expect(
            try edit("set QueriedTown 3 {\"note\": \(number), \"country\": \"PT\"}").status == 0)
        let seal = try edit(#"set QueriedCountry PT {"seal": {"colour": "green"}}"#)
        #expect(seal.output.contains(#"{"colour":"green"}"#), "\(seal.errors)")
        let note = try edit("set QueriedNote \(number) text=hill")
        #expect(note.lines.last == "    text: hills → hill", "\(note.errors)")
        let missing = try edit("set QueriedTown 1 country=ES")
        #expect(missing.status == 65 && missing.errors.contains("no QueriedCountry ES"))
        #expect(try workspace.run("fsck", "places", "--deep").status == 0)
    }

    @Test("add and delete, also all that fulfil a condition")
    func addAndDelete() throws {
        let added = try edit(
            #"add QueriedTown {"id": 7, "name": "Faro"}"#, "add QueriedTown id=8 name=Beja",
            "add QueriedNote text='a b'")
        #expect(added.status == 0 && added.lines.count == 3, "\(added.errors)")
        #expect(added.errors == "3 added\n")
        let deleted = try edit("delete QueriedTown 7", "delete QueriedTown where id > 2")
        #expect(deleted.lines == ["- QueriedTown 7", "- QueriedTown 3", "- QueriedTown 8"])
        #expect(try towns().count == 2)
        // Links to what is deleted become nil.
        #expect(try edit("delete QueriedCountry PT").status == 0)
        #expect(try towns().allSatisfy { $0.contains(#""country":null"#) })
        #expect(try workspace.run("show", "places", "QueriedSeal").lines.isEmpty)
        #expect(try workspace.run("fsck", "places", "--deep").status == 0)
    }

    @Test("all statements are done or none")
    func oneTransaction() throws {
        let before = try towns()
        let run = try edit(
            "set QueriedTown 1 people=1", "delete QueriedTown 2", "delete QueriedTown 9")
        #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("statement 3: no such object: QueriedTown 9"), "\(run.errors)")
        #expect(run.errors.contains("Nothing was changed."))
        #expect(try towns() == before)
    }

    @Test("--dry-run prints what would change, and changes nothing")
    func dryRun() throws {
        let before = try towns()
        let run = try edit(
            "set QueriedTown 1 people=1", "delete QueriedTown 2", "add QueriedTown id=5",
            "--dry-run")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines == [
                "~ QueriedTown 1", "    people: 231962 → 1", "- QueriedTown 2", "+ QueriedTown 5",
            ])
        #expect(run.errors.contains("nothing was changed"))
        #expect(try towns() == before)
        #expect(try edit("delete QueriedTown 1", "--dry-run", "-q").errors.isEmpty)
    }

    @Test("without arguments the lines of standard input are statements")
    func input() throws {
        let run = try edit(
            input: "# towns\n\nset QueriedTown 1 people=1\n-- x\ndelete QueriedTown 2\n")
        #expect(run.status == 0 && run.errors == "1 changed, 1 deleted\n", "\(run.errors)")
        let wrong = try edit(input: "set QueriedTown 1 people=1\nfrob\n")
        #expect(wrong.status == 64 && wrong.errors.contains("line 2: "), "\(wrong.errors)")
        #expect(try edit(input: "").status == 64)
    }

    @Test(
        "what is wrong has its own status, says what is right and changes nothing",
        arguments: [
            ("frob QueriedTown", 64, "add, set or delete"), ("", 64, "is empty"),
            ("set QueriedTown", 64, "a type and a key"),
            ("set QueriedTown 1", 64, "PROPERTY=VALUE"),
            ("set QueriedTown 1 people", 64, "is no change"),
            ("set QueriedTown 1 name='x", 64, "is no change"),
            ("set QueriedTown 1 {", 64, "can't be read"),
            ("set QueriedTown 1 peple=3", 64, "people"),
            ("set QueriedTown 1 people=x", 65, "people"),
            ("set QueriedTown 1 name=nil", 65, "quotes"),
            ("set QueriedTown 1 id=4", 64, "primary key"),
            ("set QueriedTown 1 names=x", 64, "Extended JSON"),
            ("set QueriedTown 1 {\"people\": 1.5}", 65, "people"),
            ("set QueriedTown 1 {\"country\": {\"code\": \"PT\"}}", 65, "key of its target"),
            ("set QueriedTown x people=1", 64, "an integer"),
            ("set QueriedTown 9 people=1", 1, "no such"),
            ("set QueriedTwon 1 people=1", 66, "'QueriedTown'"),
            ("add QueriedTown name=x", 64, "primary key"), ("add QueriedTown id=1", 65, "1"),
            ("add QueriedSeal colour=x", 64, "embedded"), ("delete QueriedTown", 64, "a key"),
            ("delete QueriedTown where", 64, "no condition"),
            ("delete QueriedTown where agee > 3", 64, "^~~~"),
            ("delete QueriedTown 1 2", 64, "follows"),
            ("delete QueriedNote x", 64, "no primary key"),
        ] as [(String, Int32, String)])
    func wrong(statement: String, status: Int32, words: String) throws {
        let before = try towns()
        let run = try edit(statement)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains("error: ") && run.errors.contains(words), "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(try towns() == before)
    }

    @Test("a statement without quotes is refused with the quotes it needs")
    func withoutQuotes() throws {
        let run = try edit("set", "QueriedTown", "1", "people=1")
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("\"set QueriedTown 1 people=1\""), "\(run.errors)")
    }

    @Test("lists are read in quotes as well, and texts are compared by their bytes")
    func quotedAndComposed() throws {
        let run = try edit(#"set QueriedTown 1 names='["a", "b c"]'"#)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try towns().first?.contains(#""names":["a","b c"]"#) == true)
        #expect(try edit("set QueriedTown 1 name=\u{e9}").errors == "1 changed\n")
        #expect(try edit("set QueriedTown 1 name=e\u{301}").errors == "1 changed\n")
        let invalid = try CommandRun(
            found: "sh",
            [
                "-c", #"printf 'set QueriedTown 1 name=\377\n' | "$0" edit "$1""#,
                CommandRun.executable().path, workspace.url("places").path,
            ])
        #expect(invalid.status == 65 && invalid.errors.contains("line 1 is not UTF-8"))
    }

    @Test("a link in a property of any type stays a link, and one in a collection is refused")
    func mixedLinks() throws {
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.url("boxes"), objectTypes: [EditedBox.self]))
            try realm.write { for id in 1...2 { realm.create(EditedBox.self, value: ["id": id]) } }
        }
        func isLinked() throws -> Bool {
            try workspace.run(
                "query", "boxes", "EditedBox where any.@type == 'object'", "--count"
            ).lines == ["1"]
        }
        let link = #"any={"$ref":"EditedBox","$id":1}"#
        let run = try workspace.run("edit", "boxes", "set EditedBox 2 " + link)
        #expect(run.status == 0 && run.errors == "1 changed\n", "\(run.errors)")
        #expect(try isLinked())
        #expect(try workspace.run("edit", "boxes", "set EditedBox 2 " + link).status == 0)
        #expect(try isLinked())
        let inside = try workspace.run(
            "edit", "boxes", #"set EditedBox 2 any=[{"$ref":"EditedBox","$id":1}]"#)
        #expect(inside.status == 65 && inside.errors.contains("inside a collection"))
        #expect(try isLinked())
    }

    @Test("a store that is open elsewhere, missing or without objects is refused")
    func refused() throws {
        #expect(try workspace.run("edit", "none", "delete A 1").status == 66)
        _ = try workspace.run("put", "keys", "a", "1")
        #expect(try workspace.run("edit", "keys", "delete A 1").status == 66)
        let realm = try QueriedPlaces.open(in: workspace)
        #expect(try edit("delete QueriedTown 1").status == 75)
        withExtendedLifetime(realm) {}
    }
}

class EditedBox: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var any: AnyRealmValue
}
