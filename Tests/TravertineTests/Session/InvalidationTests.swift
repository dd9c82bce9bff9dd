import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What `invalidate()` leaves of the things that were taken from a realm before.
@Suite("Invalidating a realm")
struct InvalidationTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> (Realm, Mill) {
        let realm = try directory.open([Mill.self, MillWheel.self])
        let mill = Mill(value: ["id": 1, "names": ["a"], "wheels": [[3]], "any": [1, 2]])
        try realm.write { realm.add(mill) }
        return (realm, mill)
    }

    private static let readings: [@Sendable (Realm) throws -> Void] = [
        { $0.refresh() }, { try $0.write {} }, { _ = $0.objects(Mill.self).count },
        { _ = $0.object(ofType: Mill.self, forPrimaryKey: 1) },
        { _ = $0.dynamicObjects("Mill").first },
    ]

    @Test(
        "objects, collections and results stay invalidated whatever is asked of the realm then",
        arguments: readings.indices)
    func forGood(reading: Int) throws {
        let (realm, mill) = try open()
        let (names, wheels, any) = (mill.names, mill.wheels, mill.any)
        let (wheel, mills) = (mill.wheels[0], mill.wheels[0].mills)
        let (results, found) = (realm.objects(Mill.self), mill.wheels.where { $0.size == 3 })
        let erased = AnyRealmCollection(results)
        let dynamic = try #require(realm.dynamicObjects("Mill").first)
        func areInvalidated() -> Bool {
            mill.isInvalidated && names.isInvalidated && wheels.isInvalidated
                && wheel.isInvalidated && mills.isInvalidated && results.isInvalidated
                && found.isInvalidated && erased.isInvalidated && dynamic.isInvalidated
                && any.listValue?.isInvalidated == true
        }
        #expect(!mill.isInvalidated && !results.isInvalidated && !found.isInvalidated)
        realm.invalidate()
        #expect(areInvalidated())
        try Self.readings[reading](realm)
        #expect(areInvalidated() && mill.description.contains("invalidated"))
        // What an invalidated object is asked for is not taken from the realm again.
        #expect(mill.bare.isInvalidated && mill.sizes.isInvalidated && mill.notes.isInvalidated)
        let again = try #require(realm.objects(Mill.self).first)
        #expect(!again.isInvalidated && Array(again.names) == ["a"] && again.wheels[0].size == 3)
        #expect(again.isSameObject(as: mill) && again.wheels[0].mills.count == 1)
        #expect(!again.names.isInvalidated && !again.bare.isInvalidated)
    }

    @Test("objects that a transaction added are invalidated with it")
    func insideATransaction() throws {
        let (realm, _) = try open()
        realm.beginWrite()
        let added = realm.create(Mill.self, value: ["id": 2])
        realm.invalidate()
        #expect(added.isInvalidated && !realm.isInWriteTransaction)
        #expect(realm.objects(Mill.self).count == 1)
    }

    @Test("links that are followed in a loop that invalidated the realm are those of new objects")
    func insideALoop() throws {
        let (realm, _) = try open()
        for mill in realm.objects(Mill.self) {
            _ = mill.wheels.first
            realm.invalidate()
            let again = try #require(realm.object(ofType: Mill.self, forPrimaryKey: 1))
            #expect(again.wheels[0].size == 3 && mill.isInvalidated)
        }
    }
}

/// What a message says to code that goes on with what was invalidated.
@Suite("Using what was invalidated")
struct InvalidatedUseTests {
    @Test("using what was invalidated stops with a message", arguments: 0..<6)
    func use(kind: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [kind] in
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open([Mill.self, MillWheel.self])
            let mill = Mill(value: ["id": 1, "names": ["a"]])
            try realm.write { realm.add(mill) }
            let (names, results) = (mill.names, realm.objects(Mill.self))
            let dynamic = realm.dynamicObjects("Mill").first
            realm.invalidate()
            realm.refresh()
            switch kind {
            case 0: _ = mill.size
            case 1: _ = names.count
            case 2: _ = results.count
            case 3: _ = results.where { $0.id == 1 }
            case 4: try realm.write { mill.size = 4 }
            default: try realm.write { dynamic?["names"] = ["b"] }
            }
        }
        let text = result.errorText
        #expect(text.contains("invalidated"), "\(kind): \(text)")
    }
}

final class Mill: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var size: Int
    @Persisted var names: List<String>
    @Persisted var notes: MutableSet<String>
    @Persisted var sizes: Map<String, Int>
    @Persisted var wheels: List<MillWheel>
    @Persisted var bare: List<MillWheel>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class MillWheel: Object {
    @Persisted var size: Int
    @Persisted(originProperty: "wheels") var mills: LinkingObjects<Mill>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
