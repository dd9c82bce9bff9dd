import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import StoreMaintenance
@testable import Travertine
@testable import TravertineStore

/// What `fsck --deep` says of objects, and how derived keyspaces are repaired.
@Suite("Verification of objects")
struct ObjectVerifierTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.url.path }
    private static let types: [ObjectBase.Type] = [
        Node.self, Tag.self, Nation.self, Town.self, Household.self, Chimney.self,
    ]

    /// A store with links, large lists, sets, maps, nested values and embedded objects, closed.
    private func fill(seed: UInt64 = 5) throws {
        var random = SeededRandom(seed: seed)
        let realm = try directory.open(Self.types)
        try realm.write {
            for id in 0..<80 {
                let node = Node(value: ["id": id, "name": random.text()])
                realm.add(node, update: .all)
            }
            let nodes = realm.objects(Node.self)
            for node in nodes {
                node.next = nodes[random.below(nodes.count)]
                node.tag = Tag(value: [random.text()])
            }
            nodes[3].children.append(objectsIn: (0..<900).map { nodes[$0 % 80] })
            nodes[4].children.append(objectsIn: [nodes[1], nodes[1], nodes[2]])
            realm.add(Nation(value: ["code": "DE", "name": "Germany"]))
            let household = Household()
            household.names.insert(objectsIn: (0..<300).map { "name \($0)" })
            household.rooms["kitchen"] = 1
            household.rooms["cellar"] = nil
            household.anything = .list([.int(1), .string("two"), .object(nodes[7])])
            household.chimney = Chimney(value: ["height": 3])
            household.chimneys.append(objectsIn: [Chimney(), Chimney()])
            realm.add(household)
        }
        try realm.write { realm.delete(realm.objects(Node.self)[10]) }
    }

    private func verified() throws -> ObjectReport { try ObjectVerifier.verify(path: path) }

    /// Changes what is stored of a type without the object layer.
    private func damage(
        _ name: String, _ body: (WriteTransaction, StoredObjectType) throws -> Void
    ) throws {
        let store = try Store.open(at: path)
        let records = try #require(try store.keyspace(named: StoredSchema.keyspaceName))
        try store.write { transaction in
            let schema = try #require(
                try StoredSchema.load(transaction.access, keyspace: records.identifier))
            try body(transaction, try #require(schema.type(named: name)))
        }
        try store.close()
    }

    private func firstKey(_ keyspace: KeyspaceID, _ transaction: WriteTransaction) throws -> [UInt8]
    {
        var cursor = transaction.access.cursor(in: keyspace)
        #expect(try cursor.seekToFirst())
        return cursor.withKey { Array($0) }
    }

    /// Replaces the first row of a type.
    private func damageRow(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
        try damage(name) { transaction, type in
            let key = try firstKey(type.rows, transaction)
            let value = try key.withBytes { (key) throws(StoreError) in
                try transaction.access.value(forKey: key, in: type.rows).map(Array.init)
            }
            var row = try #require(value)
            change(&row)
            try key.withBytes { (key) throws(StoreError) in
                try row.withBytes { (row) throws(StoreError) in
                    try transaction.put(rawKey: key, rawValue: row, in: type.rows)
                }
            }
        }
    }

    @Test("after random histories nothing is found", arguments: [1, 2] as [UInt64])
    func soundAfterHistory(seed: UInt64) throws {
        try fill(seed: seed)
        let report = try verified()
        #expect(report.findings.isEmpty, "seed \(seed): \(report.findings)")
        #expect(report.typeCount == Self.types.count)
        #expect(report.objectCount > 160)
    }

    @Test("a store without objects has nothing to verify")
    func withoutObjects() throws {
        let store = try Store.open(at: path)
        try store.write { try $0.put("value", forKey: "key") }
        try store.close()
        #expect(try verified() == ObjectReport())
    }

    @Test("entries that are missing, superfluous or other are found, and built anew after a backup")
    func derivedKeyspaces() throws {
        try fill()
        try damage("Node") { transaction, type in
            let index = try #require(type.properties.first { $0.name == "name" }).index
            let links = try #require(type.properties.first { $0.name == "children" }).backlinks
            let next = try #require(type.properties.first { $0.name == "next" }).backlinks
            _ = try firstKey(index, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexDelete(key, in: index)
            }
            _ = try firstKey(links, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: 77, in: links)
            }
            _ = try [UInt8](repeating: 9, count: 16).withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: 1, in: next)
            }
        }
        let report = try verified()
        #expect(!report.isSound)
        #expect(report.differingKeyspaces.count == 3)
        let text = report.findings.map(\.message).joined(separator: "\n")
        for part in [
            "the index of 'name'", "1 entries missing", "the backlinks of 'children'",
            "1 entries with another value", "the backlinks of 'next'", "1 entries superfluous",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        let backup = try #require(try ObjectRepair.rebuild(report, in: path))
        defer { _ = try? FileManager.default.removeItem(atPath: backup) }
        #expect(try verified().findings.isEmpty)
        #expect(try StoreVerifier.verify(path: path, level: .deep).findings.isEmpty)
        #expect(try StoreBackup.verify(path: backup).isSound)
        let realm = try directory.open(Self.types)
        #expect(try realm.brokenInvariants() == [])
        #expect(try ObjectRepair.rebuild(ObjectReport(), in: path) == nil)
    }

    @Test("rows that do not decode are found, with the object", arguments: 0..<5)
    func damagedRows(number: Int) throws {
        let changes: [(String, String, (inout [UInt8]) -> Void)] = [
            ("Tag", "has a row of 1 bytes", { $0 = [1] }),
            ("Tag", "layout 99, which is missing", { $0[0] = 99 }),
            ("Tag", "too short for layout", { $0 = Array($0.prefix(4)) }),
            ("Nation", "pieces contradict its length", { $0.removeLast() }),
            ("Nation", "'name' of object with the key 1 is no UTF-8", { $0[$0.count - 1] = 0xFF }),
        ]
        let (name, expected, change) = changes[number]
        try fill()
        try damageRow(name, change)
        let report = try verified()
        #expect(!report.isSound)
        let text = report.findings.map(\.message).joined(separator: "\n")
        #expect(text.contains(name) && text.contains(expected), "\(expected): \(text)")
    }

    @Test("links to objects that are gone are found")
    func danglingLinks() throws {
        try fill()
        try damage("Node") { transaction, type in
            let key = try firstKey(type.rows, transaction)
            try key.withBytes { (key) throws(StoreError) in
                _ = try transaction.delete(rawKey: key, in: type.rows)
            }
        }
        let report = try verified()
        #expect(report.findings.contains { $0.message.contains("links to an object that is not") })
        #expect(report.findings.contains { $0.message.contains("'children' of object 3") })
    }

    @Test("nodes of collections that are missing or left over are found")
    func nodes() throws {
        try fill()
        try damage("Node") { transaction, type in
            let key = [UInt8](repeating: 0xFF, count: 16)
            try key.withBytes { (key) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: key, in: type.pieces)
            }
        }
        var report = try verified()
        #expect(report.findings.map(\.message) == ["Node: 1 nodes belong to no collection."])
        try damage("Node") { transaction, type in
            let key = try firstKey(type.pieces, transaction)
            try key.withBytes { (key) throws(StoreError) in
                _ = try transaction.delete(rawKey: key, in: type.pieces)
            }
        }
        report = try verified()
        #expect(report.findings.contains { $0.message.contains("lacks node") }, "\(report)")
    }

    @Test(
        "collections that hold themselves, so that going through them never ended, are found",
        arguments: [
            ("names a nested collection twice", 0), ("has node 1 twice", 16),
            ("has a tree of 200 levels", 200),
        ])
    func endless(expected: String, height: Int) throws {
        try fill()
        try damage("Household") { transaction, type in
            let property = try #require(type.properties.first { $0.name == "anything" })
            let nested = CollectionOwner(
                keyspace: type.pieces, object: 1, property: property.number, nested: 1)
            var elements: [UInt8] = []
            let run = ElementRun(_StoredType(.any, collection: .list))
            MixedCode.encode(.list, number: 1).withUnsafeBytes {
                for _ in 0..<2 { run.append(.bytes($0), to: &elements) }
            }
            let piece =
                height == 0
                ? CollectionPiece.inline(count: 2)
                : .tree(height: height, root: 1, next: 5, count: 2 << (height - 1))
            var entries = ByteWriter()
            for _ in 0..<2 {
                entries.append(UInt32(1))
                entries.append(UInt64(clamping: 1 << (height - 1)))
            }
            for (node, bytes) in [(0, piece.encoded(elements: elements)), (1, entries.bytes)] {
                try nested.key(UInt32(node)).withBytes { (key) throws(StoreError) in
                    try bytes.withBytes { (bytes) throws(StoreError) in
                        try transaction.put(rawKey: key, rawValue: bytes, in: type.pieces)
                    }
                }
            }
        }
        let report = try verified()
        #expect(report.findings.contains { $0.message.contains(expected) }, "\(report)")
        let realm = try directory.open(Self.types)
        #expect(throws: Realm.Error.self) { try DerivedTests.rebuiltDump(realm) }
    }

    @Test("raw values that no case of an enum has any more are named, and are no damage")
    func unknownCases() throws {
        do {
            let realm = try directory.open([SignalV1.self])
            try realm.write {
                realm.add(SignalV1(value: ["id": 1, "color": SignalV1.Color.green]))
                realm.add(SignalV1(value: ["id": 2, "color": SignalV1.Color.amber]))
                realm.add(SignalV1(value: ["id": 3, "level": SignalV1.Level.high]))
            }
        }
        #expect(try verified().findings.isEmpty)
        do {
            let realm = try directory.open([SignalV2.self])
            #expect(realm.objects(SignalV2.self).map(\.color) == [.green, .red, .red])
        }
        let report = try verified()
        #expect(report.isSound)
        let texts = report.findings.map(\.message)
        #expect(texts.count == 2)
        #expect(texts.contains { $0.contains("'color' of object 2 is \"amber\", which no case") })
        #expect(texts.contains { $0.contains("'level' of object 3 is 9, which no case") })
        // A property that is no enum any more may hold anything; an opening without class knows
        // nothing of enums.
        do { _ = try directory.open([]) }
        #expect(try verified() == report)
        do { _ = try directory.open([SignalV3.self]) }
        #expect(try verified().findings.isEmpty)
        do { _ = try directory.open([SignalV1.self]) }
        #expect(try verified().findings.isEmpty)
    }

    @Test("embedded objects without an owner, or with several, are found")
    func owners() throws {
        try fill()
        try damage("Household") { transaction, type in
            let one = try #require(type.properties.first { $0.name == "chimney" }).backlinks
            let many = try #require(type.properties.first { $0.name == "chimneys" }).backlinks
            _ = try firstKey(one, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexDelete(key, in: one)
            }
            _ = try firstKey(many, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: 2, in: many)
            }
        }
        let report = try verified()
        let text = report.findings.map(\.message).joined(separator: "\n")
        #expect(text.contains("has no owner"), "\(text)")
        #expect(text.contains("has 2 owners"), "\(text)")
        #expect(report.differingKeyspaces.count == 2)
    }

    @Test("embedded objects of derived classes have owners by varying links", arguments: [3, 900])
    func ownersByVaryingLinks(count: Int) throws {
        do {
            let realm = try directory.open([
                Creature.self, Zoo.self, Limb.self, Bird.self, Parrot.self, Wing.self,
            ])
            try realm.write {
                let zoo = realm.create(Zoo.self, value: ["name": "old"])
                zoo.gate = Wing(value: ["feathers": 2])
                for number in 0..<count {
                    zoo.limbs.append(number % 2 == 0 ? Limb() : Wing(value: ["feathers": number]))
                    zoo.animals.append(number % 2 == 0 ? Creature() : Bird())
                }
            }
        }
        #expect(try verified().findings.isEmpty)
        try damage("Zoo") { transaction, type in
            let gate = try #require(type.properties.first { $0.name == "gate" }).backlinks
            let limbs = try #require(type.properties.first { $0.name == "limbs" }).backlinks
            _ = try firstKey(gate, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexDelete(key, in: gate)
            }
            _ = try firstKey(limbs, transaction).withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: 2, in: limbs)
            }
        }
        let report = try verified()
        let messages = report.findings.map(\.message)
        #expect(messages.contains { $0.hasPrefix("Wing: ") && $0.contains("has no owner") })
        #expect(messages.contains { $0.hasPrefix("Limb: ") && $0.contains("has 2 owners") })
        #expect(report.findings.count == 4, "two owners and two backlinks: \(messages)")
        _ = try removingBackup(ObjectRepair.rebuild(report, in: path))
        #expect(try verified().findings.isEmpty)
    }

    private func removingBackup(_ path: String?) throws -> String {
        let backup = try #require(path)
        try FileManager.default.removeItem(atPath: backup)
        return backup
    }

    @Test("entries of indexes over several properties, unique ones and words are compared")
    func laterIndexes() throws {
        do {
            let realm = try directory.open([Member.self])
            try realm.write {
                for id in 0..<40 {
                    let email = id == 7 ? String(repeating: "long", count: 100) : "\(id)@x"
                    realm.add(
                        Member(
                            value: [
                                "id": id, "last": "n\(id % 3)", "age": id, "email": email,
                                "notes": "word and word and \(id)",
                            ]))
                }
            }
        }
        #expect(try verified().findings.isEmpty)
        let roles = [
            "the index of 'last', 'age'", "the unique index of 'email'",
            "the index of 'anything', 'bytes', 'notes'", "the full-text index of 'notes'",
        ]
        for isRemoved in [true, false] {
            try damage("Member") { transaction, type in
                #expect(type.indexes.count == 4)
                for index in type.indexes {
                    var key = try firstKey(index.keyspace, transaction)
                    if !isRemoved { key[key.count - 1] ^= 0x55 }
                    _ = try key.withBytes { (key) throws(StoreError) in
                        isRemoved
                            ? try transaction.indexDelete(key, in: index.keyspace) != nil
                            : try transaction.indexPut(key, value: 3, in: index.keyspace) == nil
                    }
                }
            }
            let report = try verified()
            let text = report.findings.map(\.message).joined(separator: "\n")
            #expect(report.differingKeyspaces.count == 4 && report.findings.count == 4, "\(text)")
            for role in roles { #expect(text.contains(role), "\(role): \(text)") }
            let change = isRemoved ? "1 entries missing" : "1 entries superfluous"
            #expect(text.components(separatedBy: change).count == 5, "\(text)")
            _ = try removingBackup(ObjectRepair.rebuild(report, in: path))
            #expect(try verified().findings.isEmpty)
        }
        let realm = try directory.open([Member.self])
        #expect(try realm.brokenInvariants() == [])
    }

    /// Two rows that a unique index refuses: it can't be built, but what else differs is repaired.
    @Test("objects with the same unique values are found", arguments: [1, 100])
    func duplicates(length: Int) throws {
        let email = String(repeating: "mail", count: length)
        do {
            let realm = try directory.open([Member.self])
            try realm.write {
                realm.add(Member(value: ["id": 1, "email": email]))
                realm.add(Member(value: ["id": 2, "email": "other"]))
            }
        }
        try damage("Member") { transaction, type in
            let key = try firstKey(type.rows, transaction)
            let value = try key.withBytes { (key) throws(StoreError) in
                try transaction.access.value(forKey: key, in: type.rows).map(Array.init)
            }
            let row = try #require(value)
            try (Array(key.dropLast()) + [9]).withBytes { (key) throws(StoreError) in
                try row.withBytes { (row) throws(StoreError) in
                    try transaction.put(rawKey: key, rawValue: row, in: type.rows)
                }
            }
        }
        var report = try verified()
        let found = report.findings.filter { $0.message.contains("the same values of 'email'") }
        #expect(found.count == 1, "\(report.findings)")
        #expect(found.allSatisfy { $0.advice == ObjectAdvice.duplicate })
        #expect(!report.differingKeyspaces.isEmpty)
        _ = try removingBackup(ObjectRepair.rebuild(report, in: path))
        report = try verified()
        #expect(report.findings == found && report.differingKeyspaces.isEmpty)
    }
}

class SignalV1: Object {
    enum Color: String, PersistableEnum { case red, amber, green }
    enum Level: Int, PersistableEnum {
        case low = 1
        case high = 9
    }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var color: Color
    @Persisted var level: Level
    override class func objectTypeName() -> String { "Signal" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SignalV2: Object {
    enum Color: String, PersistableEnum { case red, green }
    enum Level: Int, PersistableEnum { case low = 1 }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var color: Color
    @Persisted var level: Level
    override class func objectTypeName() -> String { "Signal" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SignalV3: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var color: String
    @Persisted var level: Int
    override class func objectTypeName() -> String { "Signal" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Household: Object {
    @Persisted var names: MutableSet<String>
    @Persisted var rooms: Map<String, Int?>
    @Persisted var anything: AnyRealmValue
    @Persisted var chimney: Chimney?
    @Persisted var chimneys: List<Chimney>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Chimney: EmbeddedObject {
    @Persisted var height: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
