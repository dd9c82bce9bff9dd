import Foundation
import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md 2.1, O-L3: transactions that are not reported, in a block that can't be
/// notified of what others committed before them.
@Suite("Skipped transactions in blocks")
struct SkippedTransactionTests {
    let directory = try! TemporaryDirectory()
    let reports = Reports()

    private let types = [ObservedPet.self, ObservedOwner.self, ObservedAddress.self]

    private func open() throws -> Realm { try directory.open(types) }

    /// Another realm of the same file on the same thread.
    private func openOther() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, objectTypes: types,
                durability: .interval(milliseconds: 1000)))
    }

    private func pet(_ name: String, _ age: Int = 0) -> ObservedPet {
        ObservedPet(value: ["name": name, "age": age])
    }

    /// Commits from a block that is called for a change of the first pet, and gives what is
    /// reported later.
    private func reported<Observed: RealmCollection>(
        of observed: Observed, in realm: Realm,
        _ commit: @escaping (NotificationToken) throws -> Void
    ) throws -> [String] {
        var token: NotificationToken?
        var isFirst = true
        token = observed.observe { change in
            reports.note(change)
            guard case .update = change, isFirst, let token else { return }
            isFirst = false
            do { try commit(token) } catch { reports.note("\(error)") }
        }
        realm.refresh()
        try realm.write { realm.objects(ObservedPet.self)[0].age = 5 }
        realm.refresh()
        _ = reports.take()
        realm.refresh()
        token?.invalidate()
        return reports.take()
    }

    @Test("after several of them, what others committed before the first is still reported")
    func several() throws {
        let (realm, other) = (try open(), try openOther())
        let pets = realm.objects(ObservedPet.self)
        try realm.write { realm.add([pet("a"), pet("b")]) }
        let told = try reported(of: pets, in: realm) { token in
            try other.write {
                other.add(pet("missed"))
                other.objects(ObservedPet.self)[1].age = 7
            }
            try realm.write(withoutNotifying: [token]) { realm.add(pet("own")) }
            try realm.write(withoutNotifying: [token]) { pets.last?.name = "other" }
            try realm.write(withoutNotifying: [token]) { realm.delete(pets[0]) }
        }
        #expect(told == ["-[] +[1] ~[0]"])
        #expect(pets.map(\.name) == ["b", "missed", "other"])
    }

    @Test("what others commit between two of them is reported, too")
    func between() throws {
        let (realm, other) = (try open(), try openOther())
        let pets = realm.objects(ObservedPet.self)
        try realm.write { realm.add([pet("a"), pet("b")]) }
        let told = try reported(of: pets, in: realm) { token in
            try other.write { other.add(pet("first")) }
            try realm.write(withoutNotifying: [token]) { realm.add(pet("own")) }
            try other.write { other.objects(ObservedPet.self)[0].age = 9 }
            try realm.write(withoutNotifying: [token]) { realm.add(pet("own")) }
        }
        #expect(told == ["-[] +[2] ~[0]"])
    }

    /// Commits from a block that is called for a change of the entry "a" of a map with "a" and "b",
    /// and gives what is reported later.
    private func reportedOfMap(
        _ commit:
            @escaping (
                _ own: Map<String, Int>, _ others: Map<String, Int>, NotificationToken
            ) throws -> Void
    ) throws -> [String] {
        let (realm, other) = (try open(), try openOther())
        let owner = try realm.write {
            realm.create(ObservedOwner.self, value: ["id": 1, "scores": ["a": 1, "b": 2]])
        }
        let others = try #require(other.objects(ObservedOwner.self).first).scores
        var token: NotificationToken?
        var isFirst = true
        token = owner.scores.observe { [reports] change in
            reports.note(change)
            guard case .update = change, isFirst, let token else { return }
            isFirst = false
            do { try commit(owner.scores, others, token) } catch { reports.note("\(error)") }
        }
        realm.refresh()
        try realm.write { owner.scores["a"] = 3 }
        realm.refresh()
        #expect(reports.take() == ["initial", #"-[] +[] ~["a"]"#])
        realm.refresh()
        token?.invalidate()
        return reports.take()
    }

    @Test("entries of a map are reported as objects are")
    func maps() throws {
        let told = try reportedOfMap { own, others, token in
            try others.realm?.write {
                others["missed"] = 1
                others["b"] = 5
            }
            try own.realm?.write(withoutNotifying: [token]) { own["own"] = 1 }
            try own.realm?.write(withoutNotifying: [token]) { own["a"] = nil }
        }
        #expect(told == [#"-[] +["missed"] ~["b"]"#])
    }

    @Test("an entry that others changed and changed back is no change")
    func changedBack() throws {
        let told = try reportedOfMap { own, others, token in
            try others.realm?.write { others["b"] = 5 }
            try own.realm?.write(withoutNotifying: [token]) { own["own"] = 1 }
            try others.realm?.write { others["b"] = 2 }
        }
        #expect(told == [])
    }

    @Test("an element that one of them moved in a list is not reported as moved")
    func moves() throws {
        let (realm, other) = (try open(), try openOther())
        let owner = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1])
            owner.pets.append(objectsIn: [pet("a"), pet("b"), pet("c")])
            return owner
        }
        let told = try reported(of: owner.pets, in: realm) { token in
            try other.write { other.objects(ObservedOwner.self)[0].pets.append(pet("missed")) }
            try realm.write(withoutNotifying: [token]) { owner.pets.move(from: 0, to: 3) }
        }
        // It knows b, c and a.
        #expect(told == ["-[] +[2] ~[]"])
        #expect(owner.pets.map(\.name) == ["b", "c", "missed", "a"])
    }

    @Test("an object that is in a list twice is taken out of it once")
    func duplicates() throws {
        let (realm, other) = (try open(), try openOther())
        let owner = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1])
            let (a, b) = (pet("a"), pet("b"))
            owner.pets.append(objectsIn: [a, b, a])
            return owner
        }
        let told = try reported(of: owner.pets, in: realm) { token in
            try other.write { other.objects(ObservedOwner.self)[0].pets.append(pet("missed")) }
            try realm.write(withoutNotifying: [token]) { owner.pets.remove(at: 2) }
        }
        #expect(told == ["-[] +[2] ~[]"])
        #expect(owner.pets.map(\.name) == ["a", "b", "missed"])
    }

    @Test("what one of them added is remembered where the order of keys has it")
    func order() throws {
        let (realm, other) = (try open(), try openOther())
        try realm.write { realm.add([pet("a", 1), pet("b", 0), pet("c", 1)]) }
        let pets = realm.objects(ObservedPet.self)
        let old = pets.where { $0.age > 0 }
        let told = try reported(of: old, in: realm) { token in
            try other.write { other.objects(ObservedPet.self)[2].age = 0 }
            try realm.write(withoutNotifying: [token]) { pets[1].age = 1 }
        }
        // It knows a, b and c.
        #expect(told == ["-[2] +[] ~[]"])
        #expect(old.map(\.name) == ["a", "b"])
    }

    @Test("an object that others deleted before it is reported as deleted")
    func deleted() throws {
        let (realm, other) = (try open(), try openOther())
        let pets = realm.objects(ObservedPet.self)
        try realm.write { realm.add([pet("a"), pet("b")]) }
        var token: NotificationToken?
        token = pets[0].observe { [reports] change in
            reports.note(change)
            guard case .change = change, let token else { return }
            try! other.write { other.delete(other.objects(ObservedPet.self)[0]) }
            try! realm.write(withoutNotifying: [token]) { pets[0].age = 1 }
        }
        try realm.write { pets[0].age = 1 }
        realm.refresh()
        #expect(reports.take() == ["age"])
        realm.refresh()
        #expect(reports.take() == ["deleted"])
        token?.invalidate()
    }
}
