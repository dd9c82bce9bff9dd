import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Object histories")
struct ObjectHistoryTests {
    /// With the derived class links are varying; a store gets it from the start or later.
    private static func types(withDerived isDerived: Bool) -> [ObjectBase.Type] {
        isDerived
            ? [Everything.self, Part.self, EverythingMore.self] : [Everything.self, Part.self]
    }

    @Test(
        "random histories over every kind of property equal a plain model, with derived classes too",
        arguments: [1, 2] as [UInt64], [0, 4, 9])
    func equalsModel(seed: UInt64, firstDerivedRound: Int) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        var history = History()
        var reopenCount = 0
        var deletedCount = 0
        for round in 0..<8 {
            reopenCount += 1
            history.handles = [:]
            history.hasDerived = round >= firstDerivedRound
            let realm = try directory.open(Self.types(withDerived: history.hasDerived))
            try check(realm, history, seed)
            for _ in 0..<10 {
                let before = history
                do {
                    try realm.write {
                        for _ in 0..<random.below(12) { try history.step(realm, &random) }
                        let part = history
                        do {
                            try realm.savepoint {
                                for _ in 0..<random.below(6) { try history.step(realm, &random) }
                                if random.chance(50) { throw Stop() }
                            }
                        } catch is Stop {
                            history = part
                        }
                        for _ in 0..<random.below(4) { try history.step(realm, &random) }
                        if random.chance(20) { throw Stop() }
                    }
                } catch is Stop {
                    history = before
                }
                try check(realm, history, seed)
                deletedCount = max(deletedCount, history.deletedCount)
            }
            #expect(
                try realm.brokenInvariants() == [], "seed \(seed)")
            if random.chance(50) { try realm.store.compact() }
        }
        #expect(reopenCount == 8 && deletedCount > 3, "the history must delete objects")
        history.handles = [:]
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "seed \(seed): \(report)")
    }

    private func check(_ realm: Realm, _ history: History, _ seed: UInt64) throws {
        let model = history.model
        let objects = realm.objects(Everything.self, includingSubclasses: true)
        #expect(objects.map(\.id).sorted() == model.keys.sorted(), "seed \(seed)")
        #expect(
            realm.objects(Everything.self).map(\.id)
                == model.keys.filter { model[$0]?.isDerived == false }.sorted(), "seed \(seed)")
        var partCount = 0
        for object in objects {
            let wanted = try #require(model[object.id])
            #expect(Model(object) == wanted, "seed \(seed), object \(object.id)")
            partCount += wanted.parts.count + (wanted.part == nil ? 0 : 1)
            let linking = model.filter { $0.value.link == object.id }.keys.sorted()
            #expect(object.linking.map(\.id).sorted() == linking, "seed \(seed)")
            for part in object.parts { #expect(part.parent == object) }
        }
        let rows = realm.session.table(of: Part.self)
        #expect(realm.session.count(of: rows) == partCount, "seed \(seed): parts without owner")
        let name = model.values.first?.name ?? ""
        #expect(
            objects.where { $0.name == name }.map(\.id).sorted()
                == model.filter { $0.value.name == name }.keys.sorted(), "seed \(seed)")
    }
}

/// A value of any type in the model.
private indirect enum Value: Equatable {
    case none
    case int(Int)
    case text(String)
    case object(Int)
    case list([Value])

    init(_ value: AnyRealmValue) {
        switch value {
        case .int(let number): self = .int(number)
        case .string(let text): self = .text(text)
        case .object(let object): self = .object((object as? Everything)?.id ?? -1)
        case .list(let list): self = .list(list.map { Value($0) })
        default: self = .none
        }
    }

    func real(_ realm: Realm) -> AnyRealmValue {
        switch self {
        case .none: .none
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .object(let id):
            History.find(realm, id).map { .object($0) } ?? .none
        case .list(let values): .fromArray(values.map { $0.real(realm) })
        }
    }

    /// What values are sorted by.
    var rank: Int {
        switch self {
        case .none: -1
        case .int(let number): number
        case .text(let text): text.utf8.count % 7
        case .object(let id): id
        case .list(let values): 3 * values.count
        }
    }

    func forgetting(_ id: Int) -> Value {
        switch self {
        case .object(id): .none
        case .list(let values): .list(values.map { $0.forgetting(id) })
        default: self
        }
    }

    static func random(_ ids: [Int], _ random: inout SeededRandom, depth: Int = 0) -> Value {
        switch random.below(depth < 3 ? 6 : 4) {
        case 0: .none
        case 1: .int(random.below(9))
        case 2: .text(random.text())
        case 3: .object(random.pick(ids))
        default:
            .list(
                (0..<random.below(4)).map { _ in Value.random(ids, &random, depth: depth + 1) })
        }
    }
}

/// An object in the model.
private struct Model: Equatable {
    var isDerived = false
    var name = ""
    var link: Int?
    var list: [Int] = []
    var set: Set<Int> = []
    var map: [String: Int?] = [:]
    var numbers: Set<Int> = []
    var texts: [String: String] = [:]
    var part: Int?
    var parts: [Int] = []
    var mixed = Value.none
    var mixedList: [Value] = []

