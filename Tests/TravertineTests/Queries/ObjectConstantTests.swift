import Foundation
import RealmSwift
import TestSupport
import Testing

/// Q17: objects that conditions compare with.
@Suite("Objects in conditions")
struct ObjectConstantTests {
    private func open(_ directory: TemporaryDirectory) throws -> (Realm, [Sloop]) {
        let realm = try directory.open([Sloop.self])
        try realm.write {
            for id in 0..<3 { realm.create(Sloop.self, value: ["id": id]) }
            for sloop in realm.objects(Sloop.self) where sloop.id > 0 {
                sloop.twin = realm.object(ofType: Sloop.self, forPrimaryKey: sloop.id - 1)
                sloop.cargo = .object(realm.objects(Sloop.self)[0])
                if let twin = sloop.twin { sloop.convoy.append(twin) }
            }
        }
        return (realm, Array(realm.objects(Sloop.self)))
    }

    private func message(_ realm: Realm, _ text: String, _ argument: Any) -> String {
        let error = #expect(throws: Realm.Error.self) {
            try realm.objects(Sloop.self).filter(validating: text, argument)
        }
        #expect(error?.code == .invalidInput)
        return error?.message ?? ""
    }

    @Test("what is in no realm, was deleted or is in another realm is refused, with its place")
    func refused() throws {
        let (directory, other) = (TemporaryDirectory(), TemporaryDirectory())
        let (realm, sloops) = try open(directory)
        let (_, foreign) = try open(other)
        let texts = [
            "twin == %@", "twin != %@", "cargo == %@", "twin IN %@", "ANY convoy == %@",
            "SUBQUERY(convoy, $x, $x.twin == %@).@count > 0",
            "TRUEPREDICATE LIMIT(1) FILTER(twin == %@)", "SELF == %@",
        ]
        for text in texts {
            func argument(_ sloop: Sloop) -> Any { text.contains(" IN ") ? [sloop] : sloop }
            let unmanaged = message(realm, text, argument(Sloop()))
            #expect(unmanaged.contains("The Sloop that is compared with is in no realm"), "\(text)")
            #expect(unmanaged.contains("^"), "\(text): \(unmanaged)")
            let elsewhere = message(realm, text, argument(foreign[0]))
            #expect(elsewhere.contains("is in the realm at \(other.url.path)"), "\(elsewhere)")
            #expect(elsewhere.contains(directory.url.path), "\(text): \(elsewhere)")
        }
        let inList = message(realm, "cargo == %@", [AnyRealmValue.object(Sloop())])
        #expect(inList.contains("is in no realm"), "\(inList)")
        try realm.write { realm.delete(sloops[2]) }
        for text in texts where !text.contains(" IN ") {
            let deleted = message(realm, text, sloops[2])
            #expect(deleted.contains("The Sloop that is compared with was deleted"), "\(deleted)")
        }
    }

    @Test("an object that is deleted later equals nothing, and the results go on")
    func deletedLater() throws {
        let directory = TemporaryDirectory()
        let (realm, sloops) = try open(directory)
        let all = realm.objects(Sloop.self)
        let found = all.where { $0.twin == sloops[1] }
        let others = all.where { $0.twin != sloops[1] }
        let narrowed = all.where { $0.convoy.contains(sloops[1]) || $0.id == 0 }
        #expect(found.map(\.id) == [2] && others.map(\.id) == [0, 1])
        #expect(narrowed.map(\.id) == [0, 2])
        try realm.write { realm.delete(sloops[1]) }
        #expect(found.isEmpty && others.map(\.id) == [0, 2] && narrowed.map(\.id) == [0])
        #expect(found.where { $0.id > 0 }.isEmpty)
        #expect(others.where { $0.id > 0 }.map(\.id) == [2])
        let again = try directory.open([Sloop.self, SloopPort.self])
        #expect(again.objects(SloopPort.self).isEmpty && found.isEmpty && others.count == 2)
    }

    @Test("an object of another version of the store is the same object")
    func versions() throws {
        let directory = TemporaryDirectory()
        let (realm, sloops) = try open(directory)
        let frozen = sloops[1].freeze()
        let all = realm.objects(Sloop.self)
        let inFrozen = all.freeze()
        try realm.write { sloops[0].name = "changed" }
        let later = all.freeze()
        for results in [all, inFrozen, later] {
            for sloop in [sloops[1], frozen] {
                #expect(results.where { $0.twin == sloop }.map(\.id) == [2])
                #expect(results.where { $0.twin != sloop }.map(\.id) == [0, 1])
                #expect(results.where { $0.convoy.contains(sloop) }.map(\.id) == [2])
                #expect(results.filter("SELF == %@", sloop).map(\.id) == [1])
                #expect(results.filter("twin IN %@", [sloop]).map(\.id) == [2])
            }
            for sloop in [sloops[0], sloops[0].freeze()] {
                #expect(results.where { $0.cargo == .object(sloop) }.map(\.id) == [1, 2])
            }
        }
        // Frozen results with a live object, on another thread; and an object that is newer.
        let held = inFrozen.where { $0.twin == sloops[1] }
        try realm.write { realm.create(Sloop.self, value: ["id": 9]) }
        let newest = realm.objects(Sloop.self)[3]
        let none = inFrozen.where { $0.twin == newest }
        let (sendable, empty) = (Frozen(held), Frozen(none))
        try onThreads(2) { _ in
            #expect(sendable.value.map(\.id) == [2] && empty.value.isEmpty)
        }
        try realm.write { realm.delete(sloops[1]) }
        #expect(all.where { $0.twin == frozen }.isEmpty)
        #expect(inFrozen.where { $0.twin == frozen }.map(\.id) == [2])
    }
}

class Sloop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var twin: Sloop?
    @Persisted var cargo: AnyRealmValue
    @Persisted var convoy: List<Sloop>
}

class SloopPort: Object {
    @Persisted var name: String
}
