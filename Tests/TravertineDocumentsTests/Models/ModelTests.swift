import Foundation
import TestSupport
import Testing

@testable import TravertineDocuments

@Suite("Swift models")
struct ModelTests {
    private static let person = """
        {"title": "Person", "bsonType": "object", "required": ["_id", "first_name", "count"],
         "properties": {
          "_id": {"bsonType": "objectId"}, "first_name": {"bsonType": "string"},
          "count": {"bsonType": "int"}, "total": {"bsonType": "long"},
          "class": {"bsonType": "bool"}, "description": {"bsonType": "string"},
          "details": {"bsonType": "mixed"}, "price": {"bsonType": "decimal"},
          "photo": {"bsonType": "binData"}, "born": {"bsonType": "date"},
          "token": {"bsonType": "uuid"}, "size": {"bsonType": "double"},
          "tags": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "string"}},
          "grid": {"bsonType": "array", "items": {"bsonType": "array"}},
          "labels": {"bsonType": "object", "additionalProperties": {"bsonType": "decimal"}},
          "address": {"title": "Address", "bsonType": "object", "required": ["street"],
            "properties": {"street": {"bsonType": "string"}, "zip-code": {"bsonType": "int"}}},
          "old": {"bsonType": "array", "items": {"title": "Address", "bsonType": "object",
            "required": ["street"],
            "properties": {"street": {"bsonType": "string"}, "zip-code": {"bsonType": "int"}}}},
          "byKind": {"bsonType": "object", "additionalProperties": {"bsonType": "object",
            "properties": {"pet": {"bsonType": "long"}}}},
          "dog": {"bsonType": "long"},
          "dogs": {"bsonType": "array", "items": {"bsonType": "long"}},
          "friends": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "objectId"}}
         }}
        """

    private static let dog = """
        {"title": "pet_dog", "bsonType": "object",
         "properties": {"_id": {"bsonType": "long"}, "a\\"b": {"bsonType": "string"}}}
        """

    private static func link(_ field: String, _ collection: String, _ isList: Bool)
        -> Relationships.Relationship
    {
        Relationships.Relationship(
            field: field, source: "s", database: "d", collection: collection, isList: isList)
    }

    private func collections() throws -> [DataSource.Collection] {
        [
            DataSource.Collection(
                database: "d", name: "people",
                schema: try DocumentSchema(jsonSchema: Self.person),
                relationships: Relationships([
                    Self.link("dog", "dogs", false), Self.link("dogs", "dogs", true),
                    Self.link("friends", "people", true), Self.link("byKind.pet", "dogs", false),
                ])),
            DataSource.Collection(
                database: "d", name: "dogs", schema: try DocumentSchema(jsonSchema: Self.dog)),
        ]
    }

