import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

@Suite("Migrations with a block")
struct MigrationTests {
    private let realm = MigratedRealm()

    private func fill() throws {
        try realm.open(Before.types, version: 0) { try Before.fill($0) }
    }

    @Test("new values are made of old ones, of every kind, and links lead to the same objects")
    func everyKind() throws {
        try fill()
        for _ in 0..<2 {
            try realm.open(After.types, version: 1, After.block) { realm in
                let persons = realm.objects(After.Person.self)
                #expect(persons.map(\.id) == (0..<5).map { "p\($0)" })
                #expect(persons.map(\.name) == (0..<5).map { "F\($0) L\($0)" })
                #expect(persons.map(\.age) == (0..<5).map { "\($0 * 10)" })
                #expect(persons.map { $0.friend?.id } == ["p1", "p2", "p3", "p4", nil])
                #expect(persons.map { $0.dogs.first?.name } == (0..<5).map { "D\($0)" })
                #expect(persons.map { Array($0.labels) } == (0..<5).map { ["t\($0)", "all"] })
                for (id, person) in persons.enumerated() {
                    #expect(person.home?.street == "S\(id)" && person.house?.street == "S\(id)")
                    #expect(person.house.map { Array($0.rooms) } == ["hall", "R\(id)"])
                    #expect(Set(person.scores) == ["s\(id)", "s\(id + 1)"])
                    #expect(person.notes["length"] == 6 && person.notes.count == 1)
                    #expect(person.anything == .int(id))
                }
                #expect(realm.object(ofType: After.Person.self, forPrimaryKey: "p3")?.age == "30")
                #expect(persons.where { $0.name == "F2 L2" }.count == 1)
                #expect(realm.objects(After.Dog.self).where { $0.age == 3 }.count == 1)
                #expect(realm.objects(After.Dog.self)[1].owners.first?.id == "p1")
            }
        }
    }

