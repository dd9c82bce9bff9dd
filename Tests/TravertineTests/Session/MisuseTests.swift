import RealmSwift
import TestSupport
import Testing

@Suite("Misuse")
struct MisuseTests {
    private func expect(_ part: String, in result: ExitTest.Result?) {
        let message = result.errorText
        #expect(message.contains(part), "\(message)")
    }

    @Test("changing a set outside of a transaction stops with a message")
    func setOutside() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Bookcase.self, Book.self])
            defer { withExtendedLifetime(directory) {} }
            let shelf = Bookcase(value: ["id": 1])
            try realm.write { realm.add(shelf) }
            shelf.labels.insert("x")
        }
        expect("Attempting to modify object outside of a write transaction", in: result)
    }

    @Test("using a collection of a deleted object stops with a message")
    func deletedOwner() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Bookcase.self, Book.self])
            defer { withExtendedLifetime(directory) {} }
            let shelf = Bookcase(value: ["id": 1, "counts": ["a": 1]])
            try realm.write { realm.add(shelf) }
            let counts = shelf.counts
            try realm.write { realm.delete(shelf) }
            _ = counts["a"]
        }
        expect("Object has been deleted or invalidated", in: result)
    }

    @Test("setting linking objects stops with a message")
    func settingLinkingObjects() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let book = Book()
            book.listed = LinkingObjects(fromType: Bookcase.self, property: "row")
        }
        expect("Linking objects can't be set", in: result)
    }

    @Test("taking an aggregate of a property as another type stops with both")
    func aggregates() async {
        let least = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Account.self])
            defer { withExtendedLifetime(directory) {} }
            let _: Double? = realm.objects(Account.self).min(ofProperty: "id")
        }
        expect("least or greatest value of 'id' as Double: it is int", in: least)
        let sum = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Account.self])
            defer { withExtendedLifetime(directory) {} }
            let _: Int = realm.objects(Account.self).sum(ofProperty: "balance")
        }
        expect("Cannot add up 'balance' as Int: it is decimal128", in: sum)
    }

    @Test("an unknown name of a property stops with the names there are")
    func unknownName() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Bookcase.self, Book.self])
            defer { withExtendedLifetime(directory) {} }
            try realm.write { realm.add(Book(value: ["title": "t"])) }
            _ = realm.dynamicObjects("Book").first?["name"]
        }
        expect("Book has no property \"name\". Its properties are title", in: result)
    }

    @Test("adding an object whose insertion was rolled back stops")
    func addAfterRollback() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Pad.self])
            let pad = Pad()
            realm.beginWrite()
            realm.add(pad)
            realm.cancelWrite()
            realm.beginWrite()
            realm.add(pad)
        }
        let text = result.errorText
        #expect(text.contains("rolled back"))
    }

    @Test("sorting through a collection stops with advice")
    func sortThroughCollection() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Node.self, Tag.self])
            try realm.write { realm.add(Node(value: ["id": 1])) }
            _ = realm.objects(Node.self).sorted(byKeyPath: "children.name").first
        }
        let text = result.errorText
        #expect(text.contains("through or to a collection"))
    }
}
