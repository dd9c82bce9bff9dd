import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Properties that change their type")
struct ConvertedPropertyTests {
    private let directory = TemporaryDirectory()

    /// Opens under a version, and compares what is derived from rows with the rows.
    private func open(
        _ types: [ObjectBase.Type], version: UInt64, discarding: Bool = false,
        _ migration: MigrationBlock? = nil, _ body: (Realm) throws -> Void
    ) throws {
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: version, migrationBlock: migration,
            objectTypes: types, durability: .unsynced)
        configuration.discardsChangedProperties = discarding
        do {
            let realm = try Realm(configuration: configuration)
            try body(realm)
            #expect(try realm.brokenInvariants() == [])
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    private func refusal(
        _ types: [ObjectBase.Type], version: UInt64, discarding: Bool = false,
        _ migration: MigrationBlock? = nil
    ) throws -> String {
        let error = #expect(throws: Realm.Error.self) {
            try open(types, version: version, discarding: discarding, migration) { _ in }
        }
        #expect(error?.code == .schemaMismatch)
        return error?.message ?? ""
    }

    @Test("collections keep their elements when these become optional, and required again")
    func optionality() throws {
        try open([PlainBox.self], version: 0) { realm in
            try realm.write {
                for count in [0, 3, 500] {
                    let crate = realm.create(PlainBox.self, value: ["id": count])
                    crate.texts.append(objectsIn: (0..<count).map { "text \($0)" })
                    crate.numbers.insert(objectsIn: (0..<count).map { $0 * 7 - 9 })
                    for place in 0..<count { crate.named["k\(place)"] = Double(place) }
                }
            }
        }
        let message = try refusal([OptionalBox.self], version: 0)
        #expect(
            message.contains(
                "'PlainBox.texts' has been changed from 'array<string>' to 'array<string?>'."))
        try open([OptionalBox.self], version: 1) { realm in
            for crate in realm.objects(OptionalBox.self) {
                #expect(Array(crate.texts) == (0..<crate.id).map { "text \($0)" })
                #expect(Set(crate.numbers) == Set((0..<crate.id).map { $0 * 7 - 9 }))
                #expect(crate.named.count == crate.id)
                #expect(crate.named.allSatisfy { "k\(Int($0.value ?? -1))" == $0.key })
            }
            try realm.write {
                let crate = realm.objects(OptionalBox.self)[1]
                crate.texts.insert(contentsOf: [nil, nil], at: 1)
                crate.numbers.insert(nil)
            }
        }
        let refusal = try refusal([PlainBox.self], version: 2)
        #expect(
            refusal.contains(
                "'PlainBox.texts' has been changed from 'array<string?>' to 'array<string>': in 1 "
                    + "object, 2 elements are nil."))
        #expect(refusal.contains("'set<int>': in 1 object, 1 element is nil."))
        #expect(!refusal.contains("PlainBox.named"))
        #expect(refusal.contains("discardsChangedProperties"))
        try open([OptionalBox.self], version: 1) { realm in
            #expect(realm.objects(OptionalBox.self)[1].texts.count == 5)
        }
        try open([PlainBox.self], version: 2, discarding: true) { realm in
            for crate in realm.objects(PlainBox.self) {
                #expect(Array(crate.texts) == (0..<crate.id).map { "text \($0)" })
                #expect(Set(crate.numbers) == Set((0..<crate.id).map { $0 * 7 - 9 }))
                #expect(crate.named.count == crate.id)
            }
        }
    }

    @Test("wider numbers keep their values; an integer that no double is would be lost")
    func widening() throws {
        try open([Meter.self], version: 0) { realm in
            try realm.write {
                realm.create(Meter.self, value: ["id": 1, "level": -7, "ratio": Float(0.1) as Any])
                realm.create(
                    Meter.self,
                    value: ["id": 2, "level": nil, "levels": [1, -100], "big": Int.max])
            }
        }
        try open([WiderMeter.self], version: 1) { realm in
            let gauges = realm.objects(WiderMeter.self)
            #expect(gauges.map(\.level) == [-7, nil])
            #expect(gauges.map(\.ratio) == [Double(Float(0.1)), 0])
            #expect(Array(gauges[1].levels) == [1, -100])
            #expect(gauges.map(\.big) == [5, Decimal128(Int.max)])
            #expect(gauges.where { $0.big == 5 }.count == 1)
        }
        let other = TemporaryDirectory()
        do {
            let realm = try other.open([Meter.self])
            try realm.write { realm.create(Meter.self, value: ["id": 1, "level": (1 << 60) + 1]) }
        }
        let error = #expect(throws: Realm.Error.self) {
            try other.open([WiderMeter.self], version: 1)
        }
        #expect(
            error?.message.contains(
                "'Meter.level' has been changed from 'int?' to 'double?': in 1 object, 1 value is "
                    + "no double exactly.") == true)
    }

    @Test("everything but embedded objects has a place in values of any type")
    func anything() throws {
        try open([Rack.self], version: 0) { realm in
            try realm.write {
                let first = realm.create(Rack.self, value: ["id": 1, "name": "first"])
                let second = realm.create(Rack.self, value: ["id": 2, "next": first])
                second.texts.append(objectsIn: ["a", nil, "b"] as [String?])
                second.linked.append(objectsIn: [first, second])
                second.named["x"] = first
                second.times.insert(Date(timeIntervalSinceReferenceDate: 4))
            }
        }
        try open([AnyRack.self], version: 1) { realm in
            let shelves = realm.objects(AnyRack.self)
            let (first, second) = (shelves[0], shelves[1])
            #expect(first.name == .string("first") && second.name == .string(""))
            #expect(first.next == .none && second.next.object(AnyRack.self) == first)
            #expect(first.texts == .fromArray([]))
            #expect(second.texts == .fromArray([.string("a"), .none, .string("b")]))
            #expect(second.linked.map { $0.object(AnyRack.self) } == [first, second])
            #expect(second.named["x"]?.object(AnyRack.self) == first)
            #expect(Array(second.times) == [.date(Date(timeIntervalSinceReferenceDate: 4))])
            try realm.write { realm.delete(first) }
            #expect(second.next == .none && second.named["x"] == AnyRealmValue.none)
        }
    }

    @Test("one value becomes a collection of one, links and embedded objects included")
    func wrapping() throws {
        try open([Parent.self, Child.self], version: 0) { realm in
            try realm.write {
                let first = realm.create(Parent.self, value: ["id": 1, "name": ""])
                realm.create(
                    Parent.self,
                    value: ["id": 2, "name": "n", "friend": first, "child": ["age": 3]]
                        as [String: Any])
                let value = AnyRealmValue.fromArray([.int(1), .fromArray([.int(2)])])
                first.anything = value
            }
        }
        try open([Parents.self, Child.self], version: 1) { realm in
            let parents = realm.objects(Parents.self)
            #expect(parents.map { Array($0.name) } == [[""], ["n"]])
            #expect(parents.map { Array($0.age) } == [[], []])
            #expect(parents[0].friend.isEmpty && Array(parents[1].friend) == [parents[0]])
            #expect(parents[0].child.isEmpty && parents[1].child.map(\.age) == [3])
            #expect(
                Array(parents[0].anything) == [.fromArray([.int(1), .fromArray([.int(2)])])])
            #expect(parents[1].anything.isEmpty)
            #expect(realm.objects(Child.self).count == 1)
            try realm.write { realm.delete(parents[1]) }
            #expect(realm.objects(Child.self).isEmpty)
        }
    }

    @Test("what can't keep its values is refused with both types, a count and what to do")
    func refused() throws {
        try open([Tin.self], version: 0) { realm in
            try realm.write {
                for id in 0..<3 {
                    realm.create(
                        Tin.self,
                        value: ["id": id, "label": id < 2 ? "l" : nil, "tags": ["t"], "old": "o"]
                            as [String: Any?])
                }
            }
        }
        let same = try refusal([OtherTin.self], version: 0)
        #expect(same.contains("'Tin.label' has been changed from 'string?' to 'int?'."))
        #expect(
            same.contains(
                "migration.renameProperty(onType: \"OtherTin\", from: \"old\", to: \"new\")"))
        let higher = try refusal([OtherTin.self], version: 1)
        #expect(higher.contains("'string?' to 'int?': 2 objects have a value that would be lost."))
        #expect(
            higher.contains(
                "'Tin.tags' has been changed from 'array<string>' to 'set<string>': 3 objects"))
        #expect(!higher.contains("Tin.empty"))
        #expect(higher.contains("'Tin.weight' has been removed, and its values would be, too."))
        // A block that sets nothing has the same to say, of what was stored before it.
        let migrated = try refusal([OtherTin.self], version: 1) { _, _ in }
        #expect(migrated.contains("'Tin.weight' has been removed, and its values would be, too."))
        #expect(migrated.contains("from: \"old\", to: \"new\")"))
        #expect(!migrated.contains("\0") && !migrated.contains("'Tin.label' has been removed"))
        let renamed = try refusal([OtherTin.self], version: 1) { migration, _ in
            migration.renameProperty(onType: "OtherTin", from: "old", to: "new")
        }
        #expect(renamed.contains("'Tin.weight' has been removed, and its values would be, too."))
        #expect(!renamed.contains("'Tin.old' has been removed"))
        #expect(higher.contains("`discardsChangedProperties`") && higher.contains("renameProperty"))
        try open([Tin.self], version: 0) { realm in
            #expect(realm.objects(Tin.self).map(\.label) == ["l", "l", nil])
        }
        try open([OtherTin.self], version: 1, discarding: true) { realm in
            let tins = realm.objects(OtherTin.self)
            #expect(tins.map(\.id) == [0, 1, 2] && tins.allSatisfy { $0.label == nil })
            #expect(tins.allSatisfy { $0.tags.isEmpty })
        }
    }

    @Test("what nothing has a value of changes to any type")
    func withoutValues() throws {
        try open([Tin.self], version: 0) { realm in
            try realm.write { _ = realm.create(Tin.self, value: ["id": 1]) }
        }
        try open([OtherTin.self], version: 1) { realm in
            #expect(realm.objects(OtherTin.self).map(\.id) == [1])
        }
    }

    @Test("primary keys that only became equal by the change are not called duplicates")
    func primaryKeys() throws {
        try open([Key.self], version: 0) { realm in
            try realm.write { for id in 0..<3 { realm.create(Key.self, value: ["id": id]) } }
        }
        let lossy = try refusal([TextKey.self], version: 1)
        #expect(lossy.contains("'Key.id' has been changed from 'int' to 'string': 3 objects have"))
        for (type, name) in [(TextKey.self as Object.Type, "id"), (NewKey.self, "code")] {
            let message = try refusal([type], version: 1, discarding: true)
            #expect(
                message.contains(
                    "Objects that have no value of the primary key 'Key.\(name)' (3 of them)"))
            #expect(!message.contains("duplicate"))
        }
        try open([Key.self], version: 0) { realm in
            try realm.write { realm.delete(Array(realm.objects(Key.self).dropFirst())) }
        }
        try open([TextKey.self], version: 1, discarding: true) { realm in
            #expect(realm.objects(TextKey.self).map(\.id) == [""])
            try realm.write { realm.create(TextKey.self, value: ["id": "b"]) }
            #expect(realm.object(ofType: TextKey.self, forPrimaryKey: "b")?.id == "b")
            #expect(realm.objects(TextKey.self).map(\.id).sorted() == ["", "b"])
        }
    }

    @Test("a property may be renamed and change its type at once; the primary key may leave it")
    func renamed() throws {
        try open([Key.self], version: 0) { realm in
            try realm.write { for id in 0..<3 { realm.create(Key.self, value: ["id": id]) } }
        }
        let rename: MigrationBlock = { migration, _ in
            migration.renameProperty(onType: "Key", from: "id", to: "numbers")
        }
        try open([RenamedKey.self], version: 1, rename) { realm in
            #expect(realm.objects(RenamedKey.self).map { Array($0.numbers) } == [[0], [1], [2]])
            try realm.write { realm.create(RenamedKey.self, value: ["numbers": [4.5]]) }
            #expect(realm.objects(RenamedKey.self).count == 4)
        }
    }
}