    @Test("a class that is gone is read, and removed with its data")
    func goneClass() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            #expect(version == 0)
            #expect(migration.oldSchema["Draft"] != nil && migration.newSchema["Draft"] == nil)
            var texts: [String?] = []
            migration.enumerateObjects(ofType: "Draft") { old, new in
                #expect(new == nil)
                texts.append(old?["text"] as? String)
            }
            #expect(texts == ["a"])
            #expect(migration.deleteData(forType: "Draft"))
            #expect(!migration.deleteData(forType: "Letter"))
            try After.block(migration, version)
        } _: { realm in
            let names = realm.session.schema.types.map(\.name)
            #expect(names == ["Person", "Dog", "Home"] && !realm.hasType("Draft"))
            let rows = realm.session.schema.types.map(\.rows)
            #expect(realm.store.keyspaces.filter { $0.name.hasSuffix(".rows") }.count == rows.count)
            #expect(realm.objects(After.Person.self).count == 5)
        }
    }

    @Test("objects are created, linked and deleted in the block")
    func createdAndDeleted() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            try After.block(migration, version)
            let rex = migration.create("Dog", value: ["name": "Rex", "age": 9])
            let made = migration.create(
                "Person",
                value: ["id": "new", "name": "New", "dogs": [rex], "home": ["street": "N"]])
            migration.enumerateObjects(ofType: "Person") { old, new in
                guard let old, let new else { return }
                #expect(old["firstName"] as? String != "New")
                if old["id"] as? Int == 2 { migration.delete(new) }
                if old["id"] as? Int == 4 { new["friend"] = made }
            }
            var ids: [Int] = []
            migration.enumerateObjects(ofType: "Person") { old, _ in
                ids.append(old?["id"] as? Int ?? -1)
            }
            #expect(ids == [0, 1, 3, 4])
        } _: { realm in
            let persons = realm.objects(After.Person.self)
            #expect(persons.map(\.id) == ["p0", "p1", "p3", "p4", "new"])
            #expect(persons.map { $0.friend?.id } == ["p1", nil, "p4", "new", nil])
            #expect(persons.last?.dogs.first?.name == "Rex" && persons.last?.home?.street == "N")
        }
    }

    @Test("the objects of a class that is new are those that the block created")
    func newClass() throws {
        try realm.open([Before.Dog.self], version: 0) { realm in
            try realm.write { _ = realm.create(Before.Dog.self, value: ["name": "D"]) }
        }
        try realm.open([Before.Dog.self, Before.Draft.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Dog") { old, _ in
                migration.create("Draft", value: ["text": old?["name"] ?? ""])
            }
            migration.enumerateObjects(ofType: "Draft") { old, new in
                #expect(old == nil)
                new?["text"] = "\(new?["text"] ?? "") too"
            }
        } _: { realm in
            #expect(realm.objects(Before.Draft.self).map(\.text) == ["D too"])
        }
    }

    @Test("old objects stand for the new ones in links, lists, maps and values of any type")
    func oldObjects() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            try After.block(migration, version)
            migration.enumerateObjects(ofType: "Person") { old, new in
                guard let old, let new else { return }
                if old["id"] as? Int == 1 { migration.delete(new) }
            }
            migration.enumerateObjects(ofType: "Person") { old, new in
                guard let old, let new else { return }
                new["anything"] = ["friend": old["friend"], "dogs": old["dogs"]] as [String: Any?]
                let dogs = old["dogs"] as? List<DynamicObject>
                new["dogs"] =
                    (dogs.map { Array($0) } ?? [])
                    + [old["friend"]].compactMap { _ in
                        (old["dogs"] as? List<DynamicObject>)?.first
                    }
                #expect(
                    migration.newObject(for: old)?.isSameObject(as: new) == true)
            }
        } _: { realm in
            let persons = realm.objects(After.Person.self)
            let kept = persons.map { $0.anything.dictionaryValue?["friend"] ?? .none }
            #expect(kept[0] == .none)
            guard case .object(let friend) = kept[1] else { return #expect(Bool(false)) }
            #expect((friend as? After.Person)?.id == "p3")
            #expect(persons.map { $0.dogs.map(\.name) }[1] == ["D2", "D2"])
            #expect(persons[1].anything.dictionaryValue?["dogs"]?.listValue?.count == 1)
        }
    }

    @Test("what an older version lacks is asked of the old object's schema")
    func oldSchema() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            migration.enumerateObjects(ofType: "Person") { old, _ in
                let names = old?.objectSchema.properties.map(\.name) ?? []
                #expect(names.contains("firstName") && !names.contains("name"))
            }
            try After.block(migration, version)
        }
    }

    @Test("objects without a change are not written, and one change writes one row")
    func unchanged() throws {
        try fill()
        try realm.open(Before.types, version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                for name in ["id", "firstName", "age"] { new?[name] = old?[name] }
                if old?["id"] as? Int == 3 { new?["age"] = 99 }
            }
            let transaction = migration.new.requireTransaction()
            #expect(transaction.stagedRowCount == 1)
        } _: { realm in
            #expect(realm.objects(Before.Person.self).map(\.age) == [0, 10, 20, 99, 40])
        }
    }

    /// Changes of a class for which no row is written (M-L7).
    enum KeepingChange: CaseIterable, Sendable {
        case added, required, optional, widened

        var type: ObjectBase.Type {
            switch self {
            case .added: KeptAdded.self
            case .required: KeptRequired.self
            case .optional: KeptOptional.self
            case .widened: KeptV0.self
            }
        }
    }

    @Test(
        "an added property, another optionality and a wider layout write no row that was not changed",
        arguments: KeepingChange.allCases)
    func keptRows(_ change: KeepingChange) throws {
        var before: [UInt64] = []
        try realm.open([KeptV0.self], version: 0) { realm in
            try realm.write {
                for number in 0..<5 {
                    realm.create(
                        KeptV0.self,
                        value: ["number": number, "text": "t", "note": number == 2 ? nil : "n"])
                }
            }
            before = try locations(KeptV0.self, realm)
        }
        try realm.open([change.type], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Kept") { old, new in
                guard change == .widened, old?["number"] as? Int == 3 else { return }
                new?["number"] = 1 << 40
            }
        } _: { realm in
            let after = try locations(change.type, realm)
            let written = zip(before, after).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
            #expect(after.count == 5 && written == (change == .widened ? [3] : []))
            let kept = realm.dynamicObjects("Kept")
            #expect(kept.map { $0["number"] as? Int }[4] == 4)
            #expect(kept[1]["text"] as? String == "t" && kept[1]["note"] as? String == "n")
            #expect(kept[2]["note"] as? String == (change == .required ? "" : nil))
            if change == .added { #expect(kept[0]["more"] as? Int == 7) }
        }
    }

    /// Where the rows of a class are, in the order of their keys.
    private func locations(_ type: ObjectBase.Type, _ realm: Realm) throws -> [UInt64] {
        let snapshot = try realm.store.snapshot()
        var cursor = snapshot.access.cursor(in: realm.session.table(of: type).stored.rows)
        var locations: [UInt64] = []
        var isValid = try cursor.seekToFirst()
        while isValid {
            locations.append(cursor.indexValue)
            isValid = try cursor.next()
        }
        return withExtendedLifetime(snapshot) { locations }
    }

    private static func manyText(_ number: Int, _ letter: Character) -> String {
        "\(number) " + String(repeating: letter, count: 2100)
    }

    @Test("changed rows are written when they take 4 MiB, and all that was set stays (M-L6)")
    func manyRows() throws {
        let count = 6000
        try realm.open([Before.Draft.self], version: 0) { realm in
            try realm.write {
                for number in 0..<count {
                    realm.create(Before.Draft.self, value: ["text": Self.manyText(number, "a")])
                }
            }
        }
        try realm.open([Before.Draft.self], version: 1) { migration, _ in
            var greatest = 0
            var number = 0
            migration.enumerateObjects(ofType: "Draft") { _, new in
                greatest = max(greatest, migration.new.requireTransaction().stagedByteCount)
                new?["text"] = Self.manyText(number, "b")
                number += 1
            }
            #expect(number == count)
            #expect(greatest > 4 << 20 && greatest < 6 << 20, "\(greatest)")
            number = 0
            var lostCount = 0
            migration.enumerateObjects(ofType: "Draft") { old, new in
                let texts = (old?["text"] as? String, new?["text"] as? String)
                if texts != (Self.manyText(number, "a"), Self.manyText(number, "b")) {
                    lostCount += 1
                }
                number += 1
            }
            #expect(lostCount == 0)
        } _: { realm in
            let texts = realm.objects(Before.Draft.self).map(\.text)
            #expect(texts.count == count)
            #expect(texts.enumerated().allSatisfy { $1 == Self.manyText($0, "b") })
        }
    }

    @Test("values that changed properties have no place for must be set or deleted")
    func losses() throws {
        try fill()
        let error = try realm.failure(After.types, version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                new?["age"] = "\(old?["age"] ?? 0)"
                new?["scores"] = [String]()
                new?["notes"] = [String: Int]()
            }
        }
        #expect(error.code == .schemaMismatch)
        #expect(error.message.contains("'Person.id' has been changed from 'int' to 'string'"))
        #expect(error.message.contains("enumerateObjects"))
        #expect(!error.message.contains("Person.age"))
        try realm.open(Before.types, version: 0) { realm in
            #expect(realm.objects(Before.Person.self).count == 5)
        }
        try realm.open(After.types, version: 1) { migration, _ in
            migration.deleteData(forType: "Person")
        }
    }

    @Test("what a block throws is thrown by the opening, and the old version is as it was")
    func thrown() throws {
        struct Stop: Error {}
        try fill()
        for _ in 0..<2 {
            #expect(throws: Stop.self) {
                try Realm(
                    configuration: realm.configuration(After.types, version: 1) {
                        migration, version in
                        try After.block(migration, version)
                        migration.enumerateObjects(ofType: "Dog") { _, new in
                            if let new { migration.delete(new) }
                        }
                        throw Stop()
                    })
            }
            #expect(try schemaVersionAtURL(realm.directory.url) == 0)
            try realm.open(Before.types, version: 0) { realm in
                let persons = realm.objects(Before.Person.self)
                #expect(persons.map(\.age) == [0, 10, 20, 30, 40])
                #expect(persons.map { $0.dogs.count } == [1, 1, 1, 1, 1])
                #expect(realm.objects(Before.Draft.self).count == 1)
            }
        }
        try realm.open(After.types, version: 1, After.block) { realm in
            #expect(realm.objects(After.Person.self).count == 5)
        }
    }

    @Test("renaming keeps the values of rows that the block has rewritten before")
    func renamedLater() throws {
        try fill()
        try realm.open(After.types, version: 1) { migration, version in
            migration.enumerateObjects(ofType: "Person") { _, new in
                new?["name"] = "set"
                new?["labels"] = ["lost"]
            }
            try After.block(migration, version)
            migration.enumerateObjects(ofType: "Person") { _, new in
                (new?["labels"] as? List<String>)?.append("later")
            }
        } _: { realm in
            #expect(Array(realm.objects(After.Person.self)[1].labels) == ["t1", "all", "later"])
        }
    }

    @Test("the old side has the commit before, also one that still waits for its sync")
    func commitBefore() throws {
        var configuration = realm.configuration([Before.Dog.self], version: 0)
        configuration.durability = .commit
        _ = try Realm(configuration: configuration)
        let stop = Atomic(false)
        let (opened, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writing = configuration
        Thread.detachNewThread {
            defer { done.signal() }
            do {
                let realm = try Realm(configuration: writing)
                opened.signal()
                while !stop.load(ordering: .relaxed) {
                    try realm.write { _ = realm.create(Before.Dog.self, value: ["name": "D"]) }
                }
            } catch {
                Issue.record(error)
                opened.signal()
            }
        }
        opened.wait()
        for version in 1...20 {
            configuration.schemaVersion = UInt64(version)
            configuration.migrationBlock = { migration, _ in
                let tables = (migration.old.table(named: "Dog"), migration.new.table(named: "Dog"))
                guard let old = tables.0, let new = tables.1 else { return }
                #expect(migration.old.count(of: old) == migration.new.count(of: new))
            }
            _ = try Realm(configuration: configuration)
        }
        stop.store(true, ordering: .relaxed)
        done.wait()
    }
}

class KeptModel: MigratedModel {
    override class func objectTypeName() -> String { "Kept" }
}

class KeptV0: KeptModel {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var note: String?
}

class KeptAdded: KeptModel {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var note: String?
    @Persisted var more = 7
}

class KeptRequired: KeptModel {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var note: String
}

class KeptOptional: KeptModel {
    @Persisted var number: Int
    @Persisted var text: String?
    @Persisted var note: String?
}
