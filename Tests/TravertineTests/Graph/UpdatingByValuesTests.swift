import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// What dictionaries and copies leave alone, and what adding again after a failure finds.
@Suite("Updating by values")
struct UpdatingByValuesTests {
    private let directory = TemporaryDirectory()
    private let types: [ObjectBase.Type] = [
        Dial.self, DialList.self, DialHouse.self, DialRoom.self, DialLamp.self, DialNote.self,
        DialCode.self,
    ]

    private func open() throws -> Realm { try directory.open(types) }

    @Test("a dictionary without the primary key changes the object with the default key, no more")
    func defaultKey() throws {
        let realm = try open()
        try realm.write { realm.create(Dial.self, value: ["size": 20]) }
        let dial = try #require(realm.objects(Dial.self).first)
        for update in [Realm.UpdatePolicy.modified, .all] {
            try realm.write { realm.create(Dial.self, value: ["theme": "dark"], update: update) }
            #expect(dial.size == 20 && dial.theme == "dark" && realm.objects(Dial.self).count == 1)
        }
        try realm.write { realm.create(DialCode.self, value: ["note": "a", "size": 3]) }
        try realm.write { realm.create(DialCode.self, value: ["note": "b"], update: .modified) }
        #expect(realm.objects(DialCode.self).map(\.note) == ["b"])
        #expect(realm.objects(DialCode.self).map(\.size) == [3])
    }

    @Test("dictionaries in a list that name no key are one object, of which each changes its part")
    func defaultKeyInside() throws {
        let realm = try open()
        try realm.write {
            realm.create(
                DialList.self, value: ["id": 1, "dials": [["size": 5], ["theme": "dark"]]],
                update: .modified)
        }
        let dial = try #require(realm.objects(Dial.self).first)
        #expect(realm.objects(Dial.self).count == 1 && dial.size == 5 && dial.theme == "dark")
    }

    @Test("objects that get a key each are made anew")
    func generatedKeys() throws {
        let realm = try open()
        for text in ["a", "b"] {
            try realm.write {
                realm.create(DialNote.self, value: ["text": text], update: .modified)
            }
        }
        #expect(realm.objects(DialNote.self).map(\.text).sorted() == ["a", "b"])
    }