    @Test("every type has its class, with names that Swift can write")
    func classes() throws {
        let files = try SwiftModels.files(for: collections())
        #expect(
            files.map(\.name) == [
                "Person.swift", "Address.swift", "Person_byKind.swift", "PetDog.swift",
            ])
        #expect(
            files[0].text == """
                import Foundation
                import Travertine

                class Person: Object {
                    @Persisted(primaryKey: true) var _id: ObjectId
                    @Persisted var firstName: String
                    @Persisted var count: Int
                    @Persisted var total: Int?
                    @Persisted var `class`: Bool?
                    @Persisted var description2: String?
                    @Persisted var details: AnyRealmValue
                    @Persisted var price: Decimal128?
                    @Persisted var photo: Data?
                    @Persisted var born: Date?
                    @Persisted var token: UUID?
                    @Persisted var size: Double?
                    @Persisted var tags: MutableSet<String>
                    @Persisted var grid: List<AnyRealmValue>
                    @Persisted var labels: Map<String, Decimal128>
                    @Persisted var address: Address?
                    @Persisted var old: List<Address>
                    @Persisted var byKind: Map<String, Person_byKind?>
                    @Persisted var dog: PetDog?
                    @Persisted var dogs: List<PetDog>
                    @Persisted var friends: MutableSet<Person>

                    override class func propertiesMapping() -> [String: String] {
                        [
                            "firstName": "first_name",
                            "description2": "description",
                        ]
                    }
                }

                """)
        #expect(
            files[1].text == """
                import Foundation
                import Travertine

                class Address: EmbeddedObject {
                    @Persisted var street: String
                    @Persisted var zipCode: Int?

                    override class func propertiesMapping() -> [String: String] {
                        ["zipCode": "zip-code"]
                    }
                }

                """)
        #expect(files[2].text.contains("@Persisted var pet: PetDog?"))
        #expect(
            files[3].text == """
                import Foundation
                import Travertine

                class PetDog: Object {
                    @Persisted(primaryKey: true) var _id: Int
                    @Persisted var aB: String?

                    override class func objectTypeName() -> String {
                        "pet_dog"
                    }

                    override class func propertiesMapping() -> [String: String] {
                        ["aB": "a\\"b"]
                    }
                }

                """)
        let stored = try SwiftModels.files(for: collections(), naming: .stored)
        #expect(stored[0].text.contains("@Persisted var first_name: String\n"))
    }

    @Test("the classes compile")
    func compiling() throws {
        let workspace = Workspace()
        // A schema whose every name is a trap.
        let names = [
            "id", "_9", "self", "init", "Type", "in", "func", "Self", "hash", "isInvalidated",
            "realm", "2x",
            "a-b", "a_b", "aB", "___", "é", "$x", "a b c", "x\n", "naïve_name", "日本", "_",
            "className",
            "objectSchema", "9", "-", "let", "some", "open", "default", "Protocol", "Int", "String",
            "Persisted", "List", "Object", "😀", "--", "__", "set", "hashValue", "Any", "nil",
        ]
        var odd = DocumentSchema(
            title: "list", properties: names.map { DocumentSchema.Property($0, .scalar(.long)) },
            required: ["_id"])
        odd.properties.append(DocumentSchema.Property("_id", .scalar(.uuid)))
        for (index, title) in ["List", "Map", "9 lives", "-", "Date"].enumerated() {
            var inner = DocumentSchema(title: title)
            inner.properties = [DocumentSchema.Property("a", .scalar(.string))]
            odd.properties.append(
                DocumentSchema.Property("in\(index)", ValueSchema(.object(inner))))
        }
        let collection = DataSource.Collection(database: "d", name: "odd", schema: odd)
        let declarations = [
            ProjectFiles.url("Tests/TravertineDocumentsTests/Data/Models/Declarations.swift").path
        ]
        for naming in [SwiftModels.Naming.camelCase, .stored] {
            var sources = declarations
            for file in try SwiftModels.files(for: collections() + [collection], naming: naming) {
                // The declarations stand for the library here.
                let text = file.text.replacing("import Travertine\n", with: "")
                try workspace.write(text, to: file.name)
                sources.append(workspace.url(file.name).path)
            }
            let run = try CommandRun(
                found: "swiftc", ["-typecheck", "-module-name", "Models"] + sources)
            if run.status == 127 {
                print("Generated classes were not compiled: there is no swiftc here.")
                return
            }
            #expect(run.status == 0, "\(naming): \(run.errors)")
        }
    }

    @Test("two embedded types of one title are one class only if their links lead alike")
    func embeddedLinks() throws {
        let tag = ValueSchema(
            .object(
                DocumentSchema(
                    title: "Tag", properties: [DocumentSchema.Property("pet", .scalar(.long))])))
        func files(
            _ links: [(field: String, collection: String)]
        ) throws(ModelError) -> [SwiftModels.File] {
            let id = DocumentSchema.Property("_id", .scalar(.long))
            let owner = DocumentSchema(
                title: "Owner",
                properties: [
                    id, DocumentSchema.Property("first", tag),
                    DocumentSchema.Property(
                        "others", ValueSchema(.array(of: tag, isUnique: false))),
                ])
            var collections = ["Dog", "Cat"].map {
                DataSource.Collection(
                    database: "d", name: $0,
                    schema: DocumentSchema(title: $0, properties: [id], required: ["_id"]))
            }
            collections.append(
                DataSource.Collection(
                    database: "d", name: "Owner", schema: owner,
                    relationships: Relationships(
                        links.map { Self.link($0.field, $0.collection, false) })))
            return try SwiftModels.files(for: collections)
        }
        let same = try files([("first.pet", "Dog"), ("others.pet", "Dog")])
        #expect(same.last?.name == "Tag.swift")
        #expect(same.last?.text.contains("var pet: Dog?") == true)
        #expect(try files([]).last?.text.contains("var pet: Int?") == true)
        for links in [
            [("first.pet", "Dog")], [("others.pet", "Dog")],
            [("first.pet", "Dog"), ("others.pet", "Cat")],
        ] {
            let error = #expect(throws: ModelError.self) { try files(links) }
            #expect(
                error?.description == "d/Owner/schema.json: Owner.others has another \"Tag\" than "
                    + "Owner.first, by \"pet\": give one of them another title, or both the same "
                    + "properties")
        }
    }

    @Test("what has no class is refused with type and field")
    func errors() throws {
        func fails(
            _ properties: [DocumentSchema.Property], links: [Relationships.Relationship] = [],
            _ expected: String
        ) {
            let collection = DataSource.Collection(
                database: "d", name: "c",
                schema: DocumentSchema(title: "T", properties: properties),
                relationships: Relationships(links))
            let error = #expect(throws: ModelError.self) {
                try SwiftModels.files(for: [collection])
            }
            #expect(
                error?.problems.first?.description.hasPrefix(expected) == true,
                "\(String(describing: error))")
            #expect(error?.problems.first?.file == "d/c/schema.json")
        }
        let id = DocumentSchema.Property("_id", .scalar(.long))
        let inner = ValueSchema(
            .object(
                DocumentSchema(
                    title: "I", properties: [DocumentSchema.Property("a", .scalar(.string))])))
        let other = ValueSchema(
            .object(
                DocumentSchema(
                    title: "I", properties: [DocumentSchema.Property("a", .scalar(.long))])))
        fails([], "T._id is missing")
        fails([DocumentSchema.Property("_id", .scalar(.double))], "T._id is double")
        fails([id], links: [Self.link("a", "none", false)], "T.a links to #/relationship/s/d/none")
        var byName = Self.link("a", "c", false)
        byName.foreignKey = "name"
        fails([id], links: [byName], "T.a links by \"name\"")
        fails(
            [id, DocumentSchema.Property("a", .scalar(.long))], links: [Self.link("a", "c", true)],
            "T.a is long, and a list of links")
        fails(
            [id, DocumentSchema.Property("a", ValueSchema(.array(of: inner, isUnique: true)))],
            "T.a is a set of embedded objects")
        fails(
            [id, DocumentSchema.Property("a", inner), DocumentSchema.Property("b", other)],
            "T.b has another \"I\"")
        fails(
            [id, DocumentSchema.Property("a", ValueSchema(.object(DocumentSchema(title: "T"))))],
            "T.a embeds \"T\"")
    }
}
