import RealmSwift
import TestSupport
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

    @Test("lists and sets are mapped to a property of their objects, live, and written through")
    func mapping() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Library.self, Reader.self, Desk.self])
        try realm.write {
            realm.create(
                Library.self,
                value: [
                    "name": "central", "desk": ["number": 4],
                    "readers": [["name": "Ada"], ["name": "Eva"]], "keepers": [["name": "Ida"]],
                ])
        }
        let view = try #require(realm.objects(LibraryView.self).first)
        #expect(view.title == "central" && view.deskNumber == 4)
        #expect(Array(view.names) == ["Ada", "Eva"] && view.names.count == 2)
        #expect(view.names[1] == "Eva" && view.names.last == "Eva" && view.names.realm == realm)
        #expect(Array(view.keeperNames) == ["Ida"])
        #expect(view.names.description.contains("[1] Eva"))
        let names = view.names
        try realm.write {
            view.rootObject.readers.append(Reader(value: ["name": "Uma"]))
            names[0] = "Ava"
            view.keeperNames[0] = "Ira"
        }
        #expect(Array(names) == ["Ava", "Eva", "Uma"] && Array(view.keeperNames) == ["Ira"])
        #expect(view.rootObject.readers[0].name == "Ava")
        try realm.write { realm.delete(view.rootObject) }
        #expect(names.isInvalidated && view.isInvalidated)
    }

    @Test("what a projection does not name is not in it; it is made of unmanaged objects too")
    func exclusion() {
        let library = Library(value: ["name": "small", "readers": [["name": "Ada"]]])
        let view = LibraryView(projecting: library)
        #expect(view.deskNumber == nil && Array(view.names) == ["Ada"])
        #expect(view.description.contains("title = small"))
        #expect(!view.description.contains("secret"))
        view.title = "large"
        #expect(library.name == "large" && !view.isInvalidated && view.realm == nil)
        #expect(view == LibraryView(projecting: library))
        #expect(view != LibraryView(projecting: Library()))
    }

    @Test(
        "a stored object's projection shows nil through a nil embedded object, until that is set"
    )
    func embeddedNil() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Library.self, Reader.self, Desk.self])
        try realm.write { realm.create(Library.self, value: ["name": "bare"]) }
        let view = try #require(realm.objects(LibraryView.self).first)
        #expect(view.deskNumber == nil && view.description.contains("deskNumber = nil"))
        let desks = view.rootObject
        try realm.write { desks.desk = Desk(value: ["number": 7]) }
        #expect(view.deskNumber == 7)
        #expect(realm.objects(LibraryView.self).where { $0.desk.number == 7 }.count == 1)
        try realm.write { desks.desk = nil }
        #expect(view.deskNumber == nil && realm.objects(DeskView.self).isEmpty)
        #expect(realm.objects(LibraryView.self).sorted(byKeyPath: "desk.number").count == 1)
    }

    @Test("a projection of an embedded object shows and sets its properties")
    func embedded() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Library.self, Reader.self, Desk.self])
        let library = Library(value: ["desk": ["number": 1]])
        try realm.write { realm.add(library) }
        let view = DeskView(projecting: try #require(library.desk))
        try realm.write { view.place = 9 }
        #expect(library.desk?.number == 9 && view.place == 9)
    }

    @Test(
        "projections are filtered and sorted by properties of their objects that they do not show")
    func rootProperties() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Library.self, Reader.self, Desk.self])
        try realm.write {
            for number in 0..<6 {
                realm.create(Library.self, value: ["name": "n\(number % 3)", "secret": number])
            }
        }
        let views = realm.objects(LibraryView.self)
        #expect(views.where { $0.secret > 3 }.map(\.title) == ["n1", "n2"])
        let sorted = views.sorted(by: [
            SortDescriptor(keyPath: "name", ascending: false), SortDescriptor(keyPath: "secret"),
        ])
        #expect(sorted.map(\.rootObject.secret) == [2, 5, 1, 4, 0, 3])
    }
}

final class TownView: Projection<Town> {
    @Projected(\Town.name) var title
    @Projected(\Town.nation?.name) var nationName
}

class Library: Object {
    @Persisted var name: String
    @Persisted var secret: Int
    @Persisted var desk: Desk?
    @Persisted var readers: List<Reader>
    @Persisted var keepers: MutableSet<Reader>
}

class Reader: Object {
    @Persisted var name: String
}

class Desk: EmbeddedObject {
    @Persisted var number: Int
}

final class LibraryView: Projection<Library> {
    @Projected(\Library.name) var title
    @Projected(\Library.desk?.number) var deskNumber
    @Projected(\Library.readers.projectTo.name) var names: ProjectedCollection<String>
    @Projected(\Library.keepers.projectTo.name) var keeperNames: ProjectedCollection<String>
}

final class DeskView: Projection<Desk> {
    @Projected(\Desk.number) var place
}
