import Testing
import Travertine

@testable import PostgreSQLSync

@Suite("Plans for tables")
struct MappingPlannerTests {
    private func types() throws -> [FeedType] {
        let fixture = try SyncFixture()
        let realm = try fixture.open(ValueModels.types)
        return try feedTypes(of: realm)
    }

    @Test("all types but embedded ones have tables, and the same plan again has no steps")
    func same() throws {
        let types = try types()
        let options = MappingOptions()
        let first = try MappingPlanner(types, names: nil, options: options, known: nil)
        #expect(
            Set(first.mapping.types.map(\.name))
                == Set(types.filter { !$0.isEmbedded }.map(\.name)))
        #expect(Set(first.mapping.tableNames).count == first.mapping.tableNames.count)
        let second = try MappingPlanner(
            types, names: nil, options: options, known: first.mapping)
        #expect(second.steps.isEmpty && second.notes.isEmpty)
        #expect(second.mapping == first.mapping)
    }

    @Test("an integer primary key identifies rows; others have the object's number beside it")
    func identities() throws {
        let plan = try MappingPlanner(
            types(), names: nil, options: MappingOptions(), known: nil)
        func identity(_ name: String) -> (String, String?)? {
            plan.mapping.types.first { $0.name == name }.map { ($0.identity.column, $0.keyColumn) }
        }
        #expect(identity("Everything")! == ("id", nil))
        #expect(identity("TextTarget")! == ("code", "_key"))
        #expect(identity("BareTarget")! == ("_key", "_key"))
    }

    @Test("types that are not wanted have no tables")
    func names() throws {
        let plan = try MappingPlanner(
            types(), names: ["Owning"], options: MappingOptions(), known: nil)
        #expect(plan.mapping.types.map(\.name) == ["Owning"])
        #expect(
            plan.mapping.types[0].children.map(\.name).sorted() == [
                "home.codes", "home.country.cities", "places",
            ])
    }

    @Test("other options are refused")
    func options() throws {
        let types = try types()
        let plan = try MappingPlanner(
            types, names: nil, options: MappingOptions(), known: nil)
        var other = MappingOptions()
        other.embedded = .jsonb
        #expect(throws: MappingRefusal.self) {
            try MappingPlanner(types, names: nil, options: other, known: plan.mapping)
        }
    }
}