    init() {}

    init(_ object: Everything) {
        isDerived = object is EverythingMore
        name = object.name
        link = object.link?.id
        list = object.list.map(\.id)
        set = Set(object.set.map(\.id))
        for entry in object.map { map[entry.key] = .some(entry.value?.id) }
        numbers = Set(object.numbers)
        for entry in object.texts { texts[entry.key] = entry.value }
        part = object.part?.number
        parts = object.parts.map(\.number)
        mixed = Value(object.mixed)
        mixedList = object.mixedList.map { Value($0) }
    }

    mutating func forget(_ id: Int) {
        if link == id { link = nil }
        list.removeAll { $0 == id }
        set.remove(id)
        for (key, value) in map where value == id { map[key] = .some(nil) }
        mixed = mixed.forgetting(id)
        mixedList = mixedList.map { $0.forgetting(id) }
    }
}

/// The model, changed together with the realm.
private struct History {
    var model: [Int: Model] = [:]
    var deletedCount = 0
    var hasDerived = false
    /// Handles that stay from step to step, over savepoints and transactions.
    var handles: [Int: Everything] = [:]

    init() {}

    static func find(_ realm: Realm, _ id: Int) -> Everything? {
        realm.objects(Everything.self, includingSubclasses: true).where { $0.id == id }.first
    }

    mutating func step(_ realm: Realm, _ random: inout SeededRandom) throws {
        let ids = model.keys.sorted()
        guard ids.count > 2, !random.chance(20) else {
            let id = random.below(25)
            let name = random.text()
            if model[id] == nil {
                model[id] = Model()
                model[id]?.isDerived = hasDerived && id % 3 == 0
            }
            model[id]?.name = name
            if let handle = handles[id], random.chance(50) {
                handle.name = name
            } else if model[id]?.isDerived == true {
                handles[id] = realm.create(
                    EverythingMore.self, value: ["id": id, "name": name], update: .modified)
            } else {
                handles[id] = realm.create(
                    Everything.self, value: ["id": id, "name": name], update: .modified)
            }
            return
        }
        if random.chance(6) { return try insertAgain(realm, ids, &random) }
        let (id, target) = (random.pick(ids), random.pick(ids))
        let found = try #require(Self.find(realm, id))
        let object = handles[id] ?? found
        handles[id] = object
        let other = try #require(Self.find(realm, target))
        if random.chance(8) {
            realm.delete(object)
            deletedCount += 1
            model[id] = nil
            handles[id] = nil
            for id in model.keys.sorted() {
                for gone in ids where model[gone] == nil { model[id]?.forget(gone) }
            }
            return
        }
        if random.chance(15) { return update(object, other, realm, ids, &random) }
        var wanted = model[id] ?? Model()
        if random.chance(15) {
            sort(object, &wanted)
        } else if random.chance(50) {
            changeLinks(object, other, target, &wanted, &random)
        } else {
            changeValues(object, realm, ids, &wanted, &random)
        }
        model[id] = wanted
    }

