import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Objects by many primary keys: `forEachObject(ofType:forPrimaryKeys:)`,
/// `objects(ofType:forPrimaryKeys:)`.
@Suite("Objects by many primary keys")
struct PrimaryKeyLookUpTests {
    private func open() throws -> (TemporaryDirectory, Realm) {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Suitcase.self, Platform.self, Ferry.self, Keyless.self])
        try realm.write {
            for id in 0..<100 {
                realm.create(Suitcase.self, value: ["id": id, "weight": id])
                realm.create(Platform.self, value: ["code": Self.code(id), "number": id])
            }
            for id in -20..<20 { realm.create(Ferry.self, value: ["id": id, "number": id]) }
            realm.create(Ferry.self, value: ["id": nil, "number": 99])
        }
        return (directory, realm)
    }

    /// Codes of more bytes than an index has of a string, some alike up to there; short ones too.
    private static func code(_ id: Int) -> String {
        id % 3 == 0 ? String(repeating: "s", count: 200) + "\(id)" : "s\(id)"
    }

    @Test("come in the order of the keys, nil where there is none, and once for each duplicate")
    func order() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let ids = [99, 5, 5, 1000, -1, 0, .min, .max, 98] + Array(20..<60).reversed() + [5]
        let expected = ids.map { (0..<100).contains($0) ? $0 : nil }
        func check(_ realm: Realm) throws {
            var found: [Int?] = []
            var keys: [Int] = []
            try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: ids) {
                keys.append($0)
                found.append($1?.weight)
            }
            #expect(keys == ids)
            #expect(found == expected)
            let suitcases = realm.objects(ofType: Suitcase.self, forPrimaryKeys: ids)
            #expect(suitcases.map { $0?.weight } == expected)
            let codes = ids.map { Self.code($0) }
            let platforms = realm.objects(ofType: Platform.self, forPrimaryKeys: codes)
            #expect(platforms.map { $0?.number } == expected)
            found = []
            try realm.forEachObject(ofType: Platform.self, forPrimaryKeys: codes) {
                found.append($1?.number)
            }
            #expect(found == expected)
            let ferries = realm.objects(ofType: Ferry.self, forPrimaryKeys: [3, nil, 77, -4])
            #expect(ferries.map { $0?.number } == [3, 99, nil, -4])
            #expect(
                realm.objects(ofType: Ferry.self, forPrimaryKeys: [3, 77]).map { $0?.number }
                    == [3, nil])
        }
        try check(realm)
        try check(realm.freeze())
        try realm.write {
            try check(realm)
            realm.create(Suitcase.self, value: ["id": 500, "weight": 500])
            try check(realm)
        }
    }

    @Test("a sequence that has no count, and is read once, is enough")
    func sequences() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        func ids() -> AnyIterator<Int> {
            var next = 0
            return AnyIterator {
                next += 3
                return next <= 120 ? next : nil
            }
        }
        let expected = (1...40).map { $0 * 3 < 100 ? $0 * 3 : nil }
        #expect(
            realm.objects(ofType: Suitcase.self, forPrimaryKeys: ids()).map { $0?.id } == expected)
        var found: [Int?] = []
        try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: ids()) {
            found.append($1?.id)
        }
        #expect(found == expected)
    }

    @Test("a sequence of keys may itself read the realm and write to it")
    func writingSequence() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let ids = (200..<240).lazy.map { id in
            try? realm.write { realm.create(Suitcase.self, value: ["id": id, "weight": id]) }
            return realm.objects(Suitcase.self).count + 99
        }
        var found: [Int?] = []
        try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: ids) { found.append($1?.id) }
        #expect(found == Array(200..<240))
    }

    @Test("a transaction that the block begins is seen by later keys, also when it is rolled back")
    func transactionsInBlock() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        var found: [Int?] = []
        try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: [1, 2, 3, 700, 2, 3, 700]) {
            found.append($1?.weight)
            switch found.count {
            case 1:
                realm.beginWrite()
                realm.object(ofType: Suitcase.self, forPrimaryKey: 2)?.weight = 222
                realm.create(Suitcase.self, value: ["id": 700, "weight": 777])
                if let third = realm.object(ofType: Suitcase.self, forPrimaryKey: 3) {
                    realm.delete(third)
                }
            case 4: realm.cancelWrite()
            default: break
            }
        }
        #expect(found == [1, 222, nil, 777, 2, 3, nil])
    }

    @Test("an object that the block deletes is gone for its next key, and one with that key is new")
    func deletingInBlock() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        try realm.write {
            var found: [Int?] = []
            let codes = [3, 4, 3, 4, 4, 3].map { Self.code($0) }
            try realm.forEachObject(ofType: Platform.self, forPrimaryKeys: codes) {
                code, platform in
                found.append(platform?.number)
                if found.count <= 2, let platform { realm.delete(platform) }
                if found.count == 4 {
                    realm.create(Platform.self, value: ["code": code, "number": 444])
                }
            }
            #expect(found == [3, 4, nil, nil, 444, nil])
        }
    }

    @Test("loops over keys may be nested, and keep the objects that the outer one shows")
    func nested() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        var sum = 0
        try realm.write {
            try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: 0..<20) { id, outer in
                try realm.forEachObject(ofType: Suitcase.self, forPrimaryKeys: 40..<60) {
                    _, inner in
                    sum += inner?.weight ?? 0
                }
                #expect(outer?.id == id)
                outer?.weight = 1
            }
        }
        #expect(sum == 20 * (40..<60).reduce(0, +))
        #expect(realm.objects(Suitcase.self).where { $0.weight == 1 }.count == 20)
    }

    @Test("of one object that is damaged, `objects` leaves out this one only")
    func damagedObject() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let table = realm.session.table(of: Suitcase.self)
        let transaction = try realm.store.beginWrite()
        try withObjectKey(StoredObjectType.objectKey(ofPrimaryKey: 50)) {
            (key) throws(StoreError) in
            try [UInt8](repeating: 0xFF, count: 30).withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: table.stored.rows)
            }
        }
        try transaction.commit()
        realm.refresh()
        let suitcases = realm.objects(ofType: Suitcase.self, forPrimaryKeys: [49, 50, 51, 7])
        #expect(
            suitcases[0]?.weight == 49 && suitcases[2]?.weight == 51 && suitcases[3]?.weight == 7)
        #expect(realm.session.damage != nil)
        realm.session.damage = nil
    }

    @Test("a key of a wrong type stops the program with the property, its type and the key")
    func wrongType() async {
        let text = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try PrimaryKeyLookUpTests().open().1
            _ = realm.objects(ofType: Suitcase.self, forPrimaryKeys: ["1"])
        }.errorText
        #expect(text.contains("Invalid value '1' of type String"))
        #expect(text.contains("Suitcase.id"))
        let other = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try PrimaryKeyLookUpTests().open().1
            try realm.forEachObject(ofType: Platform.self, forPrimaryKeys: [1]) { _, _ in }
        }.errorText
        #expect(other.contains("Invalid value '1' of type Int"))
        let without = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try PrimaryKeyLookUpTests().open().1
            try realm.forEachObject(ofType: Keyless.self, forPrimaryKeys: [1]) { _, _ in }
        }.errorText
        #expect(without.contains("Keyless has no primary key"))
    }
}

final class Suitcase: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
}

final class Platform: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var number: Int
}

final class Ferry: Object {
    @Persisted(primaryKey: true) var id: Int?
    @Persisted var number: Int
}

final class Keyless: Object {
    @Persisted var number: Int
}
