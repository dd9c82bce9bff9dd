import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

@Suite("Documents are checked without being imported")
struct CheckerTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm",
            [
                Member.self, Badge.self, Deputy.self, Den.self, Feral.self, Falcon.self,
                Shift.self, Handover.self,
            ])
    }

    /// Checks documents; those that are bad.
    private func bad(
        _ type: String, schema: DocumentSchema? = nil, _ documents: String...
    ) throws -> [String] {
        let checker = try DocumentChecker(realm, type: type, schema: schema)
        realm.beginWrite()
        defer { realm.cancelWrite() }
        var bad: [BadDocument] = []
        for text in documents {
            let problems = try checker.check(Document(extendedJSON: text))
            if !problems.isEmpty {
                bad.append(BadDocument(position: checker.documentCount, problems: problems))
            }
        }
        bad += try checker.finish()
        return bad.map(\.description)
    }

    @Test("everything that is wrong with a document is reported, and nothing is stored")
    func problems() throws {
        #expect(
            try bad(
                "Member", #"{"_id": 1, "name": "Ada", "badge": {"number": 3}}"#,
                #"{"_id": 2, "age": "x", "badge": {"number": 3000000000}, "colour": 1}"#,
                #"{"_id": "x", "name": null}"#, #"{"_id": 4, "name": "Bo", "tags": ["a", "a"]}"#,
                #"{"_id": 5, "name": "Cy", "badge": {"number": -3}}"#)
                == [
                    "document 2: name: required, and missing; age: long expected, string found; "
                        + "badge.number: int expected, long found",
                    "document 3: name: required, and null; _id: long expected, string found",
                    "document 4: tags.1: an element for the second time",
                ])
        #expect(realm.objects(Member.self).isEmpty && realm.objects(Badge.self).isEmpty)
    }

    @Test("constraints of a schema are reported beside what is missing")
    func constraints() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "Member", "bsonType": "object", "required": ["_id", "tags"],
                 "properties": {"_id": {"bsonType": "long", "minimum": 1},
                  "name": {"bsonType": "string", "pattern": "^[A-Z]", "maxLength": 3},
                  "tags": {"bsonType": "array", "uniqueItems": true, "minItems": 1,
                   "items": {"bsonType": "string"}}}}
                """)
        #expect(
            try bad(
                "Member", schema: schema, #"{"_id": 1, "name": "A", "tags": ["a"]}"#,
                #"{"_id": 0, "name": "anna", "tags": []}"#, #"{"_id": 2}"#)
                == [
                    "document 2: _id: 0 is below 1; name: does not match \"^[A-Z]\"; "
                        + "name: 4 characters, more than 3; tags: 0 elements, fewer than 1",
                    "document 3: tags: required, and missing",
                ])
    }

    @Test("a key that an earlier document has, and values of unique indexes, are reported")
    func duplicates() throws {
        try realm.write { realm.add(Member(value: ["_id": 9, "name": "I", "email": "i"])) }
        let found = try bad(
            "Member", #"{"_id": 1, "name": "A", "email": "a"}"#,
            #"{"_id": 2, "name": "B", "email": "b"}"#, #"{"_id": 1, "name": "C"}"#,
            #"{"_id": 9, "name": "D", "email": "d"}"#, #"{"_id": 3, "name": "E", "email": "b"}"#,
            #"{"_id": 2}"#)
        try #require(found.count == 3, "\(found)")
        #expect(
            found[0] == "document 3: _id: document 1 has this key; an import keeps the last one")
        #expect(found[1].hasPrefix("document 5: the document: Two objects of type 'Member'"))
        #expect(
            found[2] == "document 6: name: required, and missing; "
                + "_id: document 2 has this key; an import keeps the last one")
        #expect(realm.objects(Member.self).map(\.name) == ["I"])
    }

    @Test("a required link may lead to a later document, if that is good, or to the realm's")
    func requiredLinks() throws {
        try realm.write {
            let chief = Deputy(value: ["_id": 100])
            chief.chief = chief
            realm.add(chief)
        }
        #expect(
            try bad(
                "Deputy", #"{"_id": 1, "chief": 3}"#, #"{"_id": 2, "chief": 100}"#,
                #"{"_id": 3, "chief": 1}"#, #"{"_id": 4, "chief": 5}"#, #"{"_id": 5}"#,
                #"{"_id": 6, "chief": 4}"#, #"{"_id": 7, "chief": 77}"#)
                == [
                    "document 5: chief: required, and missing",
                    "document 4: chief: the required link leads to a Deputy that is not there: 5",
                    "document 6: chief: the required link leads to a Deputy that is not there: 4",
                    "document 7: chief: the required link leads to a Deputy that is not there: 77",
                ])
        #expect(realm.objects(Deputy.self).count == 1)
    }

    @Test("required links are looked at alike where nothing is stored")
    func requiredLinksWithoutIndex() throws {
        try realm.write { realm.add(Shift(value: ["_id": 100])) }
        #expect(
            try bad(
                "Shift", #"{"_id": 1, "next": {"shift": 2}}"#, #"{"_id": 2}"#,
                #"{"_id": 3, "next": {"shift": 9}}"#, #"{"_id": 4, "next": {"shift": 3}}"#,
                #"{"_id": 5, "next": {"shift": 100}}"#, #"{"_id": 6, "next": {"shift": 6}}"#)
                == [
                    "document 3: next.shift: the required link leads to a Shift that is not there: 9",
                    "document 4: next.shift: the required link leads to a Shift that is not there: 3",
                ])
        #expect(realm.objects(Shift.self).count == 1)
    }

    @Test("a link to a class with derived ones may be a key or a DBRef; waiting ones are counted")
    func links() throws {
        let schema = try #require(try ObjectMapping.documentSchema(of: "Den", in: realm.schema))
        let text =
            #"{"_id":1,"star":{"$ref":"Falcon","$id":1},"beasts":[2,{"$ref":"Falcon","$id":1}]}"#
        #expect(try bad("Den", schema: schema, text) == [])
        let checker = try DocumentChecker(realm, type: "Den", schema: schema)
        realm.beginWrite()
        defer { realm.cancelWrite() }
        #expect(try checker.check(Document(extendedJSON: text)) == [])
        #expect(try checker.finish() == [])
        #expect(
            try checker.linksWithoutTarget().map(\.description).sorted() == [
                "Den.beasts: 1 link to objects of Falcon that are not there: 1",
                "Den.beasts: 1 link to objects of Feral that are not there: 2",
                "Den.star: 1 link to objects of Falcon that are not there: 1",
            ])
    }

    @Test("what is reported as good is imported, what is bad is refused")
    func agreesWithImport() throws {
        let texts = [
            #"{"_id": 1, "name": "A"}"#, #"{"_id": 2}"#, #"{"_id": 3, "name": 1}"#,
            #"{"_id": 4, "name": "B", "age": 1.5}"#, #"{"_id": 5, "name": "C", "tags": null}"#,
            #"{"_id": 6, "name": "D", "tags": [null]}"#, #"{"_id": 7, "name": "E", "badge": 3}"#,
            #"{"_id": 8, "name": "F", "badge": {}}"#, #"{"_id": null, "name": "G"}"#,
            #"{"name": "H"}"#, #"{"_id": 9, "name": {"$symbol": "s"}}"#,
        ]
        for text in texts {
            let isBad = try !bad("Member", text).isEmpty
            let importer = try DocumentImporter(realm, type: "Member")
            realm.beginWrite()
            defer { realm.cancelWrite() }
            var isRefused = false
            do {
                try importer.insert(Document(extendedJSON: text))
            } catch is DocumentRefusal {
                isRefused = true
            }
            #expect(isBad == isRefused, "\(text)")
        }
    }
}

final class Member: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var age: Int?
    @Persisted var email: String?
    @Persisted var tags: MutableSet<String>
    @Persisted var badge: Badge?
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("email", isUnique: true)] }
}

final class Shift: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var next: Handover?
}

final class Handover: HiddenEmbeddedObject {
    @Persisted(required: true) var shift: Shift?
}

final class Badge: HiddenEmbeddedObject {
    @Persisted var number: Int32
}
