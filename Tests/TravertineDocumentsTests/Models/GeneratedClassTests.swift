import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// The folder `Models/Generated` holds what
/// `travertine generate-models Data/Schemas --target-dir Models/Generated` makes of the folder
/// `Data/Schemas`; being sources of this target, the classes are compiled against the library.
@Suite("Generated classes")
struct GeneratedClassTests {
    private static let folder = ProjectFiles.url("Tests/TravertineDocumentsTests")
    private static let classes: [ObjectBase.Type] = [
        ZooPerson.self, ZooAddress.self, ZooKind.self, PetDog.self, List2.self, List3.self,
        Map2.self, Type9Lives.self, Date2.self, ZooMembers.self, ZooTag.self,
    ]

    private func source() throws -> DataSource {
        try DataSource(directory: Self.folder.appending(path: "Data/Schemas"))
    }

    @Test("the files are what the generator writes")
    func files() throws {
        let files = try SwiftModels.files(for: source().collections, importing: "RealmSwift")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "Models/Generated").path)
        #expect(Set(files.map(\.name)) == Set(names))
        for file in files {
            let url = Self.folder.appending(path: "Models/Generated").appending(path: file.name)
            #expect(try String(contentsOf: url, encoding: .utf8) == file.text, "\(file.name)")
        }
    }

    @Test("they have the schemas and relationships that they were generated from")
    func schemas() throws {
        let source = try source()
        let types = try source.objectTypes(of: Schema(classes: Self.classes), creatingIn: "Zoo")
        #expect(types.count == 4)
        #expect(
            source.findings(for: types).map(\.description) == [
                "ZooPerson.count: int has become long",
                "ZooPerson.address.zip-code: int has become long",
                "ZooPerson.old.[].zip-code: int has become long",
                "zoo-members.grid.[]: array of long has become mixed",
                "zoo-members.maps.{}: dictionary of string has become mixed",
                "zoo-members.tag.size: int has become long",
            ])
        let changes = try source.changes(for: types, creatingIn: "Zoo")
        #expect(changes.isEmpty, "\(changes)")
    }

    @Test("a realm has them, and documents of their schemas become their objects")
    func realm() throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", Self.classes)
        let importer = try DocumentImporter(
            realm, type: "ZooPerson",
            schema: source().collection(titled: "ZooPerson").map { $0.schema })
        let dogs = try DocumentImporter(realm, type: "pet_dog")
        try realm.write {
            try importer.insert(
                Document(
                    extendedJSON: """
                        {"_id": {"$oid": "0123456789abcdef01234567"}, "first_name": "Ada",
                         "count": 1, "class": true, "description": "d", "dogs": [7], "byName":
                         {"Rex": 7}, "byKind": {"k": {"pet": 7}}, "address": {"street": "s"}}
                        """))
            try dogs.insert(Document(extendedJSON: #"{"_id": 7, "a\"b": "c"}"#))
        }
        let person = try #require(realm.objects(ZooPerson.self).first)
        #expect(person.firstName == "Ada" && person.class == true && person.description2 == "d")
        #expect(person.dogs[0].aB == "c" && person.byName["Rex"]??._id == 7)
        #expect(person.byKind["k"]??.pet?._id == 7 && person.address?.zipCode == nil)
    }
}
