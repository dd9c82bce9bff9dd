import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the methods of collections cost, counted in what they read: the nodes of large collections,
/// rows, and links that are found. A method that finds its place anew at each position reads as
/// many as the square of the number of elements.
@Suite("What the methods of collections cost")
struct CollectionMethodCostTests {
    private static let count = 2000
    /// How often a method may read the same: some go over the elements several times.
    private static let passCountMax = 8

    private let directory = TemporaryDirectory()

    @Test("every method of every managed collection reads each part of it a few times at most")
    func managed() throws {
        let realm = try directory.open([CostShelf.self, CostBook.self])
        let shelf = try Self.fill(realm)
        let (books, session) = (shelf.books, realm.session)
        let book = try #require(realm.objects(CostBook.self).first)

        Self.check("list of values", shelf.titles, session)
        Self.check("list of objects", books, session)
        Self.check("set of values", shelf.marks, session)
        Self.check("set of objects", shelf.bookSet, session)
        Self.check("linking objects", book.shelves, session)
        Self.check("any collection", AnyRealmCollection(shelf.titles), session)
        Self.check("any linking objects", AnyRealmCollection(book.shelves), session)
        Self.check("projected list", books.projectTo.title, session)
        Self.check("results of a type", realm.objects(CostBook.self), session)
        Self.check(
            "results with a condition", realm.objects(CostBook.self).where { $0.id >= 0 }, session)
        Self.check(
            "sorted results", realm.objects(CostBook.self).sorted(byKeyPath: "title"), session)
        Self.check("results of a list", books.where { $0.id >= 0 }, session)
        Self.check("results of linking objects", book.shelves.where { $0.id >= 0 }, session)
        Self.check("values of a list with a condition", shelf.titles.where { $0 != "" }, session)
        Self.check("sorted values of a list", shelf.titles.sorted(ascending: false), session)
        Self.check("distinct values of a map", shelf.notes.distinct(), session)
        Self.check("slice of a list", shelf.titles[1...], session)

        let notes = shelf.notes
        Self.expect("iterating over a map", session) { for entry in notes { _ = entry.value } }
        Self.expect("walking a map by positions", session) {
            var position = notes.startIndex
            while position < notes.endIndex {
                _ = notes[position]
                position = notes.index(after: position)
            }
        }
        Self.expect("the position of a value in a map", session) { _ = notes.index(of: "none") }
        #expect(session.damage == nil)
    }

    @Test("and within a transaction, where large collections and rows are still in memory")
    func uncommitted() throws {
        let realm = try directory.open([CostShelf.self, CostBook.self])
        try realm.write {
            let shelf = CostShelf(value: ["id": 0])
            realm.add(shelf)
            for id in 0..<Self.count {
                let book = realm.create(CostBook.self, value: ["id": id, "title": "title \(id)"])
                shelf.books.append(book)
                shelf.titles.append("title \(id)")
            }
            Self.check("list of values", shelf.titles, realm.session)
            Self.check("list of objects", shelf.books, realm.session)
            #expect(shelf.titles.map { $0 } == (0..<Self.count).map { "title \($0)" })
            #expect(shelf.books.map(\.id) == Array(0..<Self.count))
        }
    }

