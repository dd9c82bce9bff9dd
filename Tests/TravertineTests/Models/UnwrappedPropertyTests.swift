import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Properties without @Persisted")
struct UnwrappedPropertyTests {
    private let types: [ObjectBase.Type] = [
        OldPerson.self, OldDog.self, MixedLevels.self, OldBase.self,
    ]

    @Test("collections, linking objects and single values of a class without wrapper are stored")
    func stored() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            let person = OldPerson()
            person.id.value = "ada"
            person.age.value = 36
            person.names.append(objectsIn: ["Ada", "Augusta"])
            person.marks.insert(5)
            person.scores["chess"] = 1.5
            person.anything.value = .string("x")
            let dog = OldDog(value: ["name": "Rex", "weight": 12.5])
            person.dogs.append(dog)
            try realm.write { realm.add(person) }
            // The instances that were there before are the stored ones now.
            #expect(person.names.realm != nil && dog.owners.first?.isSameObject(as: person) == true)
            try realm.write {
                person.names.append("Byron")
                person.age.value = nil
                dog.weight.value = 13
            }
            #expect(person.age.value == nil && person.scores["chess"] == 1.5)
        }
        do {
            let realm = try directory.open(types)
            let person = try #require(realm.object(ofType: OldPerson.self, forPrimaryKey: "ada"))
            #expect(Array(person.names) == ["Ada", "Augusta", "Byron"])
            #expect(person.marks.contains(5) && person.scores["chess"] == 1.5)
            #expect(person.age.value == nil && person.anything.value == .string("x"))
            #expect(person.dogs[0].weight.value == 13)
            #expect(person.dogs[0].owners.map(\.id.value) == ["ada"])
            #expect(person.ignored.isEmpty && person["age"] == nil)
            #expect(person.objectSchema["ignored"] == nil)
            #expect(person.objectSchema["age"]?.isIndexed == true)
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.objectCount == 2 && report.findings.isEmpty)
    }

    @Test("a class level with @Persisted and without is refused, by the names of what has none")
    func halfConverted() throws {
        let error = #expect(throws: Realm.Error.self) {
            try TemporaryDirectory().open([HalfConverted.self] + types)
        }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        let names = ["numbers", "texts", "named", "owners", "size", "age", "later", "maybe"]
        for name in names {
            #expect(
                message.contains("'HalfConverted.\(name)' is declared without @Persisted beside"))
        }
        #expect(!message.contains("HalfConverted.left") && !message.contains("HalfConverted.base"))
        #expect(!message.contains("HalfConverted.passing"))
    }

    @Test("in a class level with @Persisted what is named as ignored is, in another one it is not")
    func levels() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let schema = try #require(realm.schema["MixedLevels"])
        #expect(schema.properties.map(\.name) == ["base", "name"])
        let object = MixedLevels()
        object.base.append(1)
        object.passing.append(2)
        try realm.write { realm.add(object) }
        let found = try #require(realm.objects(MixedLevels.self).first)
        #expect(Array(found.base) == [1] && found.passing.isEmpty)
        #expect(object.passing.realm == nil && Array(object.passing) == [2])
    }

    @Test("queries, sorting and key paths name them")
    func named() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            for age in [7, 3, 9] {
                let person = OldPerson()
                person.id.value = "p\(age)"
                person.age.value = age
                person.names.append("n\(age)")
                person.dogs.append(OldDog(value: ["name": "d\(age)"]))
                realm.add(person)
            }
        }
        let people = realm.objects(OldPerson.self)
        #expect(people.where { $0.age.value > 5 }.count == 2)
        #expect(people.where { $0.dogs.name.value == "d3" }.first?.age.value == 3)
        #expect(people.where { $0.names.contains("n9") }.first?.age.value == 9)
        #expect(people.sorted(by: \.age.value, ascending: true).map(\.age.value) == [3, 7, 9])
        #expect(people.sorted(byKeyPath: "age", ascending: false).first?.age.value == 9)
        let dogs = realm.objects(OldDog.self)
        #expect(dogs.where { $0.owners.age.value == 7 }.map(\.name.value) == ["d7"])
        var ages: [Int?] = []
        try people.forEachLending { ages.append($0.age.value) }
        #expect(ages == people.map(\.age.value))
    }

    @Test("they outlive their object, take values by name and are copied")
    func instances() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            realm.create(OldPerson.self, value: ["id": "a", "age": 4, "names": ["x"]])
        }
        let (age, names) = try {
            let person = try #require(realm.objects(OldPerson.self).first)
            return (person.age, person.names)
        }()
        try realm.write { age.value = 5 }
        #expect(age.value == 5 && Array(names) == ["x"])
        let person = try #require(realm.objects(OldPerson.self).first)
        try realm.write { person["age"] = 6 }
        #expect(age.value == 6 && person.value(forKey: "age") as? Int == 6)
        #expect(person.description.contains("age = 6"))
        let copy = person.detached()
        #expect(copy.age.value == 6 && copy.age.value != nil && Array(copy.names) == ["x"])
        copy["age"] = 8
        #expect(copy.age.value == 8 && copy["age"] as? Int == 8 && age.value == 6)
        let optional = RealmOptional<Int>(3)
        #expect(optional == RealmProperty<Int?>(3))
        realm.beginWrite()
        age.value = 60
        names.append("y")
        realm.cancelWrite()
        #expect(age.value == 6 && names.count == 1)
    }

    @Test("a duplicate key leaves the instance unmanaged, with its values")
    func duplicates() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write { realm.create(OldPerson.self, value: ["id": "a"]) }
        let second = OldPerson()
        second.id.value = "a"
        second.age.value = 2
        second.names.append("second")
        #expect(throws: Realm.Error.self) { try realm.write { realm.add(second) } }
        #expect(second.age.value == 2 && Array(second.names) == ["second"])
        try realm.write { realm.add(second, update: .modified) }
        #expect(realm.objects(OldPerson.self).map(\.age.value) == [2])
    }

    @Test("dynamic objects of such a class, and links to them, show what is stored")
    func dynamicObjects() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            for id in 0..<200 {
                let person = OldPerson(value: ["id": "p\(id)", "age": id, "names": ["n\(id)"]])
                person.dogs.append(OldDog(value: ["name": "d\(id)", "weight": Double(id)]))
                person.scores["x"] = Double(id)
                realm.add(person)
            }
        }
        var kept: [DynamicObject] = []
        for person in realm.dynamicObjects("OldPerson") { kept.append(person) }
        kept += Array(realm.dynamicObjects("OldPerson"))
        for (place, person) in kept.enumerated() {
            let id = place % 200
            #expect(person["id"] as? String == "p\(id)" && person["age"] as? Int == id)
            #expect(person.dynamicList("dogs").first?["name"] as? String == "d\(id)")
            #expect((person["names"] as? List<String>).map { Array($0) } == ["n\(id)"])
        }
        let person = try #require(realm.dynamicObject(ofType: "OldPerson", forPrimaryKey: "p7"))
        try realm.write { person["age"] = 70 }
        #expect(person["age"] as? Int == 70)
        var ages: [Int?] = []
        try realm.dynamicObjects("OldPerson").forEachLending { ages.append($0["age"] as? Int) }
        #expect(ages == (0..<200).map { $0 == 7 ? 70 : $0 })
        let typed = realm.objects(OldPerson.self)
        #expect(typed.map(\.dogs.first?.weight.value) == (0..<200).map { Double($0) })
    }

    @Test("a property declared with var is refused: another instance could take its place")
    func variables() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) { try directory.open([OldVariable.self]) }
        #expect(error?.message.contains("'OldVariable.names' is declared 'var'") == true)
        #expect(error?.message.contains("ignoredProperties") == true)
        #expect(error?.message.contains("OldVariable.count") == false)
    }

    @Test("what is stored is what @Persisted stores")
    func sameLayout() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([OldThing.self])
            try realm.write { realm.create(OldThing.self, value: ["number": 3, "list": [1, 2]]) }
        }
        let realm = try directory.open([NewThing.self])
        let thing = try #require(realm.objects(NewThing.self).first)
        #expect(thing.number == 3 && Array(thing.list) == [1, 2])
    }
}

