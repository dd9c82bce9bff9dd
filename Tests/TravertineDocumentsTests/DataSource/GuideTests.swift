import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// The schemas of the guides as data sources: the folder `Guide` has one for each listing, as one
/// title is in a data source once only. The files are the guides' texts to the byte, but for:
///
/// - The mapping page prints its schema without indentation, and without the commas after "age" and
///   "breed" (`SchemaTests.mappingPage` reads it as it is printed).
/// - The guides print no `relationships.json`; these follow from what they say of the links.
/// - The listing of embedded objects is included from a file that is not there; the schema is the
///   one that the rules give.
///
/// The listings differ among themselves: the guide requires `_id` alone, though `name = ""` cannot
/// be nil, where the mapping page requires `name` too; the guide has `long` for an Int, the mapping
/// page `int`.
@Suite("The schemas of the guides as data sources")
struct GuideTests {
    struct Listing: Sendable, CustomTestStringConvertible {
        let name: String
        /// The classes that the guide prints.
        let classes: [ObjectBase.Type]
        /// The classes that are generated of the schemas.
        let generated: [ObjectBase.Type]
        /// What `--check` reports of the guide's classes, all of which is compatible.
        var findings: [String] = []
        /// What is reported of the generated classes.
        var generatedFindings: [String] = []

        var testDescription: String { name }
    }

    static let listings = [
        Listing(
            name: "Plain", classes: [GuidePlain.Dog.self, GuidePlain.Person.self],
            generated: [GeneratedPlain.Dog.self, GeneratedPlain.Person.self],
            findings: [
                "Dog.name: has become required", "Dog.age: has become required",
                "Person.name: has become required",
            ]),
        Listing(
            name: "ToOne", classes: [GuideToOne.Dog.self, GuideToOne.Person.self],
            generated: [GeneratedToOne.Dog.self, GeneratedToOne.Person.self],
            findings: [
                "Dog.name: has become required", "Dog.age: has become required",
                "Person.name: has become required",
            ]),
        Listing(
            name: "ToMany", classes: [GuideToMany.Dog.self, GuideToMany.Person.self],
            generated: [GeneratedToMany.Dog.self, GeneratedToMany.Person.self],
            findings: [
                "Dog.name: has become required", "Dog.age: has become required",
                "Person.name: has become required",
            ]),
        Listing(
            name: "Inverse", classes: [GuideInverse.Dog.self, GuideInverse.Person.self],
            generated: [GeneratedInverse.Dog.self, GeneratedInverse.Person.self],
            findings: [
                "Dog.name: has become required", "Dog.age: has become required",
                "Person.name: has become required",
            ]),
        Listing(
            name: "Mapping", classes: [GuideMapping.Dog.self],
            generated: [GeneratedMapping.Dog.self], findings: ["Dog.age: int has become long"],
            generatedFindings: ["Dog.age: int has become long"]),
        Listing(
            name: "Embedded", classes: [GuideEmbedded.Contact.self, GuideEmbedded.Address.self],
            generated: [GeneratedEmbedded.Contact.self, GeneratedEmbedded.Address.self]),
    ]

    private static let folder = ProjectFiles.url("Tests/TravertineDocumentsTests/Data")

    private func source(_ listing: Listing) throws -> DataSource {
        try DataSource(
            directory: Self.folder.appending(path: "Guide").appending(path: listing.name))
    }

    @Test("there is a listing for each data source, and one of them for each class")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "Guide").path)
        #expect(Set(names) == Set(Self.listings.map(\.name)))
    }

    @Test("every class of the guides is compatible with its schema", arguments: listings)
    func compatible(listing: Listing) throws {
        let source = try source(listing)
        let types = try source.objectTypes(
            of: Schema(classes: listing.classes), creatingIn: "Pets")
        let findings = source.findings(for: types)
        #expect(findings.map(\.description) == listing.findings)
        #expect(findings.allSatisfy { $0.isCompatible })
        #expect(types.count == source.collections.count)
    }

    @Test("the generated classes are the ones that are compiled here", arguments: listings)
    func generated(listing: Listing) throws {
        let files = try SwiftModels.files(
            for: source(listing).collections, importing: "RealmSwift")
        let header = "import Foundation\nimport RealmSwift\n\n"
        let classes = files.map { file in
            file.text.replacing(header, with: "")
                .split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
        }
        let expected = """
            \(header)/// What `travertine generate-models Guide/\(listing.name)` writes, in its \
            own namespace, as several
            /// listings have a class of one name.
            enum Generated\(listing.name) {
                typealias Object = HiddenObject
                typealias EmbeddedObject = HiddenEmbeddedObject

            \(classes.joined(separator: "\n"))}

            """
        let file = ProjectFiles.url(
            "Tests/TravertineDocumentsTests/Models/GeneratedGuide/Generated\(listing.name).swift")
        #expect(try String(contentsOf: file, encoding: .utf8) == expected)
    }

    @Test("generated classes regenerate the schemas they were made of", arguments: listings)
    func regenerated(listing: Listing) throws {
        let source = try source(listing)
        let types = try source.objectTypes(
            of: Schema(classes: listing.generated), creatingIn: "Pets")
        #expect(source.findings(for: types).map(\.description) == listing.generatedFindings)
        #expect(try source.changes(for: types, creatingIn: "Pets").isEmpty)
        for type in types {
            let collection = try #require(source.collection(titled: type.schema.title ?? ""))
            let text = try text(of: collection, "schema.json", source)
            if listing.generatedFindings.isEmpty {
                #expect(type.schema.jsonSchema == text)
            }
            // The width of integers, which classes do not say, is that of the file.
            #expect(type.schema.updating(collection.schema).jsonSchema == text)
            if !type.relationships.all.isEmpty {
                #expect(
                    try type.relationships.json
                        == self.text(
                            of: collection, "relationships.json", source))
            }
        }
    }

    @Test("types that are stored without classes have the schemas too", arguments: listings)
    func stored(listing: Listing) throws {
        let source = try source(listing)
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [])
        try realm.addTypes(of: source.collections)
        let types = try source.objectTypes(of: realm.schema, creatingIn: "Pets")
        #expect(source.findings(for: types).map(\.description) == listing.generatedFindings)
        #expect(types.count == source.collections.count)
    }

    private func text(
        of collection: DataSource.Collection, _ name: String, _ source: DataSource
    ) throws -> String {
        try String(
            contentsOf: source.directory.appending(path: collection.database)
                .appending(path: collection.name).appending(path: name), encoding: .utf8)
    }
}
