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
}

class Branch: Object, Codable {
    @Persisted var name: String
    @Persisted var parts: List<Branch>
    @Persisted var named: Map<String, Branch?>
}
