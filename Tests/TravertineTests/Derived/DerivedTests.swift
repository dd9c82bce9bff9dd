import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Derived keyspaces")
struct DerivedTests {
    @Test(
        "after random histories they hold exactly what the rows say",
        arguments: [1, 2, 3] as [UInt64])
    func exactAfterHistory(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Node.self, Tag.self, Nation.self])
        var random = SeededRandom(seed: seed)
        for round in 0..<40 {
            do {
                try realm.write {
                    for _ in 0..<random.below(12) { Self.change(realm, &random) }
                    if random.chance(20) { throw Stop() }
                }
            } catch is Stop {}
            #expect(try realm.brokenInvariants() == [], "seed \(seed), round \(round)")
        }
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom) {
        let nodes = realm.objects(Node.self)
        switch random.below(8) {
        case 0 where !nodes.isEmpty: realm.delete(nodes[random.below(nodes.count)])
        case 1 where !nodes.isEmpty:
            let targets = (0..<random.below(300)).map { _ in nodes[random.below(nodes.count)] }
            nodes[random.below(nodes.count)].children.append(objectsIn: targets)
        case 2 where !nodes.isEmpty:
            let node = nodes[random.below(nodes.count)]
            node.children.removeSubrange(0..<random.below(node.children.count + 1))
        case 3 where !nodes.isEmpty: nodes[random.below(nodes.count)].name = random.text()
        case 4 where !nodes.isEmpty:
            nodes[random.below(nodes.count)].next = nodes[random.below(nodes.count)]
        case 5:
            realm.add(Nation(value: [random.text(), random.text()]), update: .modified)
        case 6 where !realm.objects(Nation.self).isEmpty:
            let nations = realm.objects(Nation.self)
            realm.delete(nations[random.below(nations.count)])
        default:
            realm.add(Node(value: ["id": random.below(60), "name": random.text()]), update: .all)
        }
    }

    /// Every entry of every derived keyspace of the realm's types.
    static func dump(_ realm: Realm) throws -> [String: UInt64] {
        try dump(realm, try realm.session.access)
    }

    private static func dump(_ realm: Realm, _ access: ReadAccess) throws -> [String: UInt64] {
        var entries: [String: UInt64] = [:]
        for type in realm.session.shared.schema.types {
            for keyspace in type.derivedKeyspaces {
                var cursor = access.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let key = cursor.withKey { $0.map { String($0) }.joined(separator: " ") }
                    entries["\(keyspace): \(key)"] = cursor.indexValue
                    isValid = try cursor.next()
                }
            }
        }
        return entries
    }

    /// The same after all of them were built again from the rows, in a transaction that is undone.
    static func rebuiltDump(_ realm: Realm) throws -> [String: UInt64] {
        let transaction = try realm.session.shared.store.beginWrite()
        defer { transaction.rollback() }
        for type in realm.session.shared.schema.types {
            var builder = DerivedBuilder(
                transaction: transaction, type: type,
                schemaKeyspace: realm.session.shared.schemaKeyspace)
            try builder.build(Set(type.derivedKeyspaces))
        }
        return try dump(realm, transaction.access)
    }

    @Test("when every checkpoint is damaged they are rebuilt from the rows (O8)")
    func rebuiltAfterDamage() throws {
        let directory = TemporaryDirectory()
        let types: [Object.Type] = [Town.self, Nation.self]
        for start in [0, 100, 200] {
            let realm = try directory.open(types)
            try realm.write {
                for id in start..<start + 100 {
                    let town = Town(value: ["id": id, "name": "n\(id % 7)"])
                    town.nation = Nation(value: ["code": "c\(id % 3)"])
                    realm.add(town, update: .modified)
                }
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        let pages = files.filter { $0.hasSuffix(".pages") }
        #expect(!pages.isEmpty)
        for name in pages {
            let url = directory.url.appendingPathComponent(name)
            var bytes = try Data(contentsOf: url)
            bytes[100] ^= 0xFF
            bytes[20] ^= 0xFF
            try bytes.write(to: url)
        }
        let error = try #require(throws: Realm.Error.self) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, readOnly: true, objectTypes: types))
        }
        #expect(error.message.contains("open it for writing once"))
        let realm = try directory.open(types)
        #expect(realm.store.openingSource == .fullReplay)
        #expect(realm.objects(Town.self).where { $0.name == "n3" }.count == 43)
        #expect(realm.object(ofType: Nation.self, forPrimaryKey: "c1")?.code == "c1")
        #expect(realm.objects(Nation.self).map(\.code).sorted() == ["c0", "c1", "c2"])
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(realm.objects(Nation.self)[0]) }
        #expect(realm.objects(Town.self).where { $0.nation == nil }.count == 100)
    }
}

extension Realm {
    /// The number of layouts that a type has had.
    func layoutCount(of type: Object.Type) -> Int {
        Int(session.table(of: type).stored.nextLayout) - 1
    }
}
