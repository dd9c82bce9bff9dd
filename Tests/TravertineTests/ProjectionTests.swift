import RealmSwift
import Testing

@Suite("Projections")
struct ProjectionTests {
    @Test("a projection shows, renames and flattens properties, and writes through")
    func projecting() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Town.self])
        try realm.write {
            let nation = Nation(value: ["PT", "Portugal"])
            for id in 0..<5 {
                realm.add(
                    Town(value: ["id": id, "name": "town \(id)", "nation": nation]),
                    update: .modified)
            }
            realm.add(Town(value: ["id": 9, "name": "alone"]))
        }
        let views = realm.objects(TownView.self)
        #expect(views.count == 6)
        #expect(views.map(\.title) == ["town 0", "town 1", "town 2", "town 3", "town 4", "alone"])
        #expect(views.first?.nationName == "Portugal")
        #expect(views.last?.nationName == nil)
        let sorted = views.sorted(byKeyPath: "name", ascending: false)
        #expect(sorted.first?.title == "town 4")
        let first = try #require(views.first)
        try realm.write { first.title = "renamed" }
        #expect(realm.object(ofType: Town.self, forPrimaryKey: 0)?.name == "renamed")
        #expect(first == TownView(projecting: first.rootObject))
        #expect(first.description.contains("title = renamed;"))
        #expect(views.where { $0.population == 0 }.count == 6)
    }
}

final class TownView: Projection<Town> {
    @Projected(\Town.name) var title
    @Projected(\Town.nation?.name) var nationName
}
