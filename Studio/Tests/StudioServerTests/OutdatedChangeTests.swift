import Foundation
import Testing

@testable import StudioServer

@Suite("Changes that another page has made outdated")
struct OutdatedChangeTests {
    private static func change(
        _ kind: Change.Kind, _ path: String, _ before: String? = nil, to value: String? = nil,
        of id: String = "=1", _ type: String = "Shelter"
    ) -> Change {
        Change(
            kind: kind, type: type, id: id,
            path: path.split(separator: "/").map(String.init), before: before, value: value)
    }

    /// What the page shows of each change; nil for one that can be made.
    private static func check(
        _ changes: [Change], _ fixture: EditingFixture
    ) async throws -> [[String: Any]?] {
        let text = try await fixture.explorer.check(ChangesRequest(changes: changes)).textForTest
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return (json?["outdated"] as? [Any] ?? []).map { $0 as? [String: Any] }
    }

    @Test("none is outdated while nothing has changed, and nothing is changed by looking")
    func fresh() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        let before = try await fixture.everything()
        let outdated = try await Self.check(
            [
                Self.change(.set, "best", ana, to: bo), Self.change(.remove, "tags/1", "b"),
                Self.change(.set, "sizes/0", "1", to: "2"),
                Self.change(.insert, "sizes/+", to: "4"),
                Self.change(.insert, "seats/middle", to: bo),
                Change(kind: .delete, type: "Guest", id: bo),
                Change(kind: .add, type: "Guest", values: ["name": "Dee"]),
            ], fixture)
        #expect(outdated.count == 7 && outdated.allSatisfy { $0 == nil }, "\(outdated)")
        #expect(try await fixture.everything() == before)
    }

    @Test("a value that is another by now is reported with what it is, and can be kept")
    func values() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        let cem = try await fixture.guest("Cem")
        let mine = [
            Self.change(.set, "best", ana, to: bo),
            Self.change(.set, "name", "Cem", to: "mine", of: cem, "Guest"),
            Self.change(.set, "value", "object Guest \(ana)", to: "int 1"),
        ]
        try await fixture.commit(
            Self.change(.set, "best", ana, to: cem),
            Self.change(.set, "name", "Cem", to: "theirs", of: cem, "Guest"),
            Self.change(.set, "value", "object Guest \(ana)"))
        await #expect(throws: RequestFailure.self) { try await fixture.commit(mine[1]) }
        let outdated = try await Self.check(mine, fixture)
        #expect(outdated[0]?["now"] as? String == cem)
        #expect(outdated[0]?["shown"] as? String == "theirs")
        #expect(outdated[1]?["now"] as? String == "theirs")
        #expect(outdated[2]?["now"] is NSNull && outdated[2]?["shown"] is NSNull)
        #expect((outdated[1]?["error"] as? String)?.contains("“theirs” by now") == true)
        // Kept by the user, they are changes of what is there now.
        let kept = zip(mine, outdated).map { change, outdated in
            var change = change
            change.before = outdated?["now"] as? String
            return change
        }
        #expect(try await Self.check(kept, fixture).allSatisfy { $0 == nil })
        _ = try await fixture.explorer.commit(ChangesRequest(changes: kept))
        #expect(try await fixture.shown("name", of: cem, "Guest") == "mine")
    }

    @Test("what is gone, and what may be another element by now, can only be dropped")
    func gone() async throws {
        let fixture = try await EditingFixture()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        let mine = [
            Self.change(.set, "name", "Bo", to: "mine", of: bo, "Guest"),
            Change(kind: .delete, type: "Guest", id: bo),
            Self.change(.set, "sizes/0", "1", to: "2"), Self.change(.remove, "sizes/2", "3"),
            Self.change(.set, "homes/0/name", "first", to: "mine"),
            Self.change(.remove, "tags/0", "a"), Self.change(.insert, "seats/middle", to: ana),
            Self.change(.set, "best", ana, to: bo), Self.change(.insert, "guests/+", to: bo),
            Self.change(.insert, "values/+", to: "object Guest \(bo)"),
        ]
        try await fixture.commit(
            Change(kind: .delete, type: "Guest", id: bo), Self.change(.remove, "sizes/0", "1"),
            Self.change(.remove, "homes/0", try await fixture.shown("homes/0")),
            Self.change(.remove, "tags/0", "a"), Self.change(.insert, "seats/middle", to: ana))
        for (place, outdated) in try await Self.check(mine, fixture).enumerated() {
            #expect(outdated?["error"] is String, "change \(place)")
            #expect(outdated?["now"] == nil, "change \(place)")
        }
    }
}
