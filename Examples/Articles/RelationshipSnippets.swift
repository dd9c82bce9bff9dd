import Testing
import Travertine

@Suite("Snippets: relationships")
struct RelationshipSnippets {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var partner: Person?
        @Persisted var dogs: List<Dog>
    }

    class Dog: Object {
        @Persisted var name: String
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    class Address: EmbeddedObject {
        @Persisted var street: String
        @Persisted var city: String
    }

    class Company: Object {
        @Persisted var name: String
        @Persisted var seat: Address?
        @Persisted var branches: List<Address>
    }

    class Album: Object {
        @Persisted var title: String
        // Deleting the album deletes its photos.
        @Persisted(deleteRule: .cascade) var photos: List<Photo>
    }

    class Photo: Object {
        @Persisted var name: String
        // A commit that leaves it nil rolls back.
        @Persisted(required: true) var author: Author?
    }

    class Author: Object {
        @Persisted var name: String
    }

    @Test("links to one and to many, and back")
    func links() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Person.self, Dog.self])
        let ada = Person(value: ["id": 1, "name": "Ada"])
        let rex = Dog(value: ["name": "Rex"])
        ada.dogs.append(rex)
        ada.partner = Person(value: ["id": 2, "name": "Eva"])
        // Adds Ada, and with her Rex and Eva.
        try realm.write { realm.add(ada) }

        assert(rex.owners.first?.name == "Ada")
        #expect(rex.owners.map(\.name) == ["Ada"] && realm.objects(Person.self).count == 2)
        let owners = realm.objects(Person.self).where { $0.dogs.name == "Rex" }
        let withPartner = realm.objects(Person.self).where { $0.partner.name == "Eva" }
        let walked = realm.objects(Dog.self).where { $0.owners.count > 0 }
        #expect(owners.map(\.id) == [1] && withPartner.map(\.id) == [1] && walked.count == 1)
        try realm.write { realm.delete(rex) }
        assert(ada.dogs.isEmpty && rex.isInvalidated)
        #expect(ada.dogs.isEmpty && rex.isInvalidated)
    }

    @Test("embedded objects belong to one object and go with it")
    func embedded() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Company.self, Address.self])
        let company = Company(value: [
            "name": "Quarry", "seat": ["street": "Via Nomentana", "city": "Roma"],
        ])
        try realm.write {
            realm.add(company)
            company.branches.append(Address(value: ["city": "Tivoli"]))
        }
        let old = company.seat
        assert(old?.parent?.isSameObject(as: company) == true)
        try realm.write { company.seat = Address(value: ["city": "Napoli"]) }
        assert(old?.isInvalidated == true)
        #expect(old?.isInvalidated == true && company.branches.count == 1)
        #expect(company.seat?.parent?.isSameObject(as: company) == true)
        #expect(realm.objects(Company.self).where { $0.seat.city == "Napoli" }.count == 1)
    }

    @Test("a rule deletes what belongs together, a required link is looked at by the commit")
    func rules() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Album.self, Photo.self, Author.self])
        do {
            try realm.write { realm.create(Photo.self, value: ["name": "sea"]) }
        } catch let error as Realm.Error where error.code == .invalidInput {
            print(error.message)  // names Photo.author; nothing was stored
        }
        #expect(realm.objects(Photo.self).isEmpty)
        let album = Album(value: ["title": "Summer"])
        try realm.write {
            realm.add(album)
            album.photos.append(Photo(value: ["name": "sea", "author": ["name": "Ada"]]))
        }
        try realm.write { realm.delete(album) }
        assert(realm.objects(Photo.self).isEmpty && realm.objects(Author.self).count == 1)
        #expect(realm.objects(Photo.self).isEmpty && realm.objects(Author.self).count == 1)
    }
}
