import Foundation
import Locks
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Classes that a realm without listed types finds after it was opened: here, those that the
/// default schema leaves out.
@Suite("Classes first used after opening")
struct FirstUsedClassTests {
    private let directory = TemporaryDirectory()

    private func open(readOnly: Bool = false) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, readOnly: readOnly, durability: .unsynced))
    }

    /// Opens the realm as one that knows the classes.
    private func reopen(_ types: [ObjectBase.Type]) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, objectTypes: types, durability: .unsynced))
    }

    @Test(
        "are installed within the transaction that uses them first",
        arguments: MeetingWay.all.indices)
    func ways(place: Int) throws {
        let way = MeetingWay.all[place]
        do {
            let realm = try open()
            try realm.write { try way.body(realm) }
            #expect(realm.objects(MetPerson.self).map(\.name) == ["Ada"], "\(way.name)")
            #expect(realm.schema["MetPerson"] != nil && realm.schema["MetAddress"] != nil)
            try realm.write { realm.add(MetPerson(value: ["name": "Ben"])) }
        }
        let realm = try reopen([
            MetPerson.self, MetAddress.self, MetNote.self, MetHolder.self, MetBase.self,
        ])
        #expect(realm.objects(MetPerson.self).map(\.name) == ["Ada", "Ben"], "\(way.name)")
        #expect(realm.objects(MetPerson.self).where { $0.name == "Ben" }.count == 1)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("have their links among those of their base class from then on")
    func derivedLinks() throws {
        let types = [LinkedStone.self, StoneFinder.self, CarefulFinder.self]
        do {
            let realm = try reopen(types)
            try realm.write {
                let stone = LinkedStone(value: ["name": "agate"])
                realm.add(stone)
                realm.add(StoneFinder(value: ["stone": stone]))
                realm.add(CarefulFinder(value: ["stone": stone]))
            }
        }
        let realm = try open()
        let stone = try #require(realm.objects(LinkedStone.self).first)
        #expect(stone.finders.count >= 1)
        #expect(realm.objects(CarefulFinder.self).count == 1)
        #expect(stone.finders.count == 2 && stone.finders[1] is CarefulFinder)
    }

    @Test("come with what they lead to: embedded classes, and those that linking objects are of")
    func embedded() throws {
        let realm = try open()
        let person = MetPerson(value: ["name": "Ada", "addresses": [["street": "a"]]])
        try realm.write {
            realm.add(person)
            realm.create(MetNote.self, value: ["text": "b", "author": person])
        }
        #expect(person.addresses.map(\.street) == ["a"])
        #expect(person.notes.map(\.text) == ["b"])
        try realm.write {
            person.addresses[0] = MetAddress(value: ["street": "c"])
            realm.delete(realm.objects(MetNote.self))
        }
        #expect(person.addresses.map(\.street) == ["c"] && person.notes.isEmpty)
    }

    @Test(
        "go with a rolled-back transaction, and can be used again",
        arguments: MeetingWay.all.indices
    )
    func rollback(place: Int) throws {
        let way = MeetingWay.all[place]
        let realm = try open()
        let before = realm.session.shared.schema.nextType
        var kept: Results<MetPerson>?
        var derived: Results<MetBase>?
        var lost: MetPerson?
        #expect(throws: Stop.self) {
            try realm.write {
                try way.body(realm)
                kept = realm.objects(MetPerson.self)
                derived = realm.objects(MetBase.self, includingSubclasses: true)
                realm.create(MetDerived.self, value: ["size": 1])
                lost = kept?.first
                #expect(kept?.count == 1 && derived?.count == 0, "\(way.name)")
                throw Stop()
            }
        }
        #expect(lost?.isInvalidated == true, "\(way.name)")
        #expect(realm.session.shared.schema.nextType == before && realm.schema["MetPerson"] == nil)
        // Another class takes the numbers that the first ones had.
        try realm.write {
            realm.create(MetOther.self, value: ["size": 7])
            realm.create(MetOther.self, value: ["size": 8])
        }
        #expect(lost?.isInvalidated == true && kept?.count == 0 && kept?.first == nil)
        #expect(kept?.isEmpty == true && derived?.isEmpty == true)
        try realm.write { try way.body(realm) }
        #expect(lost?.isInvalidated == true, "\(way.name)")
        #expect(kept?.map(\.name) == ["Ada"] && kept?.last?.name == "Ada", "\(way.name)")
        #expect(realm.objects(MetOther.self).map(\.size) == [7, 8])
        try realm.write { realm.create(MetDerived.self, value: ["size": 2]) }
        #expect(realm.objects(MetBase.self, includingSubclasses: true).map(\.size) == [2])
    }

    @Test("go with the part of a transaction that is undone, and those used before it stay")
    func savepoint() throws {
        let realm = try open()
        try realm.write {
            let person = realm.create(MetPerson.self, value: ["name": "Ada"])
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.create(MetOther.self, value: ["size": 1])
                    throw Stop()
                }
            }
            #expect(person.name == "Ada" && realm.objects(MetPerson.self).count == 1)
            realm.create(MetBase.self, value: ["size": 3])
            #expect(realm.objects(MetOther.self).isEmpty)
            realm.create(MetOther.self, value: ["size": 2])
        }
        #expect(realm.objects(MetOther.self).map(\.size) == [2])
        #expect(realm.objects(MetBase.self).map(\.size) == [3])
        #expect(realm.objects(MetPerson.self).map(\.name) == ["Ada"])
    }

    @Test("let links lead to them that were stored for their base class alone")
    func variation() throws {
        let realm = try open()
        let first = MetBase(value: ["size": 1])
        let holder = MetHolder(value: ["base": first, "bases": [first]])
        try realm.write { realm.add(holder) }
        let list = holder.bases
        #expect(throws: Stop.self) {
            try realm.write {
                list.append(MetDerived(value: ["size": 9]))
                throw Stop()
            }
        }
        #expect(list.map(\.size) == [1] && holder.base?.size == 1)
        try realm.write {
            list.append(objectsIn: [
                MetBase(value: ["size": 2]), MetDerived(value: ["size": 3, "depth": 4]),
            ])
            holder.base = list[2]
            holder.named["a"] = MetDerived(value: ["size": 5])
        }
        #expect(list.map(\.size) == [1, 2, 3] && (list[2] as? MetDerived)?.depth == 4)
        #expect(holder.base is MetDerived && holder.named["a"]??.size == 5)
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(list[0]) }
        #expect(list.map(\.size) == [2, 3])
    }

    @Test("reach another realm of the same configuration with the commit")
    func twoRealms() async throws {
        let realm = try open()
        let url = directory.url
        /// What a realm of another thread has.
        @Sendable func names() async throws -> [String] {
            try await Task.detached {
                let configuration = Realm.Configuration(fileURL: url, durability: .unsynced)
                return try Realm(configuration: configuration).objects(MetPerson.self).map(\.name)
            }.value
        }
        try realm.write { realm.add(MetPerson(value: ["name": "Ada"])) }
        #expect(try await names() == ["Ada"])
    }

    @Test("are seen by the next writer, whose deletions their links must follow")
    func nextWriter() throws {
        let (realm, link) = (try open(), try reopen([MetTarget.self]))
        #expect(link.objects(MetTarget.self).isEmpty)
        try realm.write {
            let holder = realm.create(MetTargeting.self)
            holder.target = realm.create(MetTarget.self, value: ["size": 1])
        }
        try link.write { link.delete(link.objects(MetTarget.self)) }
        realm.refresh()
        #expect(realm.objects(MetTargeting.self).first?.target == nil)
        #expect(realm.objects(MetTargeting.self).count == 1)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("are used first by several threads, some of which undo it, and every link is exact")
    func threads() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("classes found by several threads: seed \(seed)")
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
        for round in 0..<4 {
            let url = directory.url.appendingPathComponent("\(round)")
            let done = DispatchGroup()
            let kept = Locked(0)
            for thread in 0..<3 {
                done.enter()
                Thread.detachNewThread {
                    defer { done.leave() }
                    do {
                        let count = try Self.work(url, seed &+ UInt64(round * 3 + thread))
                        kept.withLock { $0 += count }
                    } catch {
                        Issue.record("\(error), seed \(seed)")
                    }
                }
            }
            done.wait()
            let realm = try Realm(
                configuration: Realm.Configuration(fileURL: url, durability: .unsynced))
            #expect(realm.objects(MetOther.self).count == kept.withLock { $0 }, "seed \(seed)")
            #expect(
                try realm.brokenInvariants() == [], "seed \(seed)")
            let names = realm.session.shared.schema.types.map(\.name)
            #expect(Set(names).count == names.count, "seed \(seed)")
        }
    }

    /// Changes at random on the calling thread, a third of them undone.
    ///
    /// - Returns: how many objects of `MetOther` came and stayed.
    private static func work(_ url: URL, _ seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: url, durability: .unsynced))
        var kept = 0
        for _ in 0..<12 {
            let isUndone = random.chance(33)
            var added = 0
            do {
                try realm.write {
                    for _ in 0..<random.below(4) + 1 {
                        switch random.below(6) {
                        case 0: realm.create(MetPerson.self, value: ["name": random.text()])
                        case 1:
                            let note = realm.create(MetNote.self, value: ["author": ["name": "a"]])
                            note.readers.append(objectsIn: realm.objects(MetPerson.self))
                        case 2:
                            let holder =
                                realm.objects(MetHolder.self).first ?? realm.create(MetHolder.self)
                            holder.bases.append(objectsIn: [MetBase(), MetDerived()])
                        case 3:
                            realm.create(MetOther.self, value: ["size": 1])
                            added += 1
                        case 4: realm.delete(realm.objects(MetBase.self, includingSubclasses: true))
                        default: realm.delete(Array(realm.objects(MetPerson.self).prefix(2)))
                        }
                    }
                    if isUndone { throw Stop() }
                }
                kept += added
            } catch is Stop {
                continue
            }
        }
        return kept
    }

    @Test("that break rules fail the transaction with all of them, and leave the realm as it was")
    func brokenRules() throws {
        let realm = try open()
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(MetPerson(value: ["name": "Ada"]))
                realm.add(MetWrong())
                #expect(realm.objects(MetWrong.self).isEmpty)
            }
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("'MetWrong.a' links to nothing") == true, "\(error!)")
        #expect(
            error?.message.contains("'MetWrong.b' cannot be the primary key") == true, "\(error!)")
        #expect(realm.objects(MetPerson.self).isEmpty)
        #expect(realm.objects(MetWrong.self).isEmpty)
        let later = #expect(throws: Realm.Error.self) { try realm.write {} }
        #expect(later?.code == .schemaMismatch, "what a read found is thrown by the next call")
        try realm.write { realm.add(MetPerson(value: ["name": "Ben"])) }
        #expect(realm.objects(MetPerson.self).map(\.name) == ["Ben"])
    }

    @Test("that are stored otherwise fail the transaction, which changes nothing")
    func otherClass() throws {
        do {
            let realm = try reopen([MetOther.self])
            try realm.write { realm.create(MetOther.self, value: ["size": 1]) }
        }
        let realm = try open()
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(MetOtherwise.self, value: ["size": "x"]) }
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("'MetOther.size' has been changed") == true, "\(error!)")
        #expect(realm.objects(MetOther.self).map(\.size) == [1])
    }

    @Test("that are not stored are empty in a realm that is only read, whose writing throws")
    func readOnly() throws {
        do {
            let realm = try open()
            try realm.write { realm.add(MetPerson(value: ["name": "Ada"])) }
        }
        let realm = try open(readOnly: true)
        let others = realm.objects(MetOther.self)
        #expect(others.isEmpty && others.first == nil && Array(others).isEmpty)
        #expect(others.where { $0.size > 1 }.sorted(byKeyPath: "size").isEmpty)
        #expect(realm.objects(MetPerson.self).map(\.name) == ["Ada"])
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(MetOther.self, value: ["size": 1]) }
        }
        #expect(error?.code == .filePermissionDenied || error?.code == .fail, "\(error!)")
        #expect(realm.objects(MetOtherwise.self).isEmpty)
    }

    @Test("of asymmetric objects hand these to their consumer")
    func asymmetric() throws {
        let realm = try open()
        try realm.write {
            realm.create(MetEvent.self, value: ["size": 1])
            try realm.insert(MetEvent(value: ["size": 2]))
        }
        #expect(try realm.outbox.read(after: 0, limit: 5).count == 2)
    }
}

