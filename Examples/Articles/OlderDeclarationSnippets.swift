import Testing
import Travertine

@Suite("Snippets: older declarations")
struct OlderDeclarationSnippets {
    class OldPerson: Object {
        let id = RealmProperty<String?>()
        let age = RealmOptional<Int>()
        let names = List<String>()
        let marks = MutableSet<Int>()
        let scores = Map<String, Double>()
        let dogs = List<OldDog>()
        let drafts = List<String>()
        override class func primaryKey() -> String? { "id" }
        override class func indexedProperties() -> [String] { ["age"] }
        override class func ignoredProperties() -> [String] { ["drafts"] }
    }

    class OldDog: Object {
        let name = RealmProperty<String?>()
        let owners = LinkingObjects(fromType: OldPerson.self, property: "dogs")
    }

    class NewDog: Object {
        @Persisted var name: String?
        override class func objectTypeName() -> String { "OldDog" }
    }

    @Test("let properties are stored")
    func declarations() throws {
        let directory = SnippetDirectory()
        do {
            let realm = try directory.open([OldPerson.self, OldDog.self])
            let person = OldPerson()
            person.id.value = "ada"
            person.age.value = 36
            person.names.append("Augusta")
            try realm.write { realm.add(person) }
            try realm.write {
                person.age.value = nil
                person.dogs.append(OldDog(value: ["name": "Rex"]))
            }
            let owners = realm.objects(OldDog.self)[0].owners
            #expect(owners.map(\.id.value) == ["ada"] && person.age.value == nil)
        }
        let realm = try directory.open([NewDog.self])
        #expect(realm.objects(NewDog.self).map(\.name) == ["Rex"])
    }
}
