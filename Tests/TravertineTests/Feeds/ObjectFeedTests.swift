import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Feeds of objects")
struct ObjectFeedTests {
    private let types: [ObjectBase.Type] = [
        FeedDog.self, FeedOwner.self, FeedTag.self, FeedSample.self,
    ]

    private func change(_ feed: ObjectFeed) throws -> [String] {
        var lines: [String] = []
        while try feed.read({ event in
            switch event {
            case .snapshot(let reason): lines.append("snapshot \(reason.rawValue)")
            case .schema(let types): lines.append("schema \(types.map(\.name).sorted())")
            case .put(let object): lines.append("put \(object.type.name) \(object.document)")
            case .delete(let object):
                lines.append(
                    "delete \(object.type.name) \(object.primaryKey.map { "\($0)" } ?? "?")")
            case .reached: lines.append("reached")
            }
        }) {}
        return lines
    }

    @Test("begins with all objects under stored names, and goes on with what differs, each once")
    func following() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let rex = FeedDog(value: ["id": 1, "name": "Rex", "tag": ["text": "brown"]])
        try realm.write { realm.add(rex) }
        let feed = try realm.feed(named: "search")
        #expect(
            try change(feed) == [
                "snapshot new", #"schema ["FeedDog", "FeedSample", "FeedTag", "owners"]"#,
                #"put FeedDog {id: 1, called: "Rex", tag: {text: "brown"}, owner: null}"#,
                "reached",
            ])
        try feed.acknowledge()
        // An object that changed twice comes once; the owner of a changed embedded object comes.
        let ann = FeedOwner(value: ["code": "A"])
        try realm.write {
            realm.add(ann)
            rex.owner = ann
        }
        try realm.write { rex.tag?.text = "black" }
        #expect(
            try change(feed) == [
                #"put FeedDog {id: 1, called: "Rex", tag: {text: "black"}, owner: "A"}"#,
                #"put owners {code: "A", dogs: []}"#, "reached",
            ])
        try realm.write { ann.dogs.append(rex) }
        try realm.write { realm.delete(rex) }
        #expect(
            try change(feed) == [
                "delete FeedDog 1", #"put owners {code: "A", dogs: []}"#, "reached",
            ])
        #expect(try change(feed) == [])
        #expect(try feed.waitForChange(timeout: .zero) == false)
        try realm.write { realm.deleteAll() }
        #expect(try change(feed) == ["delete owners ?", "reached"])
    }

    @Test("what was not acknowledged comes again, and what was does not")
    func again() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write { realm.add(FeedOwner(value: ["code": "A"])) }
        var feed = try realm.feed(named: "search", types: [FeedOwner.self])
        #expect(try change(feed).count == 4)
        feed.close()
        feed = try realm.feed(named: "search", types: [FeedOwner.self])
        #expect(try change(feed).count == 4)
        try feed.acknowledge()
        try realm.write { realm.add(FeedOwner(value: ["code": "B"])) }
        // Objects of other types are not shown.
        try realm.write { realm.add(FeedDog(value: ["id": 2])) }
        #expect(
            try change(feed).filter { $0.hasPrefix("put") } == [
                #"put owners {code: "B", dogs: []}"#
            ])
        feed.close()
        feed = try realm.feed(named: "search", types: [FeedOwner.self])
        #expect(
            try change(feed).filter { $0.hasPrefix("put") } == [
                #"put owners {code: "B", dogs: []}"#
            ])
    }

    @Test("a feed that had other types begins anew, also from a stored position")
    func otherTypes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            realm.add(FeedOwner(value: ["code": "A"]))
            realm.add(FeedDog(value: ["id": 1]))
        }
        var feed = try realm.feed(named: "search", types: [FeedOwner.self])
        _ = try change(feed)
        try feed.acknowledge()
        let position = try #require(feed.position)
        #expect(FeedPosition("\(position)") == position)
        feed.close()
        feed = try realm.feed(named: "search", types: [FeedOwner.self, FeedDog.self])
        try feed.resume(after: position)
        #expect(try change(feed).first == "snapshot otherTypes")
        try feed.acknowledge()
        feed.close()
        // Keys and values are another thing than objects.
        let raw = try realm.store.feed(named: "search")
        var events: [FeedEvent] = []
        try raw.read { events.append($0) }
        #expect(events.first == .snapshot(.otherTypes))
    }

    @Test("asymmetric objects are only added, whatever becomes of them")
    func asymmetric() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let feed = try realm.feed(named: "upload")
        _ = try change(feed)
        try realm.write { realm.create(FeedSample.self, value: ["id": 5, "celsius": 21.5]) }
        #expect(try change(feed) == ["put FeedSample {id: 5, celsius: 21.5}", "reached"])
        try realm.outbox.acknowledge(upTo: .max)
        #expect(try change(feed) == ["reached"])
    }

    @Test("asymmetric objects are deleted once the consumer of a feed has acknowledged them")
    func delivered() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write { realm.create(FeedSample.self, value: ["id": 1]) }
        let error = try #require(throws: Realm.Error.self) {
            try realm.outbox.acknowledge(shownBy: "upload")
        }
        #expect(error.code == .invalidInput && error.message.contains("no feed upload"))
        #expect(try realm.outbox.read().count == 1)
        let feed = try realm.feed(named: "upload")
        _ = try change(feed)
        #expect(try realm.outbox.acknowledge(shownBy: "upload") == 0, "nothing is acknowledged")
        try feed.acknowledge()
        try realm.write { realm.create(FeedSample.self, value: ["id": 2]) }
        // What compaction copies keeps the LSN that it was written under.
        try realm.store.compact()
        #expect(throws: Realm.Error.self) {
            try realm.outbox.acknowledge(shownBy: "upload", types: ["FeedSample"])
        }
        #expect(try realm.outbox.acknowledge(shownBy: "upload") == 1)
        #expect(try realm.outbox.read().map { $0.document["id"] } == [2])
        #expect(try realm.outbox.acknowledge(shownBy: "upload") == 0)
        // The consumer is shown the second one, and no deletion.
        #expect(
            try change(feed) == ["put FeedSample {id: 2, celsius: 0.0}", "reached"])
        try feed.acknowledge()
        #expect(try realm.outbox.acknowledge(shownBy: "upload") == 1)
        #expect(try realm.outbox.read().isEmpty)
    }

    @Test("what another feed of objects has not acknowledged stays, whichever feed is named")
    func deliveredToAll() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let feeds = try ["a", "b", "c"].map { try realm.feed(named: $0) }
        // One of keys and values asks for no objects, and one that was never read begins with all
        // that there is.
        let plain = try realm.store.feed(named: "plain")
        for feed in feeds.prefix(2) {
            _ = try change(feed)
            try feed.acknowledge()
        }
        for id in 1...3 {
            try realm.write { realm.create(FeedSample.self, value: ["id": id]) }
            _ = try change(feeds[0])
            try feeds[0].acknowledge()
            if id == 1 {
                _ = try change(feeds[1])
                try feeds[1].acknowledge()
            }
        }
        #expect(try realm.outbox.acknowledge(shownBy: "b") == 1)
        #expect(try realm.outbox.acknowledge(shownBy: "a") == 0)
        #expect(try realm.outbox.read().map { $0.document["id"] } == [2, 3])
        #expect(
            try change(feeds[1]) == [
                "put FeedSample {id: 2, celsius: 0.0}", "put FeedSample {id: 3, celsius: 0.0}",
                "reached",
            ])
        try feeds[1].acknowledge()
        #expect(try realm.outbox.acknowledge(shownBy: "a") == 2)
        #expect(try realm.outbox.read().isEmpty)
        plain.close()
    }

    @Test("new types and properties are shown before the objects that have them")
    func schema() throws {
        let directory = TemporaryDirectory()
        let feed: ObjectFeed
        do {
            let realm = try directory.open([FeedOwner.self, FeedDog.self, FeedTag.self])
            feed = try realm.feed(named: "search")
            _ = try change(feed)
        }
        let realm = try directory.open(types)
        try realm.write { realm.create(FeedSample.self, value: ["id": 1]) }
        #expect(
            try change(feed) == [
                #"schema ["FeedDog", "FeedSample", "FeedTag", "owners"]"#,
                "put FeedSample {id: 1, celsius: 0.0}", "reached",
            ])
    }

    @Test("a read-only realm has the feeds of the process that writes")
    func elsewhere() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write { realm.add(FeedOwner(value: ["code": "A"])) }
        try realm.store.sync()
        let reader = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, readOnly: true, objectTypes: []))
        let feed = try reader.feed(named: "search", typeNames: ["owners"])
        #expect(try change(feed).filter { $0.hasPrefix("put") }.count == 1)
        #expect(throws: Realm.Error.self) { try realm.feed(named: "search") }
        try realm.write { realm.add(FeedOwner(value: ["code": "B"])) }
        try realm.store.sync()
        #expect(try feed.waitForChange(timeout: .seconds(20)))
        #expect(
            try change(feed) == [#"put owners {code: "B", dogs: []}"#, "reached"])
    }

    @Test("reading ends at the newest commit, though another one comes while it is shown")
    func ending() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        #expect(try !realm.hasFeed(named: "search"))
        let feed = try realm.feed(named: "search")
        #expect(try realm.hasFeed(named: "search") && !realm.hasFeed(named: "other"))
        _ = try change(feed)
        for id in 1...3 {
            try realm.write { realm.add(FeedDog(value: ["id": id])) }
            var reached = 0
            let hasMore = try feed.read { event in
                guard case .reached = event else { return }
                reached += 1
                try realm.write { realm.add(FeedDog(value: ["id": id + 10])) }
            }
            #expect(!hasMore && reached == 1)
            try feed.acknowledge()
            #expect(try feed.waitForChange(timeout: .zero))
        }
    }

    @Test("names that no feed can have are refused, with advice")
    func refusals() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let error = try #require(
            throws: Realm.Error.self,
            performing: { try realm.feed(named: "x", typeNames: ["owner"]) })
        #expect("\(error)".contains("Did you mean 'owners'?"))
        let embedded = try #require(
            throws: Realm.Error.self,
            performing: { try realm.feed(named: "x", types: [FeedTag.self]) })
        #expect("\(embedded)".contains("inside of their owners"))
        #expect(throws: Realm.Error.self) { try realm.feed(named: "a/b") }
        #expect(throws: Realm.Error.self) { try realm.freeze().feed(named: "x") }
    }

    @Test("many changed keys are taken in shares: every object comes")
    func shares() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let feed = try realm.feed(named: "search", types: [FeedDog.self])
        feed.keyCountMax = 10
        _ = try change(feed)
        try realm.write { for id in 0..<100 { realm.add(FeedDog(value: ["id": id])) } }
        try realm.write { realm.delete(realm.objects(FeedDog.self).where { $0.id > 80 }) }
        var keys: [UInt64: Int] = [:]
        var deleted = 0
        var reached = 0
        while try feed.read({ event in
            switch event {
            case .put(let object): keys[object.key, default: 0] += 1
            case .delete: deleted += 1
            case .reached: reached += 1
            default: break
            }
        }) {}
        #expect(keys.count == 81 && keys.values.allSatisfy { $0 == 1 })
        #expect(deleted == 19 && reached == 1)
    }
}

private class FeedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var tag: FeedTag?
    @Persisted var owner: FeedOwner?
    override class func propertiesMapping() -> [String: String] { ["name": "called"] }
}

private class FeedOwner: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var dogs: List<FeedDog>
    override class func objectTypeName() -> String { "owners" }
}

private class FeedTag: EmbeddedObject {
    @Persisted var text: String
}

private class FeedSample: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var celsius: Double
}