class Unlisted: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PlainBox: Unlisted {
    override class func objectTypeName() -> String { "PlainBox" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var texts: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var named: Map<String, Double>
}

private class OptionalBox: Unlisted {
    override class func objectTypeName() -> String { "PlainBox" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var texts: List<String?>
    @Persisted var numbers: MutableSet<Int?>
    @Persisted var named: Map<String, Double?>
}

private class Meter: Unlisted {
    override class func objectTypeName() -> String { "Meter" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var level: Int?
    @Persisted var ratio: Float
    @Persisted var levels: List<Int8>
    @Persisted(indexed: true) var big = 5
}

private class WiderMeter: Unlisted {
    override class func objectTypeName() -> String { "Meter" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Double? = 9
    @Persisted var ratio: Double
    @Persisted var levels: List<Double?>
    @Persisted var big: Decimal128
}

private class Rack: Unlisted {
    override class func objectTypeName() -> String { "Rack" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var next: Rack?
    @Persisted var texts: List<String?>
    @Persisted var linked: List<Rack>
    @Persisted var named: Map<String, Rack?>
    @Persisted var times: MutableSet<Date>
}

private class AnyRack: Unlisted {
    override class func objectTypeName() -> String { "Rack" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: AnyRealmValue
    @Persisted var next: AnyRealmValue = .int(1)
    @Persisted var texts: AnyRealmValue
    @Persisted var linked: List<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var times: List<AnyRealmValue>
}

private class Parent: Unlisted {
    override class func objectTypeName() -> String { "Parent" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int?
    @Persisted var friend: Parent?
    @Persisted var child: Child?
    @Persisted var anything: AnyRealmValue
}

private class Parents: Unlisted {
    override class func objectTypeName() -> String { "Parent" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: List<String>
    @Persisted var age: MutableSet<Double>
    @Persisted var friend: List<Parents>
    @Persisted var child: List<Child>
    @Persisted var anything: List<AnyRealmValue>
}

private class Child: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(indexed: true) var age: Int
}

private class Tin: Unlisted {
    override class func objectTypeName() -> String { "Tin" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var label: String?
    @Persisted var tags: List<String>
    @Persisted var old: String?
    @Persisted var empty: Date?
    @Persisted var weight: Double
}

private class OtherTin: Unlisted {
    override class func objectTypeName() -> String { "Tin" }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var label: Int?
    @Persisted var tags: MutableSet<String>
    @Persisted var new: String?
    @Persisted var empty: Decimal128?
}

private class Key: Unlisted {
    override class func objectTypeName() -> String { "Key" }
    @Persisted(primaryKey: true) var id: Int
}

private class TextKey: Unlisted {
    override class func objectTypeName() -> String { "Key" }
    @Persisted(primaryKey: true) var id: String
}

private class NewKey: Unlisted {
    override class func objectTypeName() -> String { "Key" }
    @Persisted var id: Int
    @Persisted(primaryKey: true) var code: String
}

private class RenamedKey: Unlisted {
    override class func objectTypeName() -> String { "Key" }
    @Persisted var numbers: List<Double>
}
