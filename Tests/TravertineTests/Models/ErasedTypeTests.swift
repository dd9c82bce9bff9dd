import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Classes that are known at run time only")
struct ErasedTypeTests {
    private let directory = TemporaryDirectory()
    private let types: [Object.Type] = [Kettle.self, Teapot.self]

    @Test("objects are made, found and gone over as what they are, and deleted")
    func wholeLife() throws {
        let realm = try directory.open(types)
        try realm.write {
            for type in types {
                let made = realm.create(type, value: ["id": 7, "name": type.className()])
                #expect(Swift.type(of: made) == type)
                realm.create(type, value: ["id": 7, "litres": 2], update: .modified)
            }
        }
        for type in types {
            let found = try #require(realm.object(ofType: type, forPrimaryKey: 7))
            #expect(Swift.type(of: found) == type)
            let all = realm.objects(type)
            #expect(all.count == 1 && all.first.map { Swift.type(of: $0) == type } == true)
            #expect(Swift.type(of: all[0]) == type && Array(all).first == found)
            for object in all {
                #expect(Swift.type(of: object) == type)
                #expect(object["name"] as? String == type.className())
                #expect(object["litres"] as? Double == 2)
                #expect((object["parts"] as? List<String>)?.isEmpty == true)
            }
            try all.forEachLending { #expect(Swift.type(of: $0) == type) }
            let sorted = realm.objects(type, includingSubclasses: true).sorted(byKeyPath: "name")
            #expect(sorted.map { Swift.type(of: $0) == type } == [true])
            #expect(realm.objects(type).max(ofProperty: "litres") as Double? == 2)
        }
        #expect((realm.objects(types[0]).first as? Kettle)?.litres == 2)
        try realm.write { for type in types { realm.delete(realm.objects(type)) } }
        #expect(realm.isEmpty)
    }
}

class Kettle: Object, Codable {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var litres: Double
    @Persisted var parts: List<String>
}

class Teapot: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var litres: Double
    @Persisted var parts: List<String>
}
