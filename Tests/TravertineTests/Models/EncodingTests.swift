import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Encoding managed objects")
struct EncodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("managed objects, results and managed collections encode whole graphs")
    func graphs() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Branch.self])
        let root = Branch(value: ["name": "root"])
        root.parts.append(objectsIn: ["a", "b"].map { Branch(value: ["name": $0]) })
        root.named["x"] = root.parts[0]
        try realm.write { realm.add(root) }
        let leaf = { (name: String) in #"{"name":"\#(name)","named":{},"parts":[]}"# }
        let parts = "[\(leaf("a")),\(leaf("b"))]"
        let whole = #"{"name":"root","named":{"x":\#(leaf("a"))},"parts":\#(parts)}"#
        #expect(try json(root.parts) == parts)
        #expect(try json(root.named) == #"{"x":\#(leaf("a"))}"#)
        #expect(try json(realm.objects(Branch.self).where { $0.name == "root" }) == "[\(whole)]")
        #expect(try json(root.detached()) == whole)
        #expect(try json(root) == whole)
        let decoded = try JSONDecoder().decode(Branch.self, from: Data(whole.utf8))
        #expect(decoded.realm == nil && decoded.parts.map(\.name) == ["a", "b"])
    }

    @Test("objects in a cycle, or in a very long chain, are an error and no endless descent")
    func endless() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Branch.self])
        let root = Branch(value: ["name": "root"])
        root.parts.append(root)
        #expect(throws: EncodingError.self) { try json(root) }
        try realm.write { realm.add(root) }
        #expect(throws: EncodingError.self) { try json(root) }
        #expect(throws: EncodingError.self) { try json(root.detached()) }
        #expect(throws: EncodingError.self) { try json(realm.objects(Branch.self)) }
        #expect(throws: DecodingError.self) { try realm.values(BranchValue.self) }
        try realm.write {
            root.parts.removeAll()
            var last = root
            for number in 0..<100_000 {
                let next = realm.create(Branch.self, value: ["name": "\(number)"])
                last.parts.append(next)
                last = next
            }
        }
        #expect(throws: EncodingError.self) { try json(root) }
        #expect(try json(root.detached(depth: 2)).count < 200)
    }

    @Test("a managed object encodes what is stored now, of every type, as its copy does")
    func everyType() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Leaf.self])
        let leaf = Leaf()
        try realm.write {
            realm.add(leaf)
            leaf.count = 7
            leaf.isGreen = true
            leaf.length = 1.5
            leaf.name = "oak"
            leaf.at = Date(timeIntervalSinceReferenceDate: 3)
            leaf.id = UUID()
            leaf.tag = ObjectId.generate()
            leaf.price = Decimal128("1.50")
            leaf.size = .large
            leaf.data = Data([1, 2, 3])
            leaf.numbers.append(objectsIn: [1, 2])
            leaf.marks.insert("m")
            leaf.byName["k"] = 1
            leaf.next = Leaf(value: ["name": "elm"])
        }
        let found = try #require(realm.objects(Leaf.self).where { $0.name == "oak" }.first)
        for managed in [leaf, found] {
            let text = try json(managed)
            #expect(text == (try json(leaf.detached())))
            for part in [#""count":7"#, #""title":"oak""#, #""title":"elm""#, #""size":"large""#] {
                #expect(text.contains(part), "\(text)")
            }
            #expect(!text.contains("hidden"))
        }
        try realm.write { leaf.count = 8 }
        #expect(try json(found).contains(#""count":8"#))
        try realm.write { realm.delete(found) }
        #expect(throws: EncodingError.self) { try json(leaf) }
    }

    @Test("an object that could not be added, and one that is added again, encode as they are")
    func rolledBack() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Leaf.self])
        struct Stop: Error {}
        let leaf = Leaf(value: ["name": "oak", "hidden": "x"])
        let moment = Date(timeIntervalSince1970: 1_000)
        leaf.at = moment
        let before = try json(leaf)
        try? realm.write {
            realm.add(leaf)
            leaf.name = "ash"
            throw Stop()
        }
        #expect(throws: EncodingError.self) { try json(leaf) }
        let other = Leaf(value: ["name": "oak"])
        other.at = moment
        try realm.write { realm.add(other) }
        #expect(try json(other) == before)
        #expect(other.objectSchema.primaryKeyProperty == nil)
        #expect(realm.objects(Leaf.self).where { $0.name == "oak" }.count == 1)
    }

    @Test("what the input lacks is nil or an empty collection, where the property can be that")
    func decodingLess() throws {
        for text in [
            #"{"id": 1}"#,
            #"{"id": 1, "name": null, "count": null, "kind": null, "leaf": null, "tags": null, "#
                + #""numbers": null, "leaves": null, "byName": null}"#,
        ] {
            let record = try JSONDecoder().decode(Decodee.self, from: Data(text.utf8))
            #expect(record.id == 1 && record.name == nil && record.count == nil)
            #expect(record.kind == nil && record.leaf == nil && record.tags.isEmpty)
            #expect(record.numbers.isEmpty && record.leaves.isEmpty && record.byName.isEmpty)
            let directory = TemporaryDirectory()
            let realm = try directory.open([Decodee.self, Branch.self])
            try realm.write {
                realm.add(record)
                record.tags.append("a")
            }
            #expect(realm.objects(Decodee.self).first?.tags.first == "a")
        }
        let whole = #"""
            {"id": 2, "name": "n", "count": 3, "kind": "cross", "tags": ["t"], "numbers": [1],
             "leaf": {"name": "l"}, "leaves": [{"name": "m", "parts": []}], "byName": {"a": 1}}
            """#
        let record = try JSONDecoder().decode(Decodee.self, from: Data(whole.utf8))
        #expect(record.name == "n" && record.count == 3 && record.kind == .cross)
        #expect(record.leaf?.name == "l" && record.leaves.first?.name == "m")
        #expect(Array(record.tags) == ["t"] && record.numbers.contains(1))
        #expect(record.byName["a"] == 1)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Decodee.self, from: Data("{}".utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Decodee.self, from: Data(#"{"id": 1, "count": "x"}"#.utf8))
        }
    }

    @Test("keys that are equal as strings only can be filtered and encoded")
    func equivalentKeys() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Knot.self, Bead.self])
        let knot = Knot(value: ["id": 1])
        try realm.write {
            realm.add(knot)
            knot.texts["\u{E9}"] = "composed"
            knot.texts["e\u{301}"] = "decomposed"
        }
        #expect(knot.texts.count == 2)
        #expect(knot.texts.filter { _ in true }.count == 1)
        let data = try JSONEncoder().encode(knot.texts)
        #expect(try JSONDecoder().decode([String: String].self, from: data).count == 1)
    }

    @Test("a managed object encodes what its row has; so does one that could not be added")
    func sealedObject() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Sealed.self])
        let sealed = Sealed()
        sealed.note = "before"
        func encoded(_ object: Sealed) throws -> String {
            String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
        }
        #expect(try encoded(sealed).contains("before"))
        try realm.write {
            realm.add(sealed)
            sealed.note = "after"
        }
        for managed in [sealed, try #require(realm.objects(Sealed.self).first)] {
            #expect(try encoded(managed).contains("after"))
        }
        #expect(try encoded(sealed.detached()).contains("after"))
        let duplicate = Sealed()
        duplicate.note = "after"
        #expect(throws: Realm.Error.self) { try realm.write { realm.add(duplicate) } }
        #expect(try encoded(duplicate).contains("after"))
    }
}

enum Mood: String, PersistableEnum, Codable { case calm, cross }

class Decodee: Object, Codable {
    @Persisted var id: Int
    @Persisted var name: String?
    @Persisted var count: Int?
    @Persisted var kind: Mood?
    @Persisted var leaf: Branch?
    @Persisted var tags: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var leaves: List<Branch>
    @Persisted var byName: Map<String, Int>
}

class Branch: Object, Codable {
    @Persisted var name: String
    @Persisted var parts: List<Branch>
    @Persisted var named: Map<String, Branch?>
}

class Leaf: Object, Codable {
    enum Size: String, PersistableEnum, Codable { case small, large }

    enum CodingKeys: String, CodingKey {
        case count, isGreen, length
        case name = "title"
        case at, id, tag, price, size, data, numbers, marks, byName, next
    }

    @Persisted var count: Int?
    @Persisted var isGreen: Bool
    @Persisted var length: Float
    @Persisted(indexed: true) var name: String
    @Persisted var at: Date
    @Persisted var id: UUID?
    @Persisted var tag: ObjectId?
    @Persisted var price: Decimal128?
    @Persisted var size: Size?
    @Persisted var data: Data
    @Persisted var hidden: String
    @Persisted var numbers: List<Int>
    @Persisted var marks: MutableSet<String>
    @Persisted var byName: Map<String, Int>
    @Persisted var next: Leaf?
}

private struct BranchValue: PersistedStruct {
    static func objectTypeName() -> String { "Branch" }
    var name: String
    var parts: [BranchValue]
}

class Sealed: Object, Encodable {
    @Persisted(primaryKey: true) var name: String
    @Persisted var note = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