enum MeetingWay {
    /// Ways in which a transaction can meet `MetPerson` first; each leaves one of them with the
    /// name.
    static let all: [(name: String, body: @Sendable (Realm) throws -> Void)] = [
        ("add", { $0.add(MetPerson(value: ["name": "Ada"])) }),
        ("add of several", { $0.add([MetPerson(value: ["name": "Ada"])], update: .modified) }),
        ("create", { $0.create(MetPerson.self, value: ["name": "Ada"]) }),
        (
            "create that updates",
            { $0.create(MetPerson.self, value: ["name": "Ada"], update: .modified) }
        ),
        (
            "create from an array",
            { $0.create(MetPerson.self, value: [ObjectId.generate(), "Ada", [Any]()] as [Any]) }
        ),
        ("insert", { try $0.insert(MetPerson(value: ["name": "Ada"])) }),
        (
            "a query, then a look-up",
            { realm in
                #expect(realm.objects(MetPerson.self).where { $0.name == "Ada" }.isEmpty)
                #expect(realm.object(ofType: MetPerson.self, forPrimaryKey: ObjectId()) == nil)
                realm.add(MetPerson(value: ["name": "Ada"]))
            }
        ),
        (
            "a part of the transaction",
            { realm in
                try realm.savepoint { realm.add(MetPerson(value: ["name": "Ada"])) }
            }
        ),
        (
            "the target of a link in a graph",
            { realm in
                let note = MetNote(value: ["text": "a"])
                note.author = MetPerson(value: ["name": "Ada"])
                realm.add(note)
            }
        ),
        (
            "a list in a graph of dictionaries",
            { realm in
                realm.create(MetNote.self, value: ["readers": [["name": "Ada"]]])
            }
        ),
        (
            "a value of any type",
            { realm in
                let note = realm.create(MetNote.self)
                note.subject = .object(MetPerson(value: ["name": "Ada"]))
            }
        ),
        (
            "an object of a class that was known",
            { realm in
                let anything = realm.create(MetHolder.self)
                anything.values.append(.object(MetPerson(value: ["name": "Ada"])))
            }
        ),
    ]
}