    /// Adds a graph that is refused for its last object, and again without that.
    private mutating func insertAgain(
        _ realm: Realm, _ ids: [Int], _ random: inout SeededRandom
    ) throws {
        let free = (0..<25).filter { model[$0] == nil }
        guard free.count > 1 else { return }
        let isDerived = hasDerived && random.chance(30)
        let object = isDerived ? EverythingMore() : Everything()
        let friend = Everything(value: ["id": free[1], "name": "friend"])
        object.id = free[0]
        object.name = random.text()
        object.link = friend
        object.list.append(objectsIn: [friend, try #require(Self.find(realm, ids[0]))])
        object.texts["k"] = random.text()
        object.part = Part(value: ["number": 3])
        object.parts.append(objectsIn: [Part(value: ["number": 1]), Part(value: ["number": 2])])
        object.mixed = .fromArray([.int(1), .fromArray([.string("a")])])
        object.mixedList.append(.object(friend))
        let wanted = Model(object)
        let known = try #require(ids.first { model[$0]?.isDerived == false } ?? ids.first)
        let refused = model[known]?.isDerived == true ? EverythingMore() : Everything()
        refused.id = known
        let isLast = random.chance(50)
        if isLast { object.list.append(refused) } else { friend.link = refused }
        let error = #expect(throws: Realm.Error.self) { try realm.insert(object) }
        #expect(error?.code == .duplicatePrimaryKey)
        #expect(object.realm == nil && friend.realm == nil && refused.realm == nil)
        #expect(object.parts.allSatisfy { $0.realm == nil } && object.part?.realm == nil)
        if isLast { object.list.removeLast() } else { friend.link = nil }
        #expect(Model(object) == wanted)
        try realm.insert(object)
        (model[free[0]], model[free[1]]) = (wanted, Model(friend))
        (handles[free[0]], handles[free[1]]) = (object, friend)
    }

    /// Changes what a dictionary names, of the embedded object too, and of another that it leads
    /// to.
    private mutating func update(
        _ object: Everything, _ other: Everything, _ realm: Realm, _ ids: [Int],
        _ random: inout SeededRandom
    ) {
        let id = object.id
        var wanted = model[id] ?? Model()
        var values: [String: Any] = ["id": id]
        if random.chance(50) {
            wanted.part = random.below(9)
            values["part"] = ["number": wanted.part]
        }
        if random.chance(30) {
            wanted.parts = (0..<random.below(4)).map { _ in random.below(9) }
            values["parts"] = wanted.parts.map { ["number": $0] }
        }
        if random.chance(30) {
            wanted.texts = ["a": random.text(), "b": random.text()]
            values["texts"] = wanted.texts
        }
        if random.chance(30) {
            wanted.numbers = [random.below(9), 77]
            values["numbers"] = Array(wanted.numbers)
        }
        if random.chance(30) {
            wanted.mixed = Value.random(ids, &random)
            values["mixed"] = wanted.mixed.real(realm)
        }
        if random.chance(30) {
            wanted.list = [other.id, id, other.id]
            values["list"] = [other, object, other]
        }
        if random.chance(30) {
            wanted.map = ["k": other.id, "none": nil]
            values["map"] = ["k": other, "none": Any?.none as Any]
        }
        let isNamed = random.chance(30) && other.id != id && model[other.id]?.isDerived == false
        let name = random.text()
        if isNamed {
            wanted.link = other.id
            values["link"] = ["id": other.id, "name": name]
        }
        let update = random.pick([.modified, .all] as [Realm.UpdatePolicy])
        if wanted.isDerived {
            realm.create(EverythingMore.self, value: values, update: update)
        } else {
            realm.create(Everything.self, value: values, update: update)
        }
        model[id] = wanted
        if isNamed { model[other.id]?.name = name }
    }

    private func sort(_ object: Everything, _ wanted: inout Model) {
        object.list.sort { $0.id > $1.id }
        wanted.list.sort(by: >)
        object.parts.sort { $0.number < $1.number }
        wanted.parts.sort()
        // Equal ones keep their order.
        object.mixedList.sort { Value($0).rank < Value($1).rank }
        wanted.mixedList = wanted.mixedList.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map(\.element)
    }

    private func changeLinks(
        _ object: Everything, _ other: Everything, _ target: Int, _ wanted: inout Model,
        _ random: inout SeededRandom
    ) {
        switch random.below(6) {
        case 0:
            let isNil = random.chance(30)
            object.link = isNil ? nil : other
            wanted.link = isNil ? nil : target
        case 1:
            let count = random.below(200)
            object.list.append(objectsIn: Array(repeating: other, count: count))
            wanted.list += Array(repeating: target, count: count)
        case 2 where wanted.list.count > 1:
            let (from, to) = (random.below(wanted.list.count), random.below(wanted.list.count))
            object.list.move(from: from, to: to)
            wanted.list.insert(wanted.list.remove(at: from), at: to)
        case 3:
            object.set.insert(other)
            wanted.set.insert(target)
        case 4:
            object.set.remove(other)
            wanted.set.remove(target)
        default:
            let key = "k\(random.below(5))"
            if random.chance(30) {
                object.map.removeObject(for: key)
                wanted.map[key] = nil
            } else {
                object.map[key] = other
                wanted.map[key] = .some(target)
            }
        }
    }

    private func changeValues(
        _ object: Everything, _ realm: Realm, _ ids: [Int], _ wanted: inout Model,
        _ random: inout SeededRandom
    ) {
        switch random.below(7) {
        case 0:
            let numbers = (0..<random.below(300)).map { _ in random.below(1000) }
            object.numbers.insert(objectsIn: numbers)
            wanted.numbers.formUnion(numbers)
        case 1:
            for _ in 0..<random.below(30) {
                let (key, text) = (random.text(), random.text())
                object.texts[key] = text
                wanted.texts[key] = text
            }
        case 2:
            let number = random.chance(30) ? nil : random.below(9)
            object.part = number.map { Part(value: ["number": $0]) }
            wanted.part = number
        case 3:
            object.parts.append(Part(value: ["number": 7]))
            wanted.parts.append(7)
        case 4 where !wanted.parts.isEmpty:
            let place = random.below(wanted.parts.count)
            object.parts.remove(at: place)
            wanted.parts.remove(at: place)
        case 5:
            let value = Value.random(ids, &random)
            object.mixed = value.real(realm)
            wanted.mixed = value
        default:
            let value = Value.random(ids, &random)
            if wanted.mixedList.count > 4 {
                let place = random.below(wanted.mixedList.count)
                object.mixedList[place] = value.real(realm)
                wanted.mixedList[place] = value
            } else {
                object.mixedList.append(value.real(realm))
                wanted.mixedList.append(value)
            }
        }
    }
}

class Everything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var link: Everything?
    @Persisted var list: List<Everything>
    @Persisted var set: MutableSet<Everything>
    @Persisted var map: Map<String, Everything?>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var texts: Map<String, String>
    @Persisted var part: Part?
    @Persisted var parts: List<Part>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted(originProperty: "link") var linking: LinkingObjects<Everything>
}

class EverythingMore: Everything {
    @Persisted var extra: Int
}

class Part: EmbeddedObject {
    @Persisted var number: Int
}