    @Test("all objects of a type are changed by their positions with one look at each")
    func changingByPositions() throws {
        let realm = try directory.open([CostShelf.self, CostBook.self])
        _ = try Self.fill(realm)
        let books = realm.objects(CostBook.self)
        let expected = books.map { $0.id + 1 }
        try realm.write {
            Self.expect("changing by positions", realm.session) {
                for position in books.indices { books[position].pages = books[position].id + 1 }
            }
            #expect(books.map(\.pages) == expected)
            // Objects that come and go are noticed.
            realm.delete(books[0])
            #expect(books[0].id == 1 && books.count == Self.count - 1)
            realm.create(CostBook.self, value: ["id": 0])
            #expect(books[0].id == 0 && books.count == Self.count)
            books[5].pages = -1
            #expect(books[5].id == 5 && books[5].pages == -1)
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.create(CostBook.self, value: ["id": -5])
                    #expect(books[0].id == -5)
                    throw Stop()
                }
            }
            realm.create(CostBook.self, value: ["id": -4])
            #expect(books[0].id == -4 && books[1].id == 0)
        }
    }

    @Test("linking objects follow what links, also in between two positions")
    func linksThatChange() throws {
        let realm = try directory.open([CostShelf.self, CostBook.self])
        let (first, second) = (CostShelf(value: ["id": 1]), CostShelf(value: ["id": 2]))
        let book = CostBook(value: ["id": 1])
        try realm.write {
            realm.add([first, second])
            realm.add(book)
            #expect(book.shelves.isEmpty && book.mainShelves.isEmpty)
            second.books.append(book)
            #expect(book.shelves.map(\.id) == [2])
            first.main = book
            #expect(book.mainShelves.map(\.id) == [1] && book.shelves[0].id == 2)
            first.books.append(book)
            #expect(book.shelves.map(\.id) == [1, 2] && book.shelves[1].id == 2)
            first.main = nil
            second.books.removeAll()
            #expect(book.mainShelves.isEmpty && book.shelves.map(\.id) == [1])
            realm.delete(first)
            #expect(book.shelves.isEmpty)
        }
        #expect(throws: Stop.self) {
            try realm.write {
                second.books.append(book)
                #expect(book.shelves.count == 1)
                throw Stop()
            }
        }
        #expect(book.shelves.isEmpty)
    }

    @Test("a loop over the positions of linking objects that changes these finds the links once")
    func changingWhatLinks() throws {
        let realm = try directory.open([CostShelf.self, CostBook.self])
        let book = CostBook(value: ["id": 1])
        try realm.write {
            realm.add(book)
            for id in 0..<Self.count {
                realm.create(CostShelf.self, value: ["id": id, "books": [book], "main": book])
            }
        }
        try realm.write {
            Self.expect("changing what links by a list", realm.session) {
                for position in book.shelves.indices {
                    book.shelves[position].titles.append("changed")
                }
            }
            Self.expect("changing what links by a property", realm.session) {
                for position in book.mainShelves.indices {
                    book.mainShelves[position].notes["a"] = "changed"
                }
            }
            #expect(book.shelves.allSatisfy { $0.titles.count == 1 && $0.notes.count == 1 })
            // Objects that come with a link are noticed, and so are types that are emptied.
            realm.create(CostShelf.self, value: ["id": -1, "main": book])
            #expect(book.mainShelves.count == Self.count + 1 && book.mainShelves[0].id == -1)
            realm.add(CostShelf(value: ["id": -1]), update: .all)
            #expect(book.mainShelves.count == Self.count && book.mainShelves[0].id == 0)
            realm.create(CostShelf.self, value: ["id": -1, "main": book], update: .modified)
            #expect(book.mainShelves.count == Self.count + 1 && book.mainShelves[0].id == -1)
            realm.create(CostShelf.self, value: ["id": -2, "books": [book]])
            #expect(book.shelves.count == Self.count + 1 && book.shelves[0].id == -2)
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.create(CostShelf.self, value: ["id": -3, "books": [book]])
                    #expect(book.shelves[0].id == -3)
                    throw Stop()
                }
            }
            #expect(book.shelves[0].id == -2)
            realm.delete(realm.objects(CostShelf.self))
            #expect(book.shelves.isEmpty && book.mainShelves.isEmpty)
        }
    }

    @Test("positions of unmanaged sets and maps stay until these are changed")
    func unmanaged() {
        let set = MutableSet<Int>()
        set.insert(objectsIn: 0..<Self.count)
        #expect(set.indices.map { set[$0] } == Array(set))
        set.remove(set[7])
        set.insert(-1)
        #expect(set.count == Self.count && Set(set.indices.map { set[$0] }) == Set(set))
        let map = Map<String, Int>()
        for number in 0..<Self.count { map[String(number)] = number }
        #expect(map.keys == (0..<Self.count).map { String($0) }.sorted())
        map["none"] = 1
        map["0"] = nil
        #expect(map.startIndex.offset == 0 && map[map.startIndex].key == "1")
        #expect(map.keys.last == "none" && map.count == Self.count)
    }

    // MARK: Counting

    private static func fill(_ realm: Realm) throws -> CostShelf {
        let shelf = CostShelf(value: ["id": 0])
        let books = (0..<count).map { CostBook(value: ["id": $0, "title": "title \($0)"]) }
        shelf.books.append(objectsIn: books)
        shelf.bookSet.insert(objectsIn: books)
        shelf.titles.append(objectsIn: books.map(\.title))
        shelf.marks.insert(objectsIn: books.map(\.title))
        for book in books { shelf.notes[book.title] = book.title }
        try realm.write {
            realm.add(shelf)
            for id in 1...count {
                realm.create(CostShelf.self, value: ["id": id, "books": [books[0]]])
            }
        }
        return shelf
    }

    private static func check<Elements: RandomAccessCollection>(
        _ name: String, _ elements: Elements, _ session: RealmSession
    ) where Elements.Element: Equatable, Elements.Index == Int {
        guard let last = elements.last else {
            Issue.record("\(name) has no element")
            return
        }
        for (method, run) in methods(of: elements, last) {
            expect("\(method) of \(name)", session, run)
        }
    }

    private static func expect(_ name: String, _ session: RealmSession, _ run: () -> Void) {
        #if DEBUG
            session.visits = (0, 0, 0, 0)
            run()
            let most = passCountMax * (count + 1)
            // A leaf has dozens of elements, and two nodes lead to it.
            #expect(session.visits.nodes <= most / 10, "\(name): \(session.visits)")
            #expect(session.visits.rows <= most, "\(name): \(session.visits)")
            #expect(session.visits.links <= most, "\(name): \(session.visits)")
        #endif
    }

    private static func methods<Elements: RandomAccessCollection>(
        of elements: Elements, _ last: Elements.Element
    ) -> [(String, () -> Void)] where Elements.Element: Equatable, Elements.Index == Int {
        let middle = elements.startIndex + elements.count / 2
        let ignore: (Elements.Element) -> Void = { _ in }
        return [
            ("for in", { for element in elements { _ = element } }),
            ("forEach", { elements.forEach(ignore) }),
            ("map", { _ = elements.map { $0 } }),
            ("compactMap", { _ = elements.compactMap { $0 } }),
            ("flatMap", { _ = elements.flatMap { [$0] } }),
            ("filter", { _ = elements.filter { $0 == last } }),
            ("reduce", { _ = elements.reduce(0) { number, _ in number + 1 } }),
            ("reduce(into:)", { _ = elements.reduce(into: 0) { number, _ in number += 1 } }),
            ("contains", { _ = elements.contains(last) }),
            ("contains(where:)", { _ = elements.contains { $0 == last } }),
            ("allSatisfy", { _ = elements.allSatisfy { _ in true } }),
            ("first(where:)", { _ = elements.first { $0 == last } }),
            ("last(where:)", { _ = elements.last { _ in false } }),
            ("firstIndex(of:)", { _ = elements.firstIndex(of: last) }),
            ("firstIndex(where:)", { _ = elements.firstIndex { $0 == last } }),
            ("lastIndex(of:)", { _ = elements.lastIndex(of: last) }),
            ("lastIndex(where:)", { _ = elements.lastIndex { _ in false } }),
            ("min(by:)", { _ = elements.min { _, _ in false } }),
            ("max(by:)", { _ = elements.max { _, _ in false } }),
            ("sorted(by:)", { _ = elements.sorted { _, _ in false } }),
            ("shuffled", { _ = elements.shuffled() }),
            ("randomElement", { _ = elements.randomElement() }),
            (
                "reversed",
                { for element in elements.reversed() as ReversedCollection { _ = element } }
            ),
            ("enumerated", { for (_, element) in elements.enumerated() { _ = element } }),
            ("zip", { for (element, _) in zip(elements, elements.indices) { _ = element } }),
            ("indices", { for index in elements.indices { _ = elements[index] } }),
            (
                "indices, descending",
                { for index in elements.indices.reversed() { _ = elements[index] } }
            ),
            (
                "a loop up to the count",
                {
                    var index = elements.startIndex
                    while index < elements.endIndex {
                        _ = elements[index]
                        elements.formIndex(after: &index)
                    }
                }
            ),
            ("Array", { _ = Array(elements) }),
            ("prefix", { for element in elements.prefix(middle) { _ = element } }),
            (
                "prefix(while:)",
                { for element in elements.prefix(while: { _ in true }) { _ = element } }
            ),
            ("suffix", { for element in elements.suffix(middle) { _ = element } }),
            ("dropFirst", { for element in elements.dropFirst() { _ = element } }),
            ("dropLast", { for element in elements.dropLast() { _ = element } }),
            (
                "drop(while:)",
                { for element in elements.drop(while: { _ in false }) { _ = element } }
            ),
            ("split", { _ = elements.split { $0 == last } }),
            ("a range", { for element in elements[middle...] { _ = element } }),
            ("lazy.map", { for element in elements.lazy.map({ $0 }) { _ = element } }),
            (
                "lazy.filter",
                { for element in elements.lazy.filter({ $0 == last }) { _ = element } }
            ),
            ("elementsEqual", { _ = elements.elementsEqual(elements) }),
            ("starts(with:)", { _ = elements.starts(with: elements) }),
            ("difference", { _ = elements.difference(from: elements) }),
            (
                "first, last, count, isEmpty",
                {
                    _ = (elements.first, elements.last, elements.count, elements.isEmpty)
                }
            ),
        ]
    }
}

class CostShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var titles: List<String>
    @Persisted var books: List<CostBook>
    @Persisted var marks: MutableSet<String>
    @Persisted var bookSet: MutableSet<CostBook>
    @Persisted var notes: Map<String, String>
    @Persisted var main: CostBook?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class CostBook: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var pages: Int
    @Persisted(originProperty: "books") var shelves: LinkingObjects<CostShelf>
    @Persisted(originProperty: "main") var mainShelves: LinkingObjects<CostShelf>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