/// What the default schema has, and leads to nothing that it does not.
class MetHolder: Object {
    @Persisted var base: MetBase?
    @Persisted var bases: List<MetBase>
    @Persisted var named: Map<String, MetBase?>
    @Persisted var values: List<AnyRealmValue>
}

class MetBase: Object {
    @Persisted(indexed: true) var size: Int
}

class MetTarget: Object {
    @Persisted var size: Int
}

/// The classes that are found.
class MetPerson: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var addresses: List<MetAddress>
    @Persisted(originProperty: "author") var notes: LinkingObjects<MetNote>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetAddress: EmbeddedObject {
    @Persisted var street: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetNote: Object {
    @Persisted var text: String
    @Persisted var author: MetPerson?
    @Persisted var readers: List<MetPerson>
    @Persisted var subject: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetDerived: MetBase {
    @Persisted var depth: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetOther: Object {
    @Persisted(indexed: true) var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetOtherwise: Object {
    @Persisted var size: String
    override class func objectTypeName() -> String { "MetOther" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetTargeting: Object {
    @Persisted var target: MetTarget?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetWrong: Object {
    @Persisted(deleteRule: .cascade) var a: List<Int>
    @Persisted var b: Double
    override class func primaryKey() -> String? { "b" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MetEvent: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LinkedStone: Object {
    @Persisted var name: String
    @Persisted(originProperty: "stone") var finders: LinkingObjects<StoneFinder>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class StoneFinder: Object {
    @Persisted var stone: LinkedStone?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class CarefulFinder: StoneFinder {}
