import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Sets and maps")
struct CollectionTypesTests {
    private let types: [ObjectBase.Type] = [Bookcase.self, Book.self]

    @Test("a set keeps different values in order, through rollback and reopening")
    func sets() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            let shelf = Bookcase(value: ["id": 1, "labels": ["b", "a", "b"]])
            let labels = shelf.labels
            #expect(labels.count == 2 && labels.contains("a") && labels.realm == nil)
            try realm.write { realm.add(shelf) }
            #expect(labels.realm == realm && labels === shelf.labels)
            #expect(Array(labels) == ["a", "b"] && labels.contains("b") && !labels.contains("c"))
            #expect(throws: Stop.self) {
                try realm.write {
                    labels.insert("c")
                    labels.remove("a")
                    #expect(Array(labels) == ["b", "c"])
                    throw Stop()
                }
            }
            #expect(Array(labels) == ["a", "b"])
            try realm.write {
                labels.insert(objectsIn: ["c", "a"])
                shelf.numbers.insert(objectsIn: [3, nil, -1, 3])
            }
        }
        let realm = try directory.open(types)
        let shelf = try #require(realm.objects(Bookcase.self).first)
        #expect(Array(shelf.labels) == ["a", "b", "c"] && Array(shelf.numbers) == [nil, -1, 3])
        #expect(realm.objects(Bookcase.self).where { $0.labels.contains("b") }.count == 1)
        #expect(realm.objects(Bookcase.self).where { $0.labels.count == 3 }.count == 1)
        #expect(realm.objects(Bookcase.self).where { $0.labels.contains("x") }.isEmpty)
        try realm.write { shelf.labels = ["z"] }
        #expect(Array(shelf.labels) == ["z"])
        #expect(shelf.labels.description == "MutableSet<String> (\n\t[0] z\n)")
    }

    @Test("set algebra is that of Swift's sets, managed and not")
    func algebra() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let first = Bookcase(value: ["id": 1, "labels": ["a", "b", "c"]])
        let second = Bookcase(value: ["id": 2, "labels": ["b", "c", "d"]])
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add([first, second]) } }
            let change = { (body: () -> Void) in
                if isManaged { try realm.write { body() } } else { body() }
            }
            #expect(first.labels.intersects(second.labels))
            #expect(!first.labels.isSubset(of: second.labels))
            try change { first.labels.formIntersection(second.labels) }
            #expect(Set(first.labels) == ["b", "c"] && first.labels.isSubset(of: second.labels))
            try change { first.labels.formUnion(second.labels) }
            #expect(Set(first.labels) == ["b", "c", "d"])
            try change {
                first.labels.subtract(second.labels)
                first.labels.insert(objectsIn: ["a", "b", "c"])
            }
            #expect(Set(first.labels) == ["a", "b", "c"])
        }
    }

    @Test("a map keeps values under any key, through rollback and reopening")
    func maps() throws {
        let directory = TemporaryDirectory()
        let keys = ["", "a.b", "$c", "é", "long \(String(repeating: "x", count: 300))"]
        do {
            let realm = try directory.open(types)
            let shelf = Bookcase(value: ["id": 1, "counts": ["one": 1, "two": 2]])
            let counts = shelf.counts
            #expect(counts["one"] == 1 && counts.count == 2)
            try realm.write { realm.add(shelf) }
            #expect(counts.realm == realm && counts["two"] == 2 && counts["three"] == nil)
            #expect(throws: Stop.self) {
                try realm.write {
                    counts["one"] = 7
                    counts["two"] = nil
                    #expect(counts.keys == ["one"] && counts.values == [7])
                    throw Stop()
                }
            }
            #expect(counts.keys == ["one", "two"] && counts.values == [1, 2])
            try realm.write {
                for (place, key) in keys.enumerated() { counts.updateValue(place, forKey: key) }
                counts.removeObject(for: "one")
                counts.merge(["two": 20]) { $0 + $1 }
            }
        }
        let realm = try directory.open(types)
        let counts = try #require(realm.objects(Bookcase.self).first).counts
        #expect(counts.count == keys.count + 1 && counts["two"] == 22)
        for (place, key) in keys.enumerated() { #expect(counts[key] == place) }
        #expect(counts.filter { $0.value > 3 }.keys.sorted() == [keys[4], "two"].sorted())
        #expect(counts.contains { key, value in key == "é" && value == 3 })
        #expect(counts.map(\.key) == counts.keys)
        #expect(realm.objects(Bookcase.self).where { $0.counts.contains(22) }.count == 1)
        #expect(realm.objects(Bookcase.self).where { $0.counts.count > 6 }.isEmpty)
        try realm.write { counts.removeAll() }
        #expect(counts.isEmpty && counts["two"] == nil)
    }

    @Test("objects in sets and maps are added with their owner and leave when they are deleted")
    func objects() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let books = (0..<4).map { Book(value: ["title": "b\($0)"]) }
        let shelf = Bookcase(value: ["id": 1])
        shelf.books.insert(objectsIn: books[0...2])
        shelf.places["first"] = books[0]
        shelf.places["none"] = .some(nil)
        try realm.write {
            realm.add(shelf)
            shelf.books.insert(books[3])
            shelf.books.insert(books[3])
            shelf.places["last"] = books[3]
        }
        #expect(realm.objects(Book.self).count == 4)
        #expect(shelf.books.count == 4 && shelf.books.contains(books[2]))
        #expect(shelf.places["last"]??.title == "b3" && shelf.places.count == 3)
        #expect(books[3].shelves.count == 1 && books[3].places.count == 1)
        #expect(realm.objects(Bookcase.self).where { $0.books.title == "b2" }.count == 1)
        try realm.write { realm.delete(books[3]) }
        #expect(Set(shelf.books.map(\.title)) == ["b0", "b1", "b2"])
        #expect(
            shelf.places.keys == ["first", "last", "none"] && shelf.places["last"] == .some(nil))
        try realm.write { realm.delete(shelf) }
        #expect(books[0].shelves.isEmpty && books[0].places.isEmpty)
    }

    @Test("linking objects count every link and follow deletes and rollback")
    func linkingObjects() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let book = Book(value: ["title": "x"])
        #expect(book.listed.isEmpty)
        let shelves = (0..<3).map { Bookcase(value: ["id": $0]) }
        try realm.write {
            realm.add(book)
            realm.add(shelves)
            for shelf in shelves { shelf.row.append(objectsIn: [book, book]) }
        }
        #expect(book.listed.map(\.id) == [0, 0, 1, 1, 2, 2] && book.listed.count == 6)
        #expect(book["listed"] is LinkingObjects<Bookcase>)
        #expect(throws: Stop.self) {
            try realm.write {
                realm.delete(shelves[0])
                shelves[1].row.remove(at: 0)
                #expect(book.listed.map(\.id) == [1, 2, 2])
                throw Stop()
            }
        }
        #expect(book.listed.count == 6)
        #expect(realm.objects(Book.self).where { $0.listed.id == 2 }.count == 1)
        #expect(realm.objects(Book.self).where { $0.listed.id == 3 }.isEmpty)
        #expect(realm.objects(Book.self).where { $0.listed.count == 6 }.count == 1)
        #expect(realm.objects(Book.self).where { $0.shelves.count > 0 }.isEmpty)
        #expect(realm.objects(Bookcase.self).where { $0.row.listed.count > 11 }.count == 3)
        #expect(realm.objects(Bookcase.self).where { $0.row.listed.count > 12 }.isEmpty)
        try realm.write { realm.delete(shelves[2]) }
        #expect(book.listed.map(\.id) == [0, 0, 1, 1])
    }

    @Test("large sets and maps equal a model after every change", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        var random = SeededRandom(seed: seed)
        var set: Set<String> = []
        var map: [String: Int] = [:]
        let shelf = Bookcase(value: ["id": 1])
        try realm.write { realm.add(shelf) }
        for round in 0..<40 {
            let before = (set, map)
            do {
                try realm.write {
                    for _ in 0..<random.below(120) {
                        let text = random.below(4) == 0 ? random.text() : "k\(random.below(3000))"
                        if random.chance(70) {
                            set.insert(text)
                            map[text] = round
                            shelf.labels.insert(text)
                            shelf.counts[text] = round
                        } else {
                            let old = random.chance(80) ? set.sorted().first ?? text : text
                            set.remove(old)
                            map[old] = nil
                            shelf.labels.remove(old)
                            shelf.counts[old] = nil
                        }
                    }
                    if random.chance(15) { throw Stop() }
                }
            } catch is Stop {
                (set, map) = before
            }
            let wanted = set.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            #expect(Array(shelf.labels) == wanted, "seed \(seed), round \(round)")
            #expect(shelf.counts.keys == wanted, "seed \(seed), round \(round)")
            for key in wanted { #expect(shelf.counts[key] == map[key]) }
            #expect(wanted.allSatisfy { shelf.labels.contains($0) })
        }
        #expect(set.count > 300, "the collections must have grown into trees")
    }
}

class Bookcase: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var labels: MutableSet<String>
    @Persisted var numbers: MutableSet<Int?>
    @Persisted var books: MutableSet<Book>
    @Persisted var counts: Map<String, Int>
    @Persisted var places: Map<String, Book?>
    @Persisted var row: List<Book>
    @Persisted var width: Int
}

class Book: Object {
    @Persisted var title: String
    @Persisted(originProperty: "books") var shelves: LinkingObjects<Bookcase>
    @Persisted(originProperty: "places") var places: LinkingObjects<Bookcase>
    @Persisted(originProperty: "row") var listed: LinkingObjects<Bookcase>
}
