import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Asymmetric objects")
struct AsymmetricObjectTests {
    private let types: [ObjectBase.Type] = [Reading.self, Alarm.self, Probe.self, Station.self]

    private func add(_ ids: some Sequence<Int>, to realm: Realm) throws {
        try realm.write { for id in ids { realm.create(Reading.self, value: ["id": id]) } }
    }

    @Test("a consumer gets them in order, across types, as documents with stored names")
    func documents() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let station = Station(value: ["code": "S1"])
        try realm.write {
            realm.add(station)
            realm.create(
                Reading.self,
                value: [
                    "id": 7, "celsius": 21.5, "station": station, "probe": ["depth": 3],
                    "stations": [station], "probes": [["depth": 4], ["depth": 5]],
                    "notes": ["b": "two", "a": "one"], "anything": ["x": [1, nil]],
                ])
            realm.create(Alarm.self, value: ["text": "hot"])
        }
        let entries = try realm.outbox.read()
        #expect(entries.map(\.sequence) == [1, 2])
        #expect(entries.map(\.type) == ["Reading", "alarms"])
        let expected: StoredDocument = [
            "_id": 7, "celsius": 21.5, "station": "S1", "probe": ["depth": 3],
            "stations": ["S1"], "probes": [["depth": 4], ["depth": 5]],
            "notes": ["a": "one", "b": "two"], "anything": ["x": [1, nil]],
        ]
        #expect(entries.first?.document == expected)
        #expect(entries.last?.document == ["text": "hot", "about": nil])
    }

    @Test("a link in a value of any type has its type, and is null when its target is deleted")
    func mixedLinks() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let station = Station(value: ["code": "S1"])
        try realm.write {
            realm.add(station)
            realm.create(Alarm.self, value: ["text": "a", "about": station])
        }
        let link = StoredValue.link(type: "Station", key: "S1")
        #expect(try realm.outbox.read().first?.document["about"] == link)
        try realm.write { realm.delete(station) }
        #expect(try realm.outbox.read().first?.document["about"] == .null)
    }

    @Test(
        "a link to a derived class has its type; one to the property's own is the key"
    )
    func varyingLinks() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Sighting.self, Observer.self, Ranger.self])
        let ranger = Ranger(value: ["code": "R1"])
        let observer = Observer(value: ["code": "O1"])
        try realm.write {
            realm.add(ranger)
            realm.add(observer)
            realm.create(Sighting.self, value: ["by": ranger, "others": [ranger, observer]])
            realm.create(Sighting.self, value: ["by": observer, "others": []])
        }
        let link = StoredValue.link(type: "Ranger", key: "R1")
        #expect(
            try realm.outbox.read().map(\.document) == [
                ["by": link, "others": .array([link, "O1"])], ["by": "O1", "others": []],
            ])
        try realm.write { realm.delete(observer) }
        try realm.write { realm.delete(ranger) }
        #expect(try realm.outbox.read().first?.document == ["by": nil, "others": []])
    }

    @Test("acknowledging deletes them with their embedded objects; numbers never come again")
    func acknowledging() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            try add(1...5, to: realm)
            #expect(try realm.outbox.read(after: 2, limit: 2).map(\.sequence) == [3, 4])
            #expect(try realm.outbox.acknowledge(upTo: 3) == 3)
            #expect(try realm.outbox.acknowledge(upTo: 3) == 0)
            #expect(try realm.outbox.read().map(\.sequence) == [4, 5])
            #expect(try realm.outbox.acknowledge(upTo: .max) == 2)
            #expect(try realm.outbox.read().isEmpty && realm.isEmpty)
            let keyspaces = try realm.store.statistics.keyspaces
            #expect(keyspaces.filter { $0.name.hasPrefix("type.") }.allSatisfy { $0.keyCount == 0 })
        }
        let realm = try directory.open(types)
        try add([1], to: realm)
        #expect(try realm.outbox.read().map(\.sequence) == [6])
    }

    @Test("what was not acknowledged comes again after a crash, under the same numbers")
    func crash() throws {
        let directory = TemporaryDirectory()
        let crashed = TemporaryDirectory()
        let realm = try directory.open(types)
        try add(1...4, to: realm)
        try realm.outbox.acknowledge(upTo: 1)
        let seen = try realm.outbox.read()
        try FileManager.default.copyItem(at: directory.url, to: crashed.url)
        let reopened = try crashed.open(types)
        #expect(try reopened.outbox.read() == seen && seen.map(\.sequence) == [2, 3, 4])
        try add([9], to: reopened)
        #expect(try reopened.outbox.read(after: 4).map(\.sequence) == [5])
    }

    @Test("what a consumer has read is durable, whatever its commit waited for")
    func durability() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try add([1], to: realm)
        let before = realm.store.durableLSN
        #expect(try realm.outbox.read().count == 1)
        #expect(realm.store.durableLSN > before)
    }

    @Test("a rolled back transaction leaves nothing, and acknowledging can be part of one")
    func transactions() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try add(1...2, to: realm)
        #expect(throws: Stop.self) {
            try realm.write {
                realm.create(Reading.self, value: ["id": 3])
                #expect(try realm.outbox.read().map(\.sequence) == [1, 2])
                try realm.outbox.acknowledge(upTo: 2)
                throw Stop()
            }
        }
        #expect(try realm.outbox.read().map(\.sequence) == [1, 2])
        try realm.write {
            try realm.outbox.acknowledge(upTo: 1)
            realm.add(Station(value: ["code": "stored with it"]))
        }
        #expect(try realm.outbox.read().map(\.sequence) == [2])
    }

    @Test("keys are unique among those that wait, and free again afterwards")
    func uniqueKeys() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try add([1], to: realm)
        let duplicate = try #require(throws: Realm.Error.self) { try add([1], to: realm) }
        #expect(duplicate.code == .duplicatePrimaryKey)
        #expect(try realm.outbox.read().count == 1)
        try realm.outbox.acknowledge(upTo: 1)
        try add([1], to: realm)
        #expect(try realm.outbox.read().map(\.sequence) == [2])
    }

    @Test("deleteAll leaves them and what is embedded in them")
    func deleteAll() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            realm.create(Reading.self, value: ["id": 1, "probe": ["depth": 3]])
            realm.add(Station(value: ["code": "S1", "probe": ["depth": 9]]))
        }
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && realm.objects(Station.self).isEmpty)
        #expect(try realm.outbox.read().first?.document["probe"] == ["depth": 3])
        #expect(realm.objects(Probe.self).map(\.depth) == [3])
        #expect(realm.objects(Probe.self).first?.parent == nil)
    }

    @Test("types without their class are read and inserted by name")
    func withoutClass() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            try add([1], to: realm)
        }
        let realm = try directory.open([])
        try realm.write {
            try realm.insert(
                asymmetric: "Reading", value: ["_id": 2, "probe": ["depth": 8]])
        }
        #expect(try realm.outbox.read().map { $0.document["_id"] } == [1, 2])
        #expect(try realm.outbox.read(after: 1).first?.document["probe"] == ["depth": 8])
        #expect(throws: Realm.Error.self) {
            try realm.write { try realm.insert(asymmetric: "Station", value: ["code": "x"]) }
        }
    }

    @Test("an object that was made before is inserted as a copy")
    func inserting() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let reading = Reading(value: ["id": 3])
        try realm.write { try realm.insert(reading) }
        #expect(reading.realm == nil && reading.id == 3)
        #expect(try realm.outbox.read().first?.document["_id"] == 3)
    }

    @Test("nothing may link to them, and a type does not become one")
    func links() throws {
        let directory = TemporaryDirectory()
        let error = try #require(throws: Realm.Error.self) {
            _ = try directory.open([ReadingHolder.self, Alarm.self])
        }
        #expect(error.message.contains("'ReadingHolder.alarm' links to the asymmetric object type"))
        do { _ = try directory.open([Alarm.self]) }
        let changed = try #require(throws: Realm.Error.self) {
            _ = try directory.open([AlarmV2.self], version: 1)
        }
        #expect(changed.message.contains("changed from asymmetric to top-level"))
    }

    @Test("the store's format says that it needs a program that knows them")
    func format() throws {
        let directory = TemporaryDirectory()
        let plain = try directory.open([Station.self, Probe.self])
        #expect(plain.session.shared.schema.encodedHeader.first == 2)
        let asymmetric = try directory.open(types)
        #expect(asymmetric.session.shared.schema.encodedHeader.first == 3)
    }
}

class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var celsius: Double
    @Persisted var station: Station?
    @Persisted var probe: Probe?
    @Persisted var stations: List<Station>
    @Persisted var probes: List<Probe>
    @Persisted var notes: Map<String, String>
    @Persisted var anything: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["id": "_id"] }
}

class Alarm: AsymmetricObject {
    @Persisted var text: String
    @Persisted var about: AnyRealmValue
    override class func objectTypeName() -> String { "alarms" }
}

class AlarmV2: Object {
    @Persisted var text: String
    @Persisted var about: AnyRealmValue
    override class func objectTypeName() -> String { "alarms" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Probe: EmbeddedObject {
    @Persisted var depth: Int
}

class Station: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var probe: Probe?
}

class Observer: Object {
    @Persisted(primaryKey: true) var code: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Ranger: Observer {}

class Sighting: AsymmetricObject {
    @Persisted var by: Observer?
    @Persisted var others: List<Observer>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ReadingHolder: Object {
    @Persisted var alarm: Alarm?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
