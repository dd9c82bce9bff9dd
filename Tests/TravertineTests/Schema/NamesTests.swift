import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Names")
struct NamesTests {
    @Test("a policy makes snake case of camel case, and back")
    func policies() {
        let names = [
            "name": "name", "firstName": "first_name", "homeURL": "home_url", "URLText": "url_text",
            "line2Text": "line2_text",
        ]
        for (name, stored) in names {
            #expect(NamingPolicy.snakeCase.storedName(name) == stored)
            #expect(NamingPolicy.asDeclared.storedName(name) == name)
        }
        #expect(NamingPolicy.camelCase.storedName("first_name") == "firstName")
        #expect(NamingPolicy.camelCase.storedName("_home_url_text") == "_homeUrlText")
        #expect(NamingPolicy.camelCase.storedName("firstName") == "firstName")
        #expect(NamingPolicy.camelCase.storedName("_") == "_")
    }

    @Test("a module's policy is for its classes, the one for all for the rest, a class's own wins")
    func modules() async {
        await #expect(processExitsWith: .success) {
            NamingPolicy.setForAllModules(.camelCase)
            NamingPolicy.setForModule("Foundation", .asDeclared)
            precondition(ClassInfo.of(Letterbox.self).properties[1].storedName == "zipCode")
            NamingPolicy.setForModule("TravertineTests", .snakeCase)
            precondition(
                ClassInfo.of(LetterboxNested.Letterbox.self).properties[0].storedName == "a_b")
            precondition(ClassInfo.of(OwnPolicy.self).properties[0].storedName == "aB")
        }
    }

    @Test("names that a policy or a mapping makes equal are an error with stored names")
    func collisions() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) { try directory.open([Colliding.self]) }
        #expect(
            error?.message.contains("'Colliding.first_name' is declared or mapped twice") == true)
        #expect(error?.message.contains("which is the stored name of another property") == true)
    }

    @Test("classes of one Swift name coexist when their stored names differ; else both are named")
    func sameSwiftName() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([Letterbox.self, LetterboxCopy.Letterbox.self])
        }
        let message = error?.message ?? ""
        #expect(message.contains("TravertineTests.Letterbox and TravertineTests.LetterboxCopy."))
        #expect(message.contains("objectTypeName()"))
        let realm = try directory.open([Letterbox.self, LetterboxNested.Letterbox.self])
        try realm.write {
            realm.create(Letterbox.self, value: ["street": "a"])
            realm.create(LetterboxNested.Letterbox.self, value: ["aB": 1])
        }
        #expect(realm.objects(Letterbox.self).count == 1)
        #expect(realm.objects(LetterboxNested.Letterbox.self).first?.aB == 1)
        #expect(realm.dynamicObjects("OtherLetterbox").count == 1)
    }

    @Test("text names a property by its public name first, then by its stored one, everywhere")
    func bothNames() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Mapped.self])
        try realm.write {
            let first = realm.create(Mapped.self, value: ["years": 5, "n": "five"])
            let second = realm.create(Mapped.self, value: ["age": 3, "title": "three"])
            first.next = second
            first["age"] = 6
            first.setValue("six", forKey: "n")
            realm.dynamicCreate("Mapped", value: ["age": 1, "title": "one"])
        }
        let all = realm.objects(Mapped.self)
        #expect(all.map(\.years) == [6, 3, 1] && all.map(\.title) == ["six", "three", "one"])
        #expect(all.sorted(byKeyPath: "years").map(\.years) == [1, 3, 6])
        #expect(all.sorted(byKeyPath: "age", ascending: false).map(\.years) == [6, 3, 1])
        #expect(all.sum(ofProperty: "age") == 10 && all.sum(ofProperty: "years") == 10)
        #expect(all[0].value(forKeyPath: "follower.age") as? Int == 3)
        #expect(all[0].value(forKeyPath: "next.years") as? Int == 3)
        #expect(all[1].before.map(\.years) == [6] && all[1].alsoBefore.map(\.years) == [6])
        #expect(realm.dynamicObjects("Mapped")[0]["age"] as? Int == 6)
        #expect(realm.dynamicObjects("Mapped")[0]["years"] as? Int == 6)
        #expect(realm.schema["Mapped"]?["age"] == realm.schema["Mapped"]?["years"])
    }

    @Test("both names are known where many values are asked for, and where objects are made")
    func bothNamesOfMany() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Mapped.self, MappedLine.self])
        try realm.write {
            for (years, title) in [(2, "b"), (1, "b"), (3, "a")] {
                realm.create(Mapped.self, value: ["age": years, "n": title])
            }
            try realm.dynamicInsert("Mapped", value: ["years": 4, "n": "c"])
            try realm.insert(asymmetric: "StoredLine", value: ["_text": "x", "id": 1])
            try realm.insert(asymmetric: "MappedLine", value: ["text": "y", "id": 2])
        }
        let all = realm.objects(Mapped.self)
        for (years, title) in [("years", "title"), ("age", "n"), ("years", "n")] {
            let sorted = all.sorted(by: [
                SortDescriptor(keyPath: title, ascending: false), SortDescriptor(keyPath: years),
            ])
            #expect(sorted.map(\.years) == [4, 1, 2, 3])
            #expect(all.distinct(by: [title]).count == 3)
            #expect(all.max(ofProperty: years) as Int? == 4)
            #expect(all.min(ofProperty: years) as Int? == 1)
            #expect((all.value(forKey: title) as? [String])?.sorted() == ["a", "b", "b", "c"])
            #expect(realm.dynamicObjects("Mapped").sorted(byKeyPath: years).count == 4)
            let before = all[0].value(forKeyPath: years) as? Int
            try realm.write { all.setValue("z\(years)", forKey: title) }
            #expect(all.map(\.title) == Array(repeating: "z\(years)", count: 4) && before == 2)
            try realm.write {
                for (object, title) in zip(all, ["b", "b", "a", "c"]) { object.title = title }
            }
        }
        let entries = try realm.outbox.read(after: 0, limit: 9)
        #expect(entries.map(\.type) == ["StoredLine", "StoredLine"])
    }

    @Test("a long Swift name is legal when it is mapped; the limits are those of stored names")
    func limits() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([LongName.self])
        #expect(realm.schema.objectSchema.first?.objectTypeName == "Short")
        let error = #expect(throws: Realm.Error.self) { try directory.open([LongStoredName.self]) }
        let message = error?.message ?? ""
        #expect(message.contains("has 58 bytes; 1 to 57 are allowed"))
        #expect(message.contains("63 are allowed"))
    }
}

