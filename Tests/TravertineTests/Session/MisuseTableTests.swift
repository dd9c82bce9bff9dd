import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Every misuse")
struct MisuseTableTests {
    @Test("stops the program with a message that says what is wrong", arguments: Misuse.names)
    func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name = name as String] in
            try Misuse.named(name)?.body()
        }
        let text = result.errorText
        #expect(text.contains(Misuse.named(name)?.message ?? "?"), "\(name): \(text)")
    }
}

/// Something that a program must not do, and the message that it gets.
struct Misuse: Sendable {
    var name: String
    var message: String
    var body: @Sendable () throws -> Void

    init(_ name: String, _ message: String, _ body: @escaping @Sendable () throws -> Void) {
        self.name = name
        self.message = message
        self.body = body
    }

    static let all: [Misuse] = Array(
        [transactions, objects, types, collections, queries, values].joined())
    static var names: [String] { all.map { $0.name } }
    static func named(_ name: String) -> Misuse? { all.first { $0.name == name } }

    /// Runs `body` with a realm that holds a kennel with two hounds, in a write transaction.
    static func inWrite(_ body: (Realm, Kennel) throws -> Void) throws {
        try inRealm { realm, kennel in try realm.write { try body(realm, kennel) } }
    }

    /// Runs `body` with a realm that holds a kennel with two hounds.
    static func inRealm(_ body: (Realm, Kennel) throws -> Void) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Kennel.types)
        let kennel = Kennel(value: [
            "id": 1, "dogs": [["name": "Rex", "age": 3], ["name": "Ida", "age": 5]],
            "tags": ["a", "b"],
        ])
        try realm.write { realm.add(kennel) }
        try body(realm, kennel)
        withExtendedLifetime(directory) {}
    }

    private static let transactions: [Misuse] = [
        Misuse("a transaction in a transaction", "already in a write transaction") {
            try inWrite { realm, _ in realm.beginWrite() }
        },
        Misuse("a commit of nothing", "Can't commit a non-existing write transaction") {
            try inRealm { realm, _ in try realm.commitWrite() }
        },
        Misuse("a rollback of nothing", "Can't cancel a non-existing write transaction") {
            try inRealm { realm, _ in realm.cancelWrite() }
        },
        Misuse("a deletion outside of a transaction", "outside of a write transaction") {
            try inRealm { realm, kennel in realm.delete(kennel) }
        },
        Misuse("adding types in a transaction", "Types are added before a write transaction") {
            try inWrite { realm, _ in try realm.addTypes([]) }
        },
    ]

    private static let objects: [Misuse] = [
        Misuse("adding an object of another realm", "already managed by another Realm") {
            try inRealm { _, kennel in try inWrite { realm, _ in realm.add(kennel) } }
        },
        Misuse("deleting an object of another realm", "the Realm it belongs to") {
            try inRealm { _, kennel in try inWrite { realm, _ in realm.delete(kennel) } }
        },
        Misuse("deleting an unmanaged object", "the Realm it belongs to") {
            try inWrite { realm, _ in realm.delete(Hound()) }
        },
        Misuse("adding a dynamic object", "make it with `realm.dynamicCreate`") {
            try inWrite { realm, _ in realm.add(DynamicObject()) }
        },
        Misuse("setting a dynamic object of no realm", "made by `realm.dynamicCreate`") {
            DynamicObject()["name"] = "x"
        },
        Misuse("setting a property by its name to another type", "can't be set to x of type String")
        {
            Hound()["age"] = "x"
        },
        Misuse("an array that is too long", "An array of 99 values can't make a Kennel") {
            _ = Kennel(value: [Int](1...99))
        },
        Misuse(
            "an object made of a value of another type", "Hound.age has type Int and can't be set"
        ) {
            _ = Hound(value: ["name": "Rex", "age": "three"])
        },
        Misuse("an object made of nil for a text", "Hound.name has type String and can't be set") {
            _ = Hound(value: ["name": NSNull()])
        },
        Misuse("an object with one in it that does not fit", "Hound.age has type Int and can't be")
        {
            _ = Kennel(value: ["id": 1, "dogs": [["age": 1.5]]])
        },
        Misuse("an object made of a number", "made from a dictionary, an array or another object") {
            _ = Kennel(value: 1)
        },
        Misuse("setting a projection of a link that may be nil", "can't set what") {
            HoundView(projecting: Hound()).kennelId = 2
        },
        Misuse("a detached dynamic object", "has no class to be copied into") {
            try inRealm { realm, _ in _ = realm.dynamicObjects("Hound").first?.detached() }
        },
        Misuse("a thing used after it was deleted", "Object has been deleted or invalidated") {
            try inRealm { realm, kennel in
                let hound = kennel.dogs[0]
                try realm.write { realm.delete(hound) }
                _ = hound.name
            }
        },
    ]

    private static let types: [Misuse] = [
        Misuse("a type that is not listed", "Object type 'Book' is not managed by the Realm") {
            try inRealm { realm, _ in _ = realm.objects(Book.self) }
        },
        Misuse("an unknown type by its name", "Object type 'Nobody' is not in the realm's schema") {
            try inRealm { realm, _ in _ = realm.dynamicObjects("Nobody") }
        },
        Misuse("a name of several classes", "is the name of several classes: use one of the stored")
        {
            let directory = TemporaryDirectory()
            let realm = try directory.open([FirstTwin.Twin.self, SecondTwin.Twin.self])
            _ = realm.dynamicObjects("Twin")
        },
        Misuse("a look-up by a key that the class has not", "Hound has no primary key: declare one")
        {
            try inRealm { realm, _ in _ = realm.object(ofType: Hound.self, forPrimaryKey: 1) }
        },
        Misuse("a dynamic look-up by a key that the type has not", "Hound has no primary key.") {
            try inRealm { realm, _ in
                _ = realm.dynamicObject(ofType: "Hound", forPrimaryKey: 1)
            }
        },
        Misuse("a key of another type", "for primary key 'Kennel.id' of type Int") {
            try inRealm { realm, _ in
                _ = realm.object(ofType: Kennel.self, forPrimaryKey: Date())
            }
        },
        Misuse("following a path of links", "has no link 'next.next' to follow") {
            let directory = TemporaryDirectory()
            let realm = try directory.open([MisusedLink.self])
            try realm.objects(MisusedLink.self).forEachLending(following: \.next?.next) { _, _ in }
        },
        Misuse("setting an ignored property in a realm", "declare the property without @Persisted")
        {
            let directory = TemporaryDirectory()
            let realm = try directory.open([WithIgnored.self])
            try realm.write { realm.create(WithIgnored.self).last = 1 }
        },
        Misuse("an enum without a case", "has no case: a persisted enum needs one") {
            _ = CaselessBox().value
        },
        Misuse("counting a condition on two collections", "must follow the same collection") {
            try inRealm { realm, _ in
                _ = realm.objects(Kennel.self).where {
                    ($0.numbers > 3 && $0.id == $0.id).count > 0
                }
            }
        },
        Misuse("counting a condition on no collection", "counts elements of a collection") {
            try inRealm { realm, _ in
                _ = realm.objects(Kennel.self).where { ($0.id == $0.id).count > 0 }
            }
        },
        Misuse("a property that the class has not", "Hound has no property \"weight\"") {
            _ = Hound()["weight"]
        },
        Misuse("a dynamic list of what is none", "Property 'id' of 'Kennel' is not a list") {
            try inRealm { realm, _ in _ = realm.dynamicObjects("Kennel").first?.dynamicList("id") }
        },
        Misuse("a dynamic set of what is a list", "Property 'dogs' of 'Kennel' is not a set") {
            try inRealm { realm, _ in
                _ = realm.dynamicObjects("Kennel").first?.dynamicMutableSet("dogs")
            }
        },
        Misuse("a dynamic map of what is a list", "Property 'dogs' of 'Kennel' is not a map") {
            try inRealm { realm, _ in
                _ = realm.dynamicObjects("Kennel").first?.dynamicMap("dogs")
            }
        },
    ]

    private static let collections: [Misuse] = [
        Misuse(
            "setting an embedded object to a second place of its list", "with `move` or `swapAt`"
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Resident.self, Address.self, Room.self])
            let resident = Resident(value: [
                "name": "A", "others": [["street": "a"], ["street": "b"]],
            ])
            try realm.write {
                realm.add(resident)
                let first = resident.others[0]
                resident.others[0] = resident.others[1]
                resident.others[1] = first
            }
        },
        Misuse("setting a nested list that another took the place of", "with `move` or `swapAt`") {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Dial.self])
            let dial = Dial(value: ["id": 1, "values": [[1], [2]]])
            try realm.write {
                realm.add(dial)
                let first = dial.values[0]
                dial.values[0] = dial.values[1]
                dial.values[1] = first
            }
        },
        Misuse("a position beyond the end of a list", "Index 2 is out of bounds (must be less") {
            try inRealm { _, kennel in _ = kennel.dogs[2] }
        },
        Misuse("a position before the start of a list", "Index -1 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.dogs[-1] }
        },
        Misuse("replacing beyond the end of a list", "Range 1..<4 is out of bounds") {
            try inWrite { _, kennel in kennel.dogs.removeSubrange(1..<4) }
        },
        Misuse("removing positions beyond the end", "Range 0..<3 is out of bounds") {
            try inWrite { _, kennel in kennel.dogs.remove(atOffsets: [0, 2]) }
        },
        Misuse("moving from beyond the end", "Can't move from 2 to 0: the list has 2 elements") {
            try inWrite { _, kennel in kennel.dogs.move(from: 2, to: 0) }
        },
        Misuse("moving several to beyond the end", "Can't move to 3: the list has 2 elements") {
            try inWrite { _, kennel in kennel.dogs.move(fromOffsets: [0], toOffset: 3) }
        },
        Misuse("swapping with what is not there", "Can't swap 0 and 2: the list has 2 elements") {
            try inWrite { _, kennel in kennel.dogs.swapAt(0, 2) }
        },
        Misuse("a position beyond the end of a set", "Index 2 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.tags[2] }
        },
        Misuse("a position beyond the end of results", "Index 2 is out of bounds") {
            try inRealm { realm, _ in _ = realm.objects(Hound.self)[2] }
        },
        Misuse("a position beyond the end of linking objects", "Index 1 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.dogs[0].kennels[1] }
        },
        Misuse("a position beyond the end of a map", "Index 0 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.scores[kennel.scores.startIndex] }
        },
        Misuse("a range beyond the end of results", "Range 1..<9 is out of bounds: the collection")
        {
            try inRealm { realm, _ in _ = realm.objects(Hound.self)[1..<9] }
        },
        Misuse("a closed range beyond the end of a list", "Range 1..<10 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.dogs[1...9] }
        },
        Misuse("a range beyond the end of a set", "Range 0..<3 is out of bounds: the collection") {
            try inRealm { _, kennel in _ = kennel.tags[0..<3] }
        },
        Misuse("a range before the start of linking objects", "Range -1..<1 is out of bounds") {
            try inRealm { _, kennel in _ = kennel.dogs[0].kennels[-1..<1] }
        },
        Misuse("a condition on an unmanaged list", "is possible for a managed list only") {
            _ = Kennel().dogs.where { $0.age > 1 }
        },
        Misuse("a condition on an unmanaged map", "is possible for a managed map only") {
            _ = Kennel().scores.where { $0 > 1 }
        },
        Misuse("a property of values by its name", "Int has no property \"name\"") {
            try inWrite { _, kennel in
                kennel.numbers.append(1)
                _ = kennel.numbers.value(forKey: "name")
            }
        },
        Misuse("a map's value of another type", "A Map of Double can't hold x of type String.") {
            Kennel().scores.setValue("x", forKey: "a")
        },
    ]

    private static let queries: [Misuse] = [
        Misuse("a condition with an unmanaged object", "The Hound that is compared with is in no") {
            try inRealm { realm, _ in
                _ = realm.objects(Kennel.self).where { $0.best == Hound() }
            }
        },
        Misuse("a condition with a deleted object", "The Hound that is compared with was deleted") {
            try inRealm { realm, kennel in
                let dog = kennel.dogs[0]
                try realm.write { realm.delete(dog) }
                _ = realm.objects(Kennel.self).where { !$0.dogs.contains(dog) }
            }
        },
        Misuse("a condition with an object of another realm", "what is searched in that at") {
            try inRealm { _, kennel in
                try inRealm { realm, _ in
                    _ = realm.objects(Kennel.self).filter("best != %@", kennel.dogs[0])
                }
            }
        },
        Misuse("sorting by an object", "Cannot sort on key path 'best': it leads to an object") {
            try inRealm { realm, _ in
                _ = realm.objects(Kennel.self).sorted(byKeyPath: "best")
            }
        },
        Misuse(
            "sorting by an unknown name", "Property 'weight' not found in object of type 'Hound'"
        ) {
            try inRealm { _, kennel in _ = kennel.dogs.sorted(byKeyPath: "weight") }
        },
        Misuse(
            "making distinct by an unknown name",
            "Property 'tag' not found in object of type 'Kennel'. Did you mean 'tags'?"
        ) {
            try inRealm { realm, _ in _ = realm.objects(Kennel.self).distinct(by: ["tag"]) }
        },
        Misuse("grouping by a collection", "Cannot group by 'dogs': it leads through or to a") {
            try inRealm { realm, _ in _ = realm.objects(Kennel.self).grouped(by: \.dogs) }
        },
        Misuse("sorting values by a name", "'name' is a property, and the elements") {
            try inRealm { _, kennel in _ = kennel.tags.sorted(byKeyPath: "name") }
        },
        Misuse("making distinct by a collection", "Cannot make key path 'dogs.name' distinct") {
            try inRealm { realm, _ in
                _ = realm.objects(Kennel.self).distinct(by: ["dogs.name"])
            }
        },
        Misuse("following what is no link", "'name' of 'Hound' is string, and length can't") {
            try inRealm { _, kennel in _ = kennel.dogs.sorted(byKeyPath: "name.length") }
        },
        Misuse("adding up a text", "Cannot aggregate 'name': it is string, not a number") {
            try inRealm { _, kennel in let _: Int = kennel.dogs.sum(ofProperty: "name") }
        },
        Misuse("adding up a property of values", "elements are values, which have no") {
            try inRealm { _, kennel in let _: Int = kennel.numbers.sum(ofProperty: "x") }
        },
        Misuse("a key path to no property", "Hound.isOld is not a persisted property of Hound") {
            try inRealm { _, kennel in _ = kennel.dogs.sorted(by: \.isOld).first }
        },
        Misuse("a place of what is none", "'basket' is no point") {
            try inRealm { realm, _ in
                guard let shape = GeoCircle(center: (0, 0), radiusInRadians: 0.1) else { return }
                _ = realm.objects(Kennel.self).where { $0.basket.geoWithin(shape) }.first
            }
        },
        Misuse("querying asymmetric objects", "a consumer gets them by `realm.outbox.read") {
            let directory = TemporaryDirectory()
            let realm = try directory.open([
                Reading.self, Alarm.self, Probe.self, Station.self,
            ])
            _ = realm.dynamicObjects("Reading")
        },
    ]

    private static let values: [Misuse] = [
        Misuse("a text that is no ObjectId", "\"bad\" is not an ObjectId: write exactly 24") {
            _ = ObjectId("bad")
        },
        Misuse("a literal that is no decimal", "Decimal128(string:) throws where this stops") {
            _ = "abc" as Decimal128
        },
    ]
}

enum FirstTwin {
    class Twin: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func objectTypeName() -> String { "FirstTwin" }
        @Persisted var name: String
    }
}

enum SecondTwin {
    class Twin: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func objectTypeName() -> String { "SecondTwin" }
        @Persisted var name: String
    }
}

final class HoundView: Projection<Hound> {
    @Projected(\Hound.name) var title
    @Projected(\Hound.home?.id) var kennelId
}

final class MisusedLink: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var next: MisusedLink?
}

enum Caseless: Int, PersistableEnum {
    case unlisted
    static var allCases: [Caseless] { [] }
}

final class CaselessBox: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var value: Caseless
}
