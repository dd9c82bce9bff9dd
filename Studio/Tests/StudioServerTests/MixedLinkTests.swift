import Testing

@testable import StudioServer

@Suite("Links in values of any type")
struct MixedLinkTests {
    private static func change(_ before: String?, _ value: String?) -> Change {
        Change(
            kind: .set, type: "Shelter", id: "=1", path: ["value"], before: before, value: value)
    }

    @Test("a value of any type leads to another object, to none, and back")
    func set() async throws {
        let fixture = try await EditingFixture()
        let before = try await fixture.everything()
        let (ana, bo) = (try await fixture.guest("Ana"), try await fixture.guest("Bo"))
        try await fixture.commit(Self.change("object Guest \(ana)", "object Guest \(bo)"))
        #expect(try await fixture.everything().contains("value=→Bo"))
        try await fixture.commit(Self.change("object Guest \(bo)", "object Shelter =1"))
        #expect(try await fixture.shown("value") == "object Shelter =1")
        try await fixture.commit(
            Change(
                kind: .insert, type: "Shelter", id: "=1", path: ["values", "+"],
                value: "object Guest \(bo)"))
        #expect(try await fixture.shown("values/3") == "object Guest \(bo)")
        for _ in 0..<3 { #expect(try await fixture.undo()) }
        #expect(try await fixture.everything() == before)
    }

    @Test("what can't be linked to is refused, and the program goes on (H11)")
    func refused() async throws {
        let fixture = try await EditingFixture()
        let before = try await fixture.everything()
        let ana = try await fixture.guest("Ana")
        let room = try await fixture.shown("homes/0")?.dropFirst().dropLast() ?? ""
        for (value, status) in [
            ("object Room \(room)", 422), ("object Guest \(room)", 410),
            ("object Guest @999999", 410),
            ("object Nothing =1", 404), ("object Guest", 422), ("object", 422),
            ("object  =1", 404),
        ] {
            let error = await #expect(throws: RequestFailure.self, "\(value)") {
                try await fixture.commit(Self.change("object Guest \(ana)", value))
            }
            #expect(error?.status == status, "\(value): \(error?.message ?? "")")
        }
        #expect(try await fixture.everything() == before)
    }
}
