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

    @Test("results and managed collections encode copies of their objects, whole graphs")
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
        let error = try #require(throws: EncodingError.self) { try json(root) }
        #expect("\(error)".contains("detached()"))
        let decoded = try JSONDecoder().decode(Branch.self, from: Data(whole.utf8))
        #expect(decoded.realm == nil && decoded.parts.map(\.name) == ["a", "b"])
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
