import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Changes and queries that once went wrong")
struct ReviewRegressionTests {
    @Test("deleting all objects of one type leaves pending list nodes of others alone")
    func deleteAllKeepsOtherLists() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Shelf.self, Pad.self])
        let texts = (0..<3000).map { "text \($0)" }
        try realm.write {
            let shelf = Shelf()
            shelf.texts.append(objectsIn: texts)
            realm.add(shelf)
            let pad = Pad()
            pad.lines.append(objectsIn: texts)
            realm.add(pad)
            realm.delete(realm.objects(Pad.self))
        }
        #expect(realm.objects(Pad.self).isEmpty)
        let shelf = try #require(realm.objects(Shelf.self).first)
        #expect(Array(shelf.texts) == texts)
    }

    @Test("results follow the second change in place of one object")
    func secondChangeInPlace() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            let pad = Pad()
            realm.add(pad)
            let found = realm.objects(Pad.self).where { $0.size == 2 }
            pad.size = 1
            #expect(Array(found).isEmpty)
            pad.size = 2
            #expect(Array(found).count == 1)
            pad.size = 3
            #expect(Array(found).isEmpty)
        }
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
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("rolled back"))
    }

    @Test("keys of deleted objects don't come again, in whatever order they were deleted")
    func keysStayUsed() throws {
        let directory = TemporaryDirectory()
        let key: UInt64
        do {
            let realm = try directory.open([Pad.self])
            try realm.write { for _ in 0..<3 { realm.add(Pad()) } }
            // The key of an insertion that is rolled back stands between the last one and the next.
            realm.beginWrite()
            realm.add(Pad())
            realm.cancelWrite()
            let last = try #require(realm.objects(Pad.self).last)
            key = last.key
            try realm.write { realm.delete(last) }
        }
        let realm = try directory.open([Pad.self])
        let pad = Pad()
        try realm.write { realm.add(pad) }
        #expect(pad.key > key)
    }

    @Test("texts are compared folded on both sides")
    func foldedTexts() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            for title in ["CAFE", "cafe", "Café", "CAFÉ", "tea"] {
                let pad = Pad()
                pad.title = title
                realm.add(pad)
            }
        }
        let all: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        let found = realm.objects(Pad.self).where { $0.title.contains("café", options: all) }
        #expect(found.count == 4)
    }

    @Test("a list behind a link is counted")
    func countBehindLink() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            let target = Pad()
            target.lines.append(objectsIn: ["a", "b"])
            let source = Pad()
            source.next = target
            realm.add(source)
        }
        #expect(realm.objects(Pad.self).where { $0.next.lines.count > 1 }.count == 1)
        #expect(realm.objects(Pad.self).where { $0.next.lines.count == 2 }.count == 1)
        #expect(realm.objects(Pad.self).where { $0.lines.count == 2 }.count == 1)
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
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("through or to a collection"))
    }

    @Test("nil set in place leaves nothing of the old value")
    func nilInPlace() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        let pad = Pad()
        pad.level = 77
        try realm.write { realm.add(pad) }
        try realm.write { pad.level = nil }
        #expect(pad.level == nil)
        try realm.write { pad.level = 5 }
        #expect(pad.level == 5)
    }
}

class Pad: Object {
    @Persisted var title: String
    @Persisted var size: Int
    @Persisted var level: Int?
    @Persisted var lines: List<String>
    @Persisted var next: Pad?
}