class OldPerson: Object {
    let id = RealmProperty<String?>()
    let age = RealmOptional<Int>()
    let anything = RealmProperty<AnyRealmValue>()
    let names = List<String>()
    let marks = MutableSet<Int>()
    let scores = Map<String, Double>()
    let dogs = List<OldDog>()
    let ignored = List<Int>()
    override class func primaryKey() -> String? { "id" }
    override class func indexedProperties() -> [String] { ["age"] }
    override class func ignoredProperties() -> [String] { ["ignored"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldDog: Object {
    let name = RealmProperty<String?>()
    let weight = RealmProperty<Double?>()
    let owners = LinkingObjects(fromType: OldPerson.self, property: "dogs")
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldBase: Object {
    let base = List<Int>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MixedLevels: OldBase {
    @Persisted var name: String
    let passing = List<Int>()
    override class func ignoredProperties() -> [String] { ["passing"] }
}

class HalfConverted: OldBase {
    @Persisted var name: String
    let numbers = List<Int>()
    var texts = MutableSet<String>()
    let named = Map<String, Int>()
    let owners = LinkingObjects(fromType: OldPerson.self, property: "dogs")
    let size = RealmProperty<Int?>()
    let age = RealmOptional<Int>()
    lazy var later = List<Int>()
    var maybe: List<Int>?
    let left = List<Int>()
    lazy var passing = List<Int>()
    override class func ignoredProperties() -> [String] { ["left", "passing"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldVariable: Object {
    let count = RealmProperty<Int?>()
    var names = List<String>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldThing: Object {
    let number = RealmProperty<Int?>()
    let list = List<Int>()
    override class func objectTypeName() -> String { "Thing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NewThing: Object {
    @Persisted var number: Int?
    @Persisted var list: List<Int>
    override class func objectTypeName() -> String { "Thing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
