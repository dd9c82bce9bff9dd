import Foundation
import RealmSwift
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
        let before = try json(leaf)
        try? realm.write {
            realm.add(leaf)
            leaf.name = "ash"
            throw Stop()
        }
        #expect(throws: EncodingError.self) { try json(leaf) }
        let other = Leaf(value: ["name": "oak"])
        try realm.write { realm.add(other) }
        #expect(try json(other) == before)
        #expect(other.objectSchema.primaryKeyProperty == nil)
        #expect(realm.objects(Leaf.self).where { $0.name == "oak" }.count == 1)
    }
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
