import Foundation
import Testing
import Travertine

@testable import StudioServer

@Suite("Changes of links, collections and data, and what undoes them")
struct EditingTests {
    private static func change(
        _ kind: Change.Kind, _ path: String, before: String? = nil, to value: String? = nil,
        of id: String = "=1", _ type: String = "Shelter"
    ) -> Change {
        Change(
            kind: kind, type: type, id: id, path: path.split(separator: "/").map(String.init),
            before: before, value: value)
    }

    /// Makes changes, looks for a text in all values, undoes them, and compares with before.
    private static func check(
        _ changes: [Change], gives text: String, _ fixture: EditingFixture,
        _ place: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await fixture.everything()
        _ = try await fixture.explorer.commit(ChangesRequest(changes: changes))
        let after = try await fixture.everything()
        #expect(after.contains(text), "\(after)", sourceLocation: place)
        #expect(after != before, sourceLocation: place)
        #expect(try await fixture.undo(), sourceLocation: place)
        #expect(try await fixture.everything() == before, sourceLocation: place)
    }

    @Test("a link leads to another object, or to none")
    func links() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        try await Self.check(
            [Self.change(.set, "best", before: ana, to: bo)], gives: "best=→Bo", fixture)
        try await Self.check(
            [Self.change(.set, "best", before: ana)], gives: "best=nil", fixture)
        try await Self.check(
            [Self.change(.set, "seats/left", before: ana)], gives: "seats=[left:nil,", fixture)
        await #expect(throws: RequestFailure.self) {
            try await fixture.commit(Self.change(.set, "best", before: bo, to: ana))
        }
    }

    @Test("elements are set, put at the end and taken out, by the positions that were shown")
    func lists() async throws {
        let fixture = try await EditingFixture()
        try await Self.check(
            [
                Self.change(.insert, "sizes/+", to: "4"), Self.change(.insert, "sizes/+"),
                Self.change(.remove, "sizes/0", before: "1"),
                Self.change(.remove, "sizes/1"), Self.change(.set, "sizes/2", before: "3", to: "5"),
            ], gives: "sizes=[int 5,int 4,nil]", fixture)
        try await Self.check(
            [Self.change(.set, "sizes/0", before: "1")], gives: "sizes=[nil,nil,int 3]", fixture)
        let bo = try await fixture.guest("Bo")
        try await Self.check(
            [
                Self.change(.insert, "guests/+", to: bo),
                Self.change(.remove, "guests/1", before: bo),
            ], gives: "guests=[→Ana,→Ana,→Cem,→Bo]", fixture)
        for wrong in [
            Self.change(.insert, "sizes/+", to: "x"), Self.change(.insert, "guests/+"),
            Self.change(.remove, "sizes/3"), Self.change(.remove, "sizes/0", before: "2"),
            Self.change(.remove, "sizes"), Self.change(.set, "sizes", before: "[3]", to: "[]"),
        ] {
            await #expect(throws: RequestFailure.self, "\(wrong)") {
                try await fixture.commit(wrong)
            }
        }
    }

    @Test("sets and maps")
    func setsAndMaps() async throws {
        let fixture = try await EditingFixture()
        try await Self.check(
            [
                Self.change(.remove, "tags/1", before: "b"),
                Self.change(.insert, "tags/+", to: "d"),
                Self.change(.set, "tags/0", before: "a", to: "z"),
            ], gives: "tags=[string c,string d,string z]", fixture)
        let bo = try await fixture.guest("Bo")
        try await Self.check(
            [
                Self.change(.insert, "seats/middle", to: bo),
                Self.change(.remove, "seats/right", before: bo),
            ], gives: "seats=[left:→Ana,middle:→Bo]", fixture)
        await #expect(throws: RequestFailure.self) {
            try await fixture.commit(Self.change(.insert, "seats/left", to: bo))
        }
    }

    @Test("embedded objects are made, changed and taken out")
    func embedded() async throws {
        let fixture = try await EditingFixture()
        let cem = try await fixture.guest("Cem")
        try await Self.check(
            [Self.change(.set, "room", to: "{}", of: cem, "Guest")], gives: "room={string ,nil}",
            fixture)
        let ana = try await fixture.guest("Ana")
        try await Self.check(
            [
                Self.change(
                    .set, "room", before: try await fixture.shown("room", of: ana, "Guest"),
                    of: ana,
                    "Guest")
            ],
            gives: "name=string Ana friend=→Ana room=nil", fixture)
        try await Self.check(
            [Self.change(.set, "homes/1/name", before: "second", to: "third")],
            gives: "{string first,→Ana},{string third,nil}", fixture)
        try await Self.check(
            [
                Self.change(.remove, "homes/0", before: try await fixture.shown("homes/0")),
                Self.change(.insert, "homes/+", to: "{}"),
            ], gives: "homes=[{string second,nil},{string ,nil}]", fixture)
        try await Self.check(
            [Self.change(.insert, "rooms/cellar", to: "{}")],
            gives: "rooms=[attic:{string attic,nil},cellar:{string ,nil}]", fixture)
        try await Self.check(
            [Self.change(.remove, "rooms/attic", before: try await fixture.shown("rooms/attic"))],
            gives: "rooms=[]", fixture)
        // One after the other, undone together.
        let before = try await fixture.everything()
        try await fixture.commit(Self.change(.set, "homes/1/name", before: "second", to: "x"))
        try await fixture.commit(
            Self.change(.remove, "homes/0", before: try await fixture.shown("homes/0")))
        try await fixture.commit(Self.change(.set, "homes/0/name", before: "x", to: "y"))
        for _ in 0..<3 { #expect(try await fixture.undo()) }
        #expect(try await fixture.everything() == before)
    }

    @Test("values of any type")
    func mixed() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        let value = "object Guest \(ana)"
        for (text, shown) in [
            ("int 5", "value=int 5"), ("string 5", "value=string 5"), ("string ", "value=string "),
            ("double 1.5", "value=number 1.5"), ("bool true", "value=bool true"),
            ("list", "value=[]"),
            ("map", "value=[]"), ("data 00ff", "value=00ff"),
            ("uuid 00000000-0000-0000-0000-000000000001", "value=id 00000000-0000"),
            ("object Guest \(bo)", "value=→Bo"),
        ] {
            try await Self.check(
                [Self.change(.set, "value", before: value, to: text)], gives: shown, fixture)
        }
        try await Self.check(
            [Self.change(.set, "value", before: value)], gives: "value=nil", fixture)
        try await Self.check(
            [
                Self.change(.set, "values/1", before: "int 1", to: "string one"),
                Self.change(.insert, "values/+", to: "map"),
                Self.change(.remove, "values/2", before: "string two"),
            ], gives: "values=[→Ana,string one,[]]", fixture)
        try await Self.check(
            [
                Self.change(
                    .set, "notes/nested/0", before: "string x", to: "int 7", of: ana, "Guest"),
                Self.change(.insert, "notes/nested/+", to: "bool false", of: ana, "Guest"),
                Self.change(.remove, "notes/age", before: "int 5", of: ana, "Guest"),
            ], gives: "notes=[nested:[int 7,number 1.5,bool false]]", fixture)
        for wrong in ["int x", "five", "object Guest", "object Guest @99", "object Nothing =1", ""]
        {
            await #expect(throws: RequestFailure.self, "\(wrong)") {
                try await fixture.commit(Self.change(.set, "value", before: value, to: wrong))
            }
        }
    }

    @Test("data are set as digits")
    func data() async throws {
        let fixture = try await EditingFixture()
        try await Self.check(
            [Self.change(.set, "picture", before: "010203", to: "ff 00")], gives: "picture=ff00",
            fixture)
    }

    @Test("a deleted object is restored with all that linked to it")
    func deletion() async throws {
        let fixture = try await EditingFixture()
        let ana = try await fixture.guest("Ana")
        let delete = Change(kind: .delete, type: "Guest", id: ana)
        try await Self.check([delete], gives: "best=nil", fixture)
        // The address that the page has leads to the restored object.
        let restored = try await fixture.explorer.object(ObjectRequest(type: "Guest", id: ana))
        #expect(restored.textForTest.contains("Ana"))
        let shelter = Change(kind: .delete, type: "Shelter", id: "=1")
        try await Self.check([shelter], gives: "name=string Cem", fixture)
    }

    @Test("commits are undone one after another, with deletions between them")
    func history() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        var states = [try await fixture.everything()]
        let commits: [[Change]] = [
            [Self.change(.set, "name", before: "Ana", to: "Anna", of: ana, "Guest")],
            [
                Change(kind: .delete, type: "Guest", id: bo),
                Change(kind: .delete, type: "Guest", id: ana),
            ],
            [Change(kind: .add, type: "Guest", values: ["name": "Dan"])],
            [Change(kind: .delete, type: "Shelter", id: "=1")],
        ]
        for changes in commits {
            _ = try await fixture.explorer.commit(ChangesRequest(changes: changes))
            states.append(try await fixture.everything())
        }
        states.removeLast()
        for state in states.reversed() {
            #expect(try await fixture.undo())
            #expect(try await fixture.everything() == state)
        }
        #expect(try await !fixture.undo())
        #expect(Set(states).count == states.count)
    }

    @Test("another commit than the last is not undone")
    func otherNumber() async throws {
        let fixture = try await EditingFixture()
        let cem = try await fixture.guest("Cem")
        try await fixture.commit(
            Self.change(.set, "name", before: "Cem", to: "x", of: cem, "Guest"))
        await #expect(throws: RequestFailure.self) {
            _ = try await fixture.explorer.undo(UndoRequest(number: 2))
        }
        try await fixture.commit(Self.change(.set, "name", before: "x", to: "y", of: cem, "Guest"))
        await #expect(throws: RequestFailure.self) {
            _ = try await fixture.explorer.undo(UndoRequest(number: 1))
        }
    }

    @Test("what has too many values to be remembered can't be undone, nor what came before")
    func tooMuch() async throws {
        let fixture = try await EditingFixture()
        let cem = try await fixture.guest("Cem")
        try await fixture.commit(
            Self.change(.set, "name", before: "Cem", to: "x", of: cem, "Guest"))
        try await fixture.explorer.appendForTest(120_000)
        try await fixture.commit(Self.change(.insert, "sizes/+", to: "5"))
        #expect(await fixture.explorer.undoNumber == nil)
        #expect(try await !fixture.undo())
        // The next one can be.
        try await Self.check(
            [Self.change(.set, "name", before: "x", to: "z", of: cem, "Guest")],
            gives: "name=string z", fixture)
    }

    // MARK: What a review found

    @Test("what is put into a list below another goes to the object that was shown")
    func placesBelowLists() async throws {
        let fixture = try await EditingFixture([Shelf.self, Box.self]) { realm in
            realm.create(
                Shelf.self,
                value: ["id": 1, "boxes": (0..<4).map { ["name": "\($0)", "tags": ["x", "y"]] }])
        }
        func change(
            _ kind: Change.Kind, _ path: String, before: String? = nil, to value: String? = nil
        ) -> Change { Self.change(kind, path, before: before, to: value, "Shelf") }
        try await fixture.commit(
            change(.remove, "boxes/0", before: try await fixture.shown("boxes/0", "Shelf")),
            change(.insert, "boxes/1/tags/+", to: "z"),
            change(.remove, "boxes/2/tags/0", before: "x"),
            change(.remove, "boxes/2/tags/1", before: "y"))
        let shelf = try await fixture.rows("Shelf", "id == 1")
        #expect("\(shelf)".contains("3"))
        #expect(try await fixture.shown("boxes/0/name", "Shelf") == "1")
        #expect(try await fixture.shown("boxes/0/tags", "Shelf") == "[3]")
        #expect(try await fixture.shown("boxes/1/tags", "Shelf") == "[0]")
        #expect(try await fixture.shown("boxes/2/tags", "Shelf") == "[2]")
        // Another element is in the place by now.
        await #expect(throws: RequestFailure.self) {
            let first = try await fixture.shown("boxes/0", "Shelf")
            try await fixture.commit(change(.remove, "boxes/1", before: first))
        }
    }

    @Test("keys that are the same characters in other bytes stop nothing")
    func equivalentKeys() async throws {
        let fixture = try await EditingFixture()
        let bo = try await fixture.guest("Bo")
        try await fixture.commit(
            Self.change(.insert, "seats/\u{e9}", to: bo),
            Self.change(.insert, "seats/e\u{301}", to: bo))
        let count = try await fixture.shown("seats")
        #expect(count == "{4}")
        try await fixture.commit(
            Self.change(.set, "seats/left", before: try await fixture.guest("Ana")))
        #expect(try await !fixture.undo())
        #expect(try await fixture.shown("seats") == count)
        try await fixture.commit(Self.change(.insert, "rooms/\u{e9}", to: "{}"))
        await #expect(throws: RequestFailure.self) {
            try await fixture.commit(Self.change(.insert, "rooms/e\u{301}", to: "{}"))
        }
    }

    @Test("a deletion is undone together with a change of what embeds a link to the object")
    func deletionBesideEmbedded() async throws {
        let fixture = try await EditingFixture()
        let ana = try await fixture.guest("Ana")
        try await Self.check(
            [
                Self.change(.insert, "homes/+", to: "{}"),
                Self.change(.remove, "homes/1", before: try await fixture.shown("homes/1")),
                Change(kind: .delete, type: "Guest", id: ana),
            ], gives: "homes=[{string first,nil},{string ,nil}]", fixture)
    }

    @Test("an object that was deleted and restored twice has one address")
    func restoredTwice() async throws {
        let fixture = try await EditingFixture()
        let bo = try await fixture.guest("Bo")
        let start = try await fixture.everything()
        try await fixture.commit(
            Self.change(.set, "name", before: "Bo", to: "Bob", of: bo, "Guest"))
        for _ in 0..<2 {
            let address = try await fixture.guest("Bob")
            #expect(address == bo)
            try await fixture.commit(Change(kind: .delete, type: "Guest", id: address))
            #expect(try await fixture.undo())
        }
        #expect(try await fixture.undo())
        #expect(try await fixture.everything() == start)
    }

    @Test("after a commit that was refused, addresses lead to where they led")
    func refusedCommit() async throws {
        let fixture = try await EditingFixture()
        let before = try await fixture.everything()
        let home = try await fixture.shown("homes/0")
        for _ in 0..<2 {
            await #expect(throws: RequestFailure.self) {
                try await fixture.commit(
                    Self.change(.insert, "homes/+", to: "{}"),
                    Self.change(.remove, "sizes/0", before: "99"))
            }
            #expect(try await fixture.shown("homes/0") == home)
        }
        #expect(try await fixture.everything() == before)
    }

    @Test("more links than the table of addresses has come back")
    func manyLinks() async throws {
        let fixture = try await EditingFixture([Crowd.self]) { realm in
            let crowd = realm.create(Crowd.self, value: ["id": 1])
            for number in 0..<45_000 {
                crowd.guests.append(realm.create(Guest.self, value: ["name": "g\(number)"]))
            }
        }
        let first = try await fixture.shown("guests/0", "Crowd")
        try await fixture.commit(Self.change(.remove, "guests/0", before: first, "Crowd"))
        #expect(try await fixture.shown("guests", "Crowd") == "[44999]")
        #expect(try await fixture.undo())
        #expect(try await fixture.shown("guests", "Crowd") == "[45000]")
    }

    @Test("a deletion that deletes others with it can't be undone")
    func cascade() async throws {
        let fixture = try await EditingFixture([Album.self, Crowd.self]) { realm in
            realm.create(Album.self, value: ["id": 1, "crowd": ["id": 2]])
        }
        try await fixture.commit(Change(kind: .delete, type: "Album", id: "=1"))
        #expect(try await fixture.rows("Crowd", "TRUEPREDICATE").isEmpty)
        #expect(try await !fixture.undo())
    }
}

class Box: EmbeddedObject {
    @Persisted var name: String
    @Persisted var tags: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var boxes: List<Box>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Crowd: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var guests: List<Guest>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Album: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(deleteRule: .cascade) var crowd: Crowd?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension RealmExplorer {
    fileprivate func appendForTest(_ count: Int) throws {
        try realm.write {
            let shelter = realm.dynamicObjects("Shelter")[0]
            shelter["sizes"] = Array(0..<count)
        }
    }
}