    @Test("updating changes what is named of an embedded object, at every depth")
    func embedded() throws {
        let realm = try open()
        try realm.write {
            realm.create(
                DialHouse.self,
                value: [
                    "id": 1, "room": ["name": "a", "size": 5, "lamp": ["watts": 7, "hue": 2]],
                ])
        }
        let house = try #require(realm.objects(DialHouse.self).first)
        let (room, lamp) = (try #require(house.room), try #require(house.room?.lamp))
        try realm.write {
            realm.create(
                DialHouse.self, value: ["id": 1, "room": ["name": "b", "lamp": ["hue": 3]]],
                update: .modified)
        }
        #expect(house.room?.name == "b" && house.room?.size == 5)
        #expect(lamp.watts == 7 && lamp.hue == 3 && room.isSameObject(as: house.room))
        try realm.write {
            realm.dynamicCreate(
                "DialHouse", value: ["id": 1, "room": ["size": 6, "lamp": ["watts": 8]]],
                update: .modified)
        }
        #expect(room.name == "b" && room.size == 6 && lamp.watts == 8 && lamp.hue == 3)
        // Setting a property overwrites.
        try realm.write { house["room"] = ["name": "c"] }
        #expect(room.isInvalidated && house.room?.name == "c" && house.room?.size == 0)
        try realm.write {
            realm.create(
                DialHouse.self, value: ["id": 1, "room": Any?.none as Any], update: .modified)
        }
        #expect(house.room == nil)
        try realm.write {
            realm.create(
                DialHouse.self, value: ["id": 1, "room": ["size": 9]], update: .modified)
        }
        #expect(house.room?.size == 9 && house.room?.name == "")
    }

    @Test("a copy of a managed object has copies of the lists and dictionaries in it")
    func copies() throws {
        let realm = try open()
        try realm.write {
            realm.create(
                Dial.self,
                value: [
                    "id": 1, "mixed": [1, ["k": [2]]], "values": [[3], "x"] as [Any],
                    "named": ["a": ["b": 4]],
                ])
        }
        let dial = try #require(realm.objects(Dial.self).first)
        let copy = Dial(value: dial)
        // Outside of a write transaction: the copy belongs to no realm.
        copy.mixed.listValue?.append(9)
        copy.values[0].listValue?.append(9)
        copy.named["a"]?.dictionaryValue?["c"] = 9
        #expect(dial.mixed.listValue?.count == 2 && dial.values[0].listValue?.count == 1)
        #expect(dial.named["a"]?.dictionaryValue?.count == 1)
        try realm.write { realm.delete(dial) }
        try realm.write { realm.add(copy) }
        #expect(copy.mixed.listValue?.count == 3)
        #expect(copy.mixed.listValue?[1].dictionaryValue?["k"]?.listValue?.first == .int(2))
        #expect(copy.values[0].listValue?.map(\.intValue) == [3, 9])
        #expect(copy.named["a"]?.dictionaryValue?["c"] == .int(9))
    }

    @Test("keys that are equal as strings are not folded by an update, which is refused")
    func equalKeys() throws {
        let realm = try open()
        try realm.write {
            let dial = realm.create(Dial.self, value: ["id": 1, "mixed": ["k": 0]])
            dial.mixed.dictionaryValue?["\u{E9}"] = 1
            dial.mixed.dictionaryValue?["e\u{301}"] = 2
        }
        let dial = try #require(realm.objects(Dial.self).first)
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(Dial.self, value: dial, update: .modified) }
        }
        #expect(error?.code == .invalidInput)
        let assigned = Dial()
        assigned.id = 1
        assigned.mixed = dial.mixed
        let adding = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(assigned, update: .modified) }
        }
        #expect(adding?.code == .invalidInput)
        #expect(dial.mixed.dictionaryValue?.count == 3)
        // An object without realm can't have both.
        #expect(Dial(value: dial).mixed.dictionaryValue?.count == 2)
    }

    @Test("a graph that could not be added can be added again, as the error advises")
    func again() throws {
        let realm = try open()
        try realm.write { realm.create(Dial.self, value: ["id": 7, "size": 1]) }
        func graph() -> DialList {
            let list = DialList(value: ["id": 1])
            let first = Dial(value: ["id": 6, "mixed": [1], "size": 2])
            first.next = Dial(value: ["id": 5])
            list.dials.append(objectsIn: [first, Dial(value: ["id": 7, "size": 3])])
            return list
        }
        let list = graph()
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.add(list) } }
        #expect(error?.code == .duplicatePrimaryKey)
        #expect(list.realm == nil && list.dials.map(\.id) == [6, 7])
        #expect(list.dials[0].realm == nil && list.dials[0].next?.realm == nil)
        try realm.write { realm.add(list, update: .modified) }
        #expect(list.dials.map(\.size) == [2, 3] && list.dials[0].next?.id == 5)
        #expect(list.dials[0].mixed.listValue?.first == .int(1))
        let other = graph()
        other.id = 2
        other.dials[0].id = 16
        other.dials[0].next?.id = 15
        try realm.write {
            let inner = #expect(throws: Realm.Error.self) { try realm.insert(other) }
            #expect(inner?.code == .duplicatePrimaryKey)
            #expect(other.dials[0].realm == nil)
            try realm.insert(other, update: .modified)
        }
        #expect(realm.objects(DialList.self).count == 2 && realm.objects(Dial.self).count == 5)
    }

    @Test("realms whose commits wait for different things are different realms")
    func durability() throws {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: types, durability: .unsynced)
        let relaxed = try Realm(configuration: configuration)
        configuration.durability = .commit
        let strict = try Realm(configuration: configuration)
        #expect(strict != relaxed && strict.configuration.durability == .commit)
        #expect(try Realm(configuration: configuration) == strict)
        try relaxed.write { relaxed.create(Dial.self, value: ["id": 1]) }
        try strict.write { strict.create(Dial.self, value: ["id": 2]) }
        // What is durable holds both: another process reads no more than that.
        let reader = try StoreReader.open(at: directory.url.path)
        defer { reader.close() }
        #expect(reader.lsn == strict.store.durableLSN)
        let rows = try #require(strict.session.shared.storedType(named: "Dial")).rows
        let keyspace = try #require(strict.store.allKeyspaces.first { $0.identifier == rows })
        let found = try reader.snapshot().cursor(in: keyspace)
        var count = 0
        var isValid = try found.seekToFirst()
        while isValid {
            count += 1
            isValid = try found.next()
        }
        #expect(count == 2)
    }

    @Test("a value's object is to be had without its class")
    func dynamicObject() throws {
        let realm = try open()
        let dial = try realm.write { realm.create(Dial.self, value: ["id": 1, "size": 4]) }
        #expect(AnyRealmValue.object(dial).dynamicObject?["size"] as? Int == 4)
        #expect(AnyRealmValue.object(dial).dynamicObject?.isSameObject(as: dial) == true)
        #expect(AnyRealmValue.object(Dial()).dynamicObject == nil)
        #expect(AnyRealmValue.int(1).dynamicObject == nil && !dial.isFrozen)
    }

    @Test("times that no identifier can have are the nearest ones")
    func identifierTimes() throws {
        _ = try open()
        for (seconds, kept) in [
            (-5.0, 0), (.nan, 0), (.infinity, 4_294_967_295), (1e300, 4_294_967_295),
            (-1e300, 0), (12.7, 12),
        ] {
            let date = Date(timeIntervalSince1970: seconds)
            let made = ObjectId(timestamp: date, machineId: 1, processId: 2)
            #expect(made.timestamp.timeIntervalSince1970 == Double(kept), "\(seconds)")
        }
    }

    @Test("a list that is assigned to itself by another handle stays")
    func assignedToItself() throws {
        let realm = try open()
        let house = try realm.write {
            realm.create(DialHouse.self, value: ["id": 1, "rooms": [["size": 1], ["size": 2]]])
        }
        let same = try #require(realm.objects(DialHouse.self).first)
        try realm.write { house.rooms = same.rooms }
        try realm.write { house.rooms.assign(same.rooms) }
        #expect(house.rooms.map(\.size) == [1, 2])
    }
}

class DialModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Dial: DialModel {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var theme = "light"
    @Persisted var size = 12
    @Persisted var next: Dial?
    @Persisted var mixed: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
}

class DialCode: DialModel {
    @Persisted(primaryKey: true) var code: String?
    @Persisted var note: String
    @Persisted var size: Int
}

class DialNote: DialModel {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var text: String
}

class DialList: DialModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var dials: List<Dial>
}

class DialHouse: DialModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var room: DialRoom?
    @Persisted var rooms: List<DialRoom>
}

class DialRoom: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
    @Persisted var size: Int
    @Persisted var lamp: DialLamp?
}

class DialLamp: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var watts: Int
    @Persisted var hue: Int
}
