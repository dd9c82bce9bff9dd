import Testing
import Travertine

@Suite("Snippets: projections")
struct ProjectionSnippets {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var home: Address?
        @Persisted var friends: List<Person>
    }

    class Address: EmbeddedObject {
        @Persisted var city: String
    }

    class PersonView: Projection<Person> {
        @Projected(\Person.firstName) var name
        @Projected(\Person.home?.city) var city
        @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>

        var summary: String { "\(name), \(city ?? "nowhere"), \(friends.count) friends" }
    }

    @Test("a projection shows, renames and flattens, and writes through")
    func projecting() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Person.self, Address.self])
        try realm.write {
            let eva = Person(value: ["id": 2, "firstName": "Eva"])
            realm.create(
                Person.self,
                value: [
                    "id": 1, "firstName": "Ada", "home": ["city": "Roma"], "friends": [eva],
                ])
        }
        let views = realm.objects(PersonView.self)
            .where { $0.home.city == "Roma" }
            .sorted(byKeyPath: "lastName")
        for view in views {
            print(view.name, view.city ?? "-", Array(view.friends))
        }
        let view = try #require(views.first)
        #expect(view.name == "Ada" && view.city == "Roma" && Array(view.friends) == ["Eva"])
        #expect(view.summary == "Ada, Roma, 1 friends")
        try realm.write { view.name = "Augusta" }
        assert(view.rootObject.firstName == "Augusta")
        let same = PersonView(projecting: view.rootObject)
        assert(same == view)  // both see the same object
        #expect(view.rootObject.firstName == "Augusta" && same == view)
    }
}
