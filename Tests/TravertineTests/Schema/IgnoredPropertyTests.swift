import RealmSwift
import TestSupport
import Testing

@Suite("Ignored properties that are declared with @Persisted")
struct IgnoredPropertyTests {
    @Test("stay in the object's own memory, before and after it is in a realm")
    func ownMemory() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([WithIgnored.self])
        let object = WithIgnored()
        object.kept = 1
        object.first = "one"
        object.last = 2
        object.list.append(3)
        try realm.write { realm.add(object) }
        #expect(object.kept == 1 && object.first == "one" && object.last == 2)
        #expect(Array(object.list) == [3])
        object.list.append(4)
        #expect(Array(object.list) == [3, 4] && object.text == "stored")
        let other = try #require(realm.objects(WithIgnored.self).first)
        #expect(other.kept == 1 && other.text == "stored")
        #expect(other.first == "" && other.last == nil && other.list.isEmpty)
        #expect(realm.schema["WithIgnored"]?.properties.map(\.name) == ["kept", "text"])
    }
}

class WithIgnored: Object {
    @Persisted var first: String
    @Persisted var kept: Int
    @Persisted var text = "stored"
    @Persisted var list: List<Int>
    @Persisted var last: Int?

    override class func ignoredProperties() -> [String] { ["first", "list", "last"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