class Letterbox: Object {
    @Persisted var street: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Persisted var zip_code: String
}

enum LetterboxCopy {
    class Letterbox: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        @Persisted var street: String
    }
}

enum LetterboxNested {
    class Letterbox: Object {
        override class func objectTypeName() -> String { "OtherLetterbox" }
        @Persisted var aB: Int
    }
}

class OwnPolicy: Object {
    override class func namingPolicy() -> NamingPolicy { .asDeclared }
    @Persisted var aB: Int
}

class Colliding: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func namingPolicy() -> NamingPolicy { .snakeCase }
    override class func propertiesMapping() -> [String: String] { ["b": "other", "other": "c"] }
    @Persisted var firstName: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Persisted var first_name: String
    @Persisted var b: Int
    @Persisted var other: Int
}

class Mapped: Object {
    override class func propertiesMapping() -> [String: String] {
        ["years": "age", "title": "n", "next": "follower"]
    }
    @Persisted var years: Int
    @Persisted var title: String
    @Persisted var next: Mapped?
    @Persisted(originProperty: "next") var before: LinkingObjects<Mapped>
    @Persisted(originProperty: "follower") var alsoBefore: LinkingObjects<Mapped>
}

class LongName: Object {
    override class func objectTypeName() -> String { "Short" }
    override class func propertiesMapping() -> [String: String] {
        ["aNameOfMoreThanSixtyThreeBytesThatIsLegalBecauseItsStoredNameIsShort": "a"]
    }
    @Persisted var aNameOfMoreThanSixtyThreeBytesThatIsLegalBecauseItsStoredNameIsShort: Int
}

class LongStoredName: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { String(repeating: "n", count: 58) }
    override class func propertiesMapping() -> [String: String] {
        ["short": String(repeating: "p", count: 64)]
    }
    @Persisted var short: Int
}

class MappedLine: AsymmetricObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "StoredLine" }
    override class func propertiesMapping() -> [String: String] { ["text": "_text"] }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}
